import * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Keyring } from "../archive/Keyring.ts"
import type { SessionArchive } from "../archive/SessionArchive.ts"
import { sessionsRoot } from "../archive/sessionDirectory.ts"
import { Configuration } from "../control/Configuration.ts"
import { currentSession } from "../control/currentSession.ts"
import { Diagnostics } from "../control/Diagnostics.ts"
import { indicator } from "../control/indicator.ts"
import { findProjectRoot } from "../control/projectRoot.ts"
import { findSessions } from "../control/projectSessions.ts"
import { currentReplay } from "../control/replayTicket.ts"
import { disable, enable, startRecording, stopRecording, togglesNow } from "../control/switches.ts"
import { Toggles } from "../control/Toggles.ts"
import { type Toggles as ProviderToggles, recordingMode } from "../domain/mode.ts"
import { type Provider, providerTitles } from "../domain/provider.ts"
import { SessionId } from "../domain/sessionId.ts"
import type { MemoryStore } from "../memory/MemoryStore.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Git } from "../platform/Git.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { eventBytes } from "../recorder/boundEvent.ts"
import { recorderVersion } from "../recorder/version.ts"
import { defaultLimits } from "../redaction/bound.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { clientWords, providerOfClient } from "./client.ts"
import { listMemories, memoriesTold, memoryCount, memoryIsOff, searchMemory } from "./memory.ts"
import { lintAiTools, ToolRefused } from "./tools.ts"

/** How the server was started. */
export class ServedAgent extends Context.Service<
  ServedAgent,
  {
    /** Undefined: the agent that the client's name tells. */
    readonly provider: Provider | undefined
    /** Absolute directory of the project, when the command line names it. */
    readonly project: string | undefined
  }
>()("lint-ai/mcp/ServedAgent") {}

/** The agent that calls, its project and its session. Looked up for each call: the same rules as the hooks', so that both always agree. */
const callerOf = Effect.gen(function* () {
  const served = yield* ServedAgent
  const host = yield* Host
  const toggles = yield* Toggles
  const processes = yield* Processes
  const client = yield* McpSchema.McpServerClient
  const provider = served.provider ?? providerOfClient(client.clientInfo.name) ?? "claude"
  const words = clientWords[provider]
  const fromEnv = (name: string | undefined) => (name === undefined ? undefined : host.env[name])
  const replay = yield* currentReplay(provider)
  const usual = findProjectRoot({
    override: served.project ?? host.env.LINT_AI_PROJECT_DIR,
    provider: fromEnv(words.projectDirectory),
    cwd: host.cwd,
    isAdopted: (root) => Effect.map(toggles.read(root), (consent) => consent._tag === "adopted")
  })
  const projectRoot = replay?.workspace ?? (yield* usual)
  const named = words.meta === undefined ? undefined : client.requestMetadata?.[words.meta]
  const hints = {
    provider,
    named: typeof named === "string" ? named : undefined,
    inherited: fromEnv(words.sessionId),
    parentPid: yield* processes.behindShell(host.parentPid)
  }
  return { provider, projectRoot, hints, replay }
})

type Caller = Effect.Success<typeof callerOf>

/** An agent that replays a session wants to turn something on or off. */
class ReplayIsFixed extends Data.TaggedError("ReplayIsFixed") {
  override get message(): string {
    return "This is a replay: what it records and retrieves was settled when it began, and stays so."
  }
}

/** The caller, where it may change something. */
const changingCaller = Effect.flatMap(callerOf, (caller) =>
  caller.replay === undefined ? Effect.succeed(caller) : Effect.fail(new ReplayIsFixed())
)

const togglesOf = ({ provider, projectRoot, replay }: Caller) =>
  replay === undefined
    ? togglesNow(projectRoot, provider)
    : Effect.succeed<ProviderToggles>({
        recording: true,
        memory: replay.memory_mcp,
        mode: replay.recording_mode,
        session_root: replay.sessions_root
      })

const stateOf = ({ provider, projectRoot }: Caller, toggles: ProviderToggles, message: string) => ({
  display: indicator(toggles),
  memory: toggles.memory,
  recording: toggles.recording,
  mode: recordingMode(toggles),
  provider,
  project: projectRoot,
  message
})

const sessionOf = ({ provider, projectRoot, hints, replay }: Caller) =>
  replay !== undefined
    ? Effect.succeed({ id: SessionId.make(replay.session_id), archive: undefined })
    : Effect.map(findSessions({ projectRoot, provider }), ({ sessions }) => currentSession(sessions, hints))

const rootOf = ({ provider, projectRoot }: Caller, toggles: ProviderToggles): string =>
  toggles.session_root ?? sessionsRoot(projectRoot, provider)

