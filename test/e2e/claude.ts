import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AgentPackage, installAgent } from "../support/agentCli.ts"
import type { FakeMessagesApi } from "../support/fakeMessagesApi.ts"
import {
  type EndedEarly,
  endOf,
  type Finished,
  type Program,
  RanTooLong,
  type Running,
  start
} from "../support/program.ts"

/** The newest release that was tried, and the one that npm picks on Node 20. */
export const claudeVersions = ["2.1.332", "2.1.197"] as const
export type ClaudeVersion = (typeof claudeVersions)[number]

export const installClaude = (version: ClaudeVersion) => {
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  const agent: AgentPackage = {
    name: "claude",
    version,
    npmPackage: "@anthropic-ai/claude-code",
    platformPackages: [platform, `${platform}-musl`],
    program: process.platform === "win32" ? "claude.exe" : "claude"
  }
  return installAgent(agent)
}

/** Hooks inherit it, so it must not turn up in an archive either. It looks like no key, so that no rule could find it. */
export const dummyKey = "the-dummy-key-in-the-environment"

/** Directories of one user with one project, and the environment in which all programs of a test run. */
export interface Sandbox {
  readonly root: string
  readonly project: string
  /** First in PATH. */
  readonly bin: string
  /** CLAUDE_CONFIG_DIR: holds the transcripts. */
  readonly claudeHome: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * A user who has nothing yet: an empty home, an empty project, and no network but the fake API. What else the agent tries to reach goes
 * to the fake API as its proxy, which refuses and takes note.
 */
export const makeSandbox = (api: FakeMessagesApi): Effect.Effect<Sandbox, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-e2e-")))),
      (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
    ),
    (root) => {
      const directory = (name: string) => {
        const made = path.join(root, name)
        fs.mkdirSync(made)
        return made
      }
      const tmp = directory("tmp")
      const claudeHome = directory("claude")
      const bin = directory("bin")
      return {
        root,
        project: directory("project"),
        bin,
        claudeHome,
        env: {
          PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
          LANG: "C.UTF-8",
          HOME: directory("home"),
          TMPDIR: tmp,
          CLAUDE_CODE_TMPDIR: tmp,
          CLAUDE_CONFIG_DIR: claudeHome,
          LINT_AI_CONFIG_DIR: directory("lint-ai-config"),
          LINT_AI_STATE_DIR: directory("lint-ai-state"),
          ANTHROPIC_API_KEY: dummyKey,
          ANTHROPIC_BASE_URL: api.url,
          HTTP_PROXY: api.url,
          HTTPS_PROXY: api.url,
          NO_PROXY: "127.0.0.1",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
          DISABLE_AUTOUPDATER: "1",
          DISABLE_TELEMETRY: "1",
          CLAUDE_CODE_MAX_RETRIES: "2",
          DISABLE_ERROR_REPORTING: "1"
        }
      }
    }
  )

export interface Session {
  readonly prompt: string
  /** Tools that need no permission. The others are denied, for nobody is there to ask. */
  readonly allow?: ReadonlyArray<string>
  readonly flags?: ReadonlyArray<string>
}

const printing = (claude: string, sandbox: Sandbox, session: Session): Program => ({
  command: claude,
  args: [
    ...["-p", session.prompt, "--output-format", "json", "--model", "sonnet"],
    ...["--allowedTools", (session.allow ?? ["Bash", "Read", "Agent"]).join(",")],
    ...(session.flags ?? [])
  ],
  cwd: sandbox.project,
  env: sandbox.env
})

/** What `claude -p --output-format json` says at its end, as far as the tests look at it. */
export interface Result {
  readonly session_id: string
  readonly result?: string
  readonly is_error: boolean
  readonly subtype: string
  readonly permission_denials: ReadonlyArray<unknown>
}

/** One whole `claude -p`. */
export const runClaude = (
  claude: string,
  sandbox: Sandbox,
  session: Session
): Effect.Effect<Finished & { readonly result: Result }, RanTooLong> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = printing(claude, sandbox, session)
      return withResult(yield* endOf(program, yield* start(program)))
    })
  )

