import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { type Provider, providers, providerTitles } from "../../domain/provider.ts"
import { type McpHealth, verifyMcp } from "../../mcp/verify.ts"
import { hookProgram } from "../hookProgram.ts"
import { json, optionalArgument } from "../options.ts"
import { projectOf } from "../project.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"

const agent = Argument.Literals("agent", providers).pipe(
  Argument.withDefault("claude" as Provider),
  Argument.withDescription("The coding agent")
)

const serve = Command.make(
  "serve",
  {
    agent: optionalArgument("agent", "The coding agent; else the one that the client's name tells"),
    path: optionalArgument(
      "path",
      "Directory of the project; else what the agent says, or the one around the working directory"
    )
  },
  Effect.fn("mcp serve")(function* (flags) {
    // main.ts starts the server without all this; a flat flag in another place than the first leads here.
    const { runMcpServer } = yield* Effect.promise(() => import("../../mcp/main.ts"))
    runMcpServer([flags.agent, flags.path].filter((arg) => arg !== undefined))
    return yield* Effect.never
  })
).pipe(Command.withDescription("Serve lint-ai's tools to an agent over stdin and stdout (MCP)"))

const verify = Command.make(
  "verify",
  {
    agent,
    path: optionalArgument("path", "Directory of the project; else the one around the working directory"),
    timeoutMs: Flag.Int("timeout-ms").pipe(
      Flag.withDefault(30_000),
      Flag.withMetavar("N"),
      Flag.withDescription("How long each answer may take, in milliseconds")
    ),
    json
  },
  Effect.fn("mcp verify")(function* (flags) {
    const project = yield* projectOf(flags.path)
    const program = yield* hookProgram
    const health = yield* Effect.forEach(["lines", "headers"] as const, (framing) =>
      verifyMcp({ provider: flags.agent, program, project, framing, timeoutMs: Math.max(1, flags.timeoutMs) })
    )
    const data = { ok: true, status: "healthy", provider: flags.agent, project, program, runs: health }
    yield* report(flags.json, data, () =>
      [
        `The MCP server for ${providerTitles[flags.agent]} answers.`,
        ...health.map(renderHealth),
        plain(health[0]?.display ?? ""),
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Start the MCP server as an agent would, ask it, and say how long it took"))

const framings = { lines: "JSON lines", headers: "Content-Length" }

const renderHealth = (one: McpHealth): string =>
  [
    `  ${framings[one.framing].padEnd(14)}`,
    `startup ${one.startup_ms} ms, initialize ${one.initialize_ms} ms (${plain(one.protocol_version)}),`,
    `${one.tools_count} tools ${one.tools_list_ms} ms, call ${one.call_ms} ms, exit ${one.shutdown_ms} ms`
  ].join(" ")

export const mcpCommand = Command.make("mcp").pipe(
  Command.withDescription("The MCP server, by which an agent controls lint-ai"),
  Command.withSubcommands([serve, verify])
)