const recordSession = Effect.fnUntraced(function* (action: "start" | "stop" | "status") {
  const caller = yield* action === "status" ? callerOf : changingCaller
  const { provider, projectRoot } = caller
  const configuration = yield* Configuration
  const consent = yield* Effect.flatMap(Toggles, (all) => all.read(projectRoot))
  const { archive } = yield* configuration.load(projectRoot, consent)
  const redactor = yield* Redactor
  const title = providerTitles[provider]
  const stopped = action === "stop" ? yield* stopRecording(projectRoot, provider) : undefined
  const toggles =
    action === "start" ? yield* startRecording(projectRoot, provider) : (stopped?.toggles ?? (yield* togglesOf(caller)))
  const failure = stopped?.failures[0]
  const message = {
    start: `Recording is on for ${title} in this project, from the next step on. ${toggles.memory ? "Memory is on as before." : "Memory stays off: nothing is put into the context."}`,
    stop: `Recording is off. ${toggles.memory ? "Memory stays on." : "Memory is off as before."} What was recorded stays.${failure === undefined ? "" : ` One archive could not be ended: ${failure.message}`}`,
    status: toggles.recording ? `Recording is on for ${title} in this project.` : "Recording is off."
  }[action]
  return {
    ...stateOf(caller, toggles, message),
    session_root: rootOf(caller, toggles),
    session_id: (yield* sessionOf(caller))?.id ?? null,
    redaction_policy: redactor.policy,
    limits: { string_bytes: defaultLimits.stringBytes, event_bytes: eventBytes, session_bytes: archive.maxBytes },
    ...(stopped === undefined ? undefined : { closed: stopped.closed })
  }
})

const enableLintAi = Effect.gen(function* () {
  const caller = yield* changingCaller
  const toggles = yield* enable(caller.projectRoot, caller.provider)
  return stateOf(caller, toggles, "Memory is on, and recording with it, from the next step on.")
})

const disableLintAi = Effect.gen(function* () {
  const caller = yield* changingCaller
  const toggles = yield* disable(caller.projectRoot, caller.provider)
  const recording = toggles.recording ? "Recording goes on." : "Recording is off too."
  return stateOf(caller, toggles, `Memory is off. ${recording} Recorded sessions stay.`)
})

const lintAiStatus = Effect.gen(function* () {
  const caller = yield* callerOf
  const all = yield* Toggles
  const consent = yield* all.read(caller.projectRoot)
  const toggles = yield* togglesOf(caller)
  const session = yield* sessionOf(caller)
  const manifest = session?.archive?.manifest
  const message =
    consent._tag === "inert"
      ? "The .lint-ai of this project is not this user's, so nothing is recorded or retrieved until the user runs `lint-ai adopt`."
      : `Memory is ${toggles.memory ? "on" : "off"}, recording is ${toggles.recording ? "on" : "off"}.`
  return {
    ...stateOf(caller, toggles, message),
    consent: consent._tag,
    session_id: session?.id ?? null,
    session:
      manifest === undefined
        ? null
        : {
            status: manifest.status,
            event_count: manifest.event_count,
            redaction_count: manifest.redaction_count ?? 0,
            ...(manifest.joined === undefined ? undefined : { joined: manifest.joined })
          },
    session_root: rootOf(caller, toggles)
  }
})

const info = Effect.gen(function* () {
  const caller = yield* callerOf
  const toggles = yield* togglesOf(caller)
  const { sessions } = yield* findSessions({ projectRoot: caller.projectRoot, provider: caller.provider })
  const memories = yield* memoryCount(caller)
  return {
    version: recorderVersion,
    provider: caller.provider,
    project: caller.projectRoot,
    memory_count: memories,
    session_count: sessions.length,
    session_root: rootOf(caller, toggles),
    message: toggles.memory ? memoriesTold(memories) : `${memoryIsOff} ${memoriesTold(memories)}`
  }
})

type Services =
  | Configuration
  | Keyring
  | ServedAgent
  | Host
  | Disk
  | Processes
  | Toggles
  | SessionArchive
  | Redactor
  | Diagnostics
  | MemoryStore
  | Git

/**
 * What each tool does. A failure becomes an answer that says what the user can do, and a bug one that says no more than that: a client is never
 * left without an answer, and never told of what an unknown error holds.
 */
export const handlers = lintAiTools.toLayer(
  Effect.gen(function* () {
    const services = yield* Effect.context<Services>()
    // A client may send its next call without waiting: they take effect in the order in which they came.
    const turn = yield* Semaphore.make(1)
    const run = <A, E extends { readonly _tag: string; readonly message: string }>(
      tool: string,
      effect: Effect.Effect<A, E, Services | McpSchema.McpServerClient>
    ) =>
      effect.pipe(
        Effect.mapError((error) => new ToolRefused({ tag: error._tag, message: error.message })),
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.flatMap(Diagnostics, (diagnostics) =>
              diagnostics.note(
                { projectRoot: undefined },
                { provider: "mcp", event: tool, tag: "Defect", detail: defect instanceof Error ? defect.name : "" }
              )
            ),
            Effect.fail(new ToolRefused({ tag: "Defect", message: `${tool} failed. \`lint-ai status\` shows why.` }))
          )
        ),
        turn.withPermits(1),
        Effect.provideContext(services)
      )
    return {
      search: ({ query, top_k = 5 }) =>
        run(
          "search",
          Effect.flatMap(callerOf, (caller) => searchMemory(caller, query, top_k))
        ),
      info: () => run("info", info),
      list_memories: ({ limit = 20 }) =>
        run(
          "list_memories",
          Effect.flatMap(callerOf, (caller) => listMemories(caller, limit))
        ),
      record_session: ({ action = "status" }) => run("record_session", recordSession(action)),
      enable_lint_ai: () => run("enable_lint_ai", enableLintAi),
      disable_lint_ai: () => run("disable_lint_ai", disableLintAi),
      lint_ai_status: () => run("lint_ai_status", lintAiStatus)
    }
  })
)