/**
 * A `claude -p` that gets a signal when `moment` comes. It tells its answers in pieces, as `answering` reads them.
 */
export const interruptClaude = (
  claude: string,
  sandbox: Sandbox,
  session: Session,
  moment: (running: Running) => Effect.Effect<unknown, EndedEarly>,
  signal: NodeJS.Signals = "SIGINT"
): Effect.Effect<Finished, RanTooLong | EndedEarly> =>
  Effect.scoped(
    Effect.gen(function* () {
      const pieces = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"]
      const program = printing(claude, sandbox, { ...session, flags: [...(session.flags ?? []), ...pieces] })
      const running = yield* start(program)
      yield* moment(running)
      yield* running.signal(signal)
      return yield* endOf(program, running)
    })
  )

const withResult = (end: Finished) => ({ ...end, result: JSON.parse(end.stdout || "{}") as Result })

/** A session that stays: its turns come over stdin, one JSON line each, until the input is closed. */
export interface Conversation {
  /** Sends a prompt and waits for the result of its turn. What the agent asks meanwhile is declined. */
  readonly turn: (prompt: string) => Effect.Effect<Result, EndedEarly | RanTooLong>
  /** What a person does with Escape. */
  readonly interrupt: Effect.Effect<void>
  /** Waits until the agent has read the beginning of an answer. */
  readonly answering: Effect.Effect<void, EndedEarly>
  readonly say: (prompt: string) => Effect.Effect<void>
  readonly result: Effect.Effect<Result, EndedEarly | RanTooLong>
  readonly end: Effect.Effect<Finished, RanTooLong>
}

/** Starts a session that takes its turns one after another, as a program with the Agent SDK does. */
export const converse = (
  claude: string,
  sandbox: Sandbox,
  allow: ReadonlyArray<string> = ["Bash", "Read", "Agent"]
): Effect.Effect<Conversation, never, Scope.Scope> =>
  Effect.gen(function* () {
    const program: Program = {
      command: claude,
      args: [
        ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
        ...["--include-partial-messages", "--model", "sonnet", "--permission-prompt-tool", "stdio"],
        ...["--allowedTools", allow.join(",")]
      ],
      cwd: sandbox.project,
      env: sandbox.env,
      stdin: "open"
    }
    const running = yield* start(program)
    const send = (message: unknown) => running.write(`${JSON.stringify(message)}\n`)
    const result = Effect.gen(function* () {
      while (true) {
        const message = JSON.parse(yield* running.nextLine) as StreamMessage
        if (message.type === "result") return message as unknown as Result
        const answer = refusals[message.request?.subtype ?? ""]
        if (message.type === "control_request" && answer !== undefined) {
          yield* send({
            type: "control_response",
            response: { subtype: "success", request_id: message.request_id, response: answer }
          })
        }
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: "45 seconds",
        orElse: () => Effect.fail(new RanTooLong({ command: claude, output: running.output() }))
      })
    )
    const say = (prompt: string) => send({ type: "user", message: { role: "user", content: prompt } })
    return {
      say,
      result,
      turn: (prompt) => Effect.andThen(say(prompt), result),
      answering: answering(running),
      interrupt: send({ type: "control_request", request_id: "interrupt", request: { subtype: "interrupt" } }),
      end: Effect.andThen(running.closeInput, endOf(program, running))
    }
  })

/** Waits for the first words of an answer in `--output-format stream-json --include-partial-messages`. */
export const answering = (running: Running) =>
  Effect.gen(function* () {
    while ((JSON.parse(yield* running.nextLine) as StreamMessage).event?.type !== "content_block_delta");
  })

/** How a user who wants nothing answers what the agent may ask. */
const refusals: Readonly<Record<string, unknown>> = {
  can_use_tool: {
    behavior: "deny",
    // What Claude Code itself says when a person says no. Nothing else tells a recorder that a call was denied.
    message: "The user doesn't want to proceed with this tool use."
  },
  elicitation: { action: "decline" }
}

/** A line of `--output-format stream-json`, as far as the conversation looks at it. */
interface StreamMessage {
  readonly type: string
  readonly request_id?: string
  readonly request?: { readonly subtype: string }
  readonly event?: { readonly type: string }
}
