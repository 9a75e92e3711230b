import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { type ClaudeVersion, converse, type Sandbox } from "./claude.ts"

/** Gives a project what the tour needs: a slash command, and an MCP server that asks the user something. */
export const prepareTour = (project: string): void => {
  fs.mkdirSync(path.join(project, ".claude", "commands"), { recursive: true })
  fs.writeFileSync(path.join(project, ".claude", "commands", "greet.md"), "scenario:hello Greet $ARGUMENTS.\n")
  const asker = { command: process.execPath, args: [fileURLToPath(new URL("askingServer.mjs", import.meta.url))] }
  fs.writeFileSync(path.join(project, ".mcp.json"), JSON.stringify({ mcpServers: { asker } }))
}

/**
 * One session in which everything happens that lint-ai registers a hook for.
 *
 * @param refusalTold waits until the hook that tells of a refused turn has done its work, which Claude Code does not wait for
 */
export const takeTour = <E, R>(
  claude: string,
  version: ClaudeVersion,
  sandbox: Sandbox,
  refusalTold: (sessionId: string) => Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const env = { ...sandbox.env, CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }
    const allow = ["Bash", "Agent", "TaskCreate", "TaskUpdate", "mcp__asker"]
    const conversation = yield* converse(claude, { ...sandbox, env }, allow)
    const { session_id } = yield* conversation.turn("scenario:refused")
    yield* refusalTold(session_id)
    yield* conversation.turn("scenario:hello")
    yield* conversation.turn("/greet everybody")
    yield* conversation.turn("scenario:commands")
    yield* conversation.turn("scenario:denied")
    yield* conversation.turn("scenario:agent")
    yield* conversation.turn("scenario:tasks")
    yield* conversation.turn("scenario:question")
    if (version !== "2.1.197") yield* conversation.turn("/model opus") // 2.1.197 has it in the terminal only
    yield* conversation.turn("/compact")
    return yield* conversation.end
  })
