import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ArchivePolicy } from "../archive/ArchivePolicy.ts"
import type { AppendResult } from "../archive/appendSession.ts"
import { Keyring } from "../archive/Keyring.ts"
import type { Opening } from "../archive/opening.ts"
import { ensurePrivateFile, type UnsafePath } from "../archive/privateDirectory.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { sessionsRoot } from "../archive/sessionDirectory.ts"
import { Configuration } from "../control/Configuration.ts"
import { findProjectRoot } from "../control/projectRoot.ts"
import { currentReplay, type ReplayTicket, type ReplayUnknown } from "../control/replayTicket.ts"
import { type Consent, Toggles } from "../control/Toggles.ts"
import type { Manifest } from "../domain/manifest.ts"
import { dormant, type Mode, recordingMode } from "../domain/mode.ts"
import { SessionId, sessionId } from "../domain/sessionId.ts"
import type { Disk, DiskError } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import type { Delivery, ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { defaultPolicy } from "../redaction/policy.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { prepare } from "./prepare.ts"
import { recall, remember } from "./remembered.ts"
import { readRepository } from "./repository.ts"
import { recorderVersion } from "./version.ts"

/** Why a delivery was not recorded, or what the archive did with it. */
export type Recording = {
  readonly projectRoot: string
  /** Set when the project has memory on, recorded or not. */
  readonly memory?: MemoryUse
  /** It was recorded for a replay. */
  readonly replay?: true
} & (
  | { readonly _tag: "Off"; readonly reason: "off" | "inert" | "stopped" }
  | { readonly _tag: "Recorded"; readonly result: AppendResult }
)

/** What memory needs to know of a delivery's project. */
export interface MemoryUse {
  /** The redactor that holds there. */
  readonly redactor: Context.Service.Shape<typeof Redactor>
  /** The directory whose memory it is. */
  readonly root: string
  /** The work tree that the agent works in. */
  readonly workTree: string
}

/** A project wants a delivery recorded, and it could not be. The project is known by then, and keeps the diagnostic. */
export class RecordingFailed extends Data.TaggedError("RecordingFailed")<{
  readonly projectRoot: string
  readonly error: DiskError | UnsafePath
}> {
  override get message(): string {
    return this.error.message
  }
}

/** Whether a project wants a delivery recorded cannot be told. The diagnostic is the user's: nothing is written where nobody has agreed. */
export class StateUnreadable extends Data.TaggedError("StateUnreadable")<{
  readonly projectRoot: string
  readonly what: "state.json" | "keys.json"
}> {
  override get message(): string {
    const file = this.what === "state.json" ? "the project's state.json" : "your keys.json"
    return `${file} cannot be read; \`lint-ai status\` there says more`
  }
}

/** Turns hook deliveries into archived events (DESIGN 5): open or recover, normalize, redact, bound, append, finalize. */
export class Recorder extends Context.Service<
  Recorder,
  {
    /** Records a delivery where its project has recording on; else touches nothing. `lockWaitMs`: see SessionArchive.append. */
    readonly record: (
      adapter: ProviderAdapter,
      delivery: Delivery,
      lockWaitMs: number
    ) => Effect.Effect<Recording, RecordingFailed | StateUnreadable | ReplayUnknown>
  }
>()("lint-ai/recorder/Recorder") {
  static readonly make = Effect.gen(function* () {
    const machine = yield* Effect.context<
      Disk | Host | Processes | Keyring | SessionArchive | Toggles | Configuration | Redactor
    >()
    return Recorder.of({
      record: (adapter, delivery, lockWaitMs) => Effect.provideContext(record(adapter, delivery, lockWaitMs), machine)
    })
  })

  static readonly layer = Layer.effect(Recorder, Recorder.make)
}

const record = Effect.fnUntraced(function* (adapter: ProviderAdapter, delivery: Delivery, lockWaitMs: number) {
  const toggles = yield* Toggles
  const ticket = yield* currentReplay(delivery.provider)
  if (ticket !== undefined) return yield* recordReplay(adapter, delivery, ticket, lockWaitMs)
  const projectRoot = yield* rootOf(delivery)
  const consent = yield* toggles.read(projectRoot)
  if (consent._tag === "inert" && consent.reason === "damaged")
    return yield* new StateUnreadable({ projectRoot, what: "state.json" })
  if (consent._tag === "inert" && consent.reason === "keys")
    return yield* new StateUnreadable({ projectRoot, what: "keys.json" })
  if (consent._tag !== "adopted") return off(projectRoot, consent._tag)
  const chosen = consent.providers[delivery.provider] ?? dormant
  if (!chosen.recording && !chosen.memory) return off(projectRoot, "stopped")
  const settings = yield* settingsIn(projectRoot, consent)
  const memory = chosen.memory
    ? { memory: { redactor: settings.redactor, root: projectRoot, workTree: projectRoot } }
    : undefined
  if (!chosen.recording) return { ...off(projectRoot, "stopped"), ...memory }
  const id = yield* identityOf(delivery, projectRoot)
  // An agent that does not tell where it works (Antigravity CLI) may leave the project out of a later event.
  if (delivery.projectDirectory === undefined || delivery.cwd === undefined) {
    yield* remember("session-roots", [delivery.provider, id.value], projectRoot)
  }
  const recording = yield* recordIn(adapter, delivery, settings, {
    projectRoot,
    workTree: projectRoot,
    sessionsRoot: chosen.session_root ?? sessionsRoot(projectRoot, delivery.provider),
    id: sessionId(delivery.provider, id.value),
    identity: id.identity,
    mode: recordingMode(chosen),
    changes: delivery.boundary === "start" ? yield* agentOf(delivery) : {},
    lockWaitMs
  })
  return { ...recording, ...memory }
})

/** Records a delivery of an agent that replays a session: in the replay's archive, whatever the project's toggles say. */
const recordReplay = Effect.fnUntraced(function* (
  adapter: ProviderAdapter,
  delivery: Delivery,
  ticket: ReplayTicket,
  lockWaitMs: number
) {
  const toggles = yield* Toggles
  const settings = yield* settingsIn(ticket.project_root, yield* toggles.read(ticket.project_root))
  const recording = yield* recordIn(adapter, delivery, settings, {
    projectRoot: ticket.project_root,
    workTree: ticket.workspace,
    sessionsRoot: ticket.sessions_root,
    id: SessionId.make(ticket.session_id),
    identity: "provider",
    mode: ticket.recording_mode,
    // Its process is the one that replays, and the sessions of the agent are many where a prompt could not go on with the last one.
    changes: (before) => ({
      ...(delivery.providerVersion === undefined ? undefined : { provider_version: delivery.providerVersion }),
      ...withProviderSession(before, delivery.sessionId)
    }),
    lockWaitMs
  })
  const { redactor } = settings
  return {
    ...recording,
    replay: true as const,
    ...(ticket.memory_hooks
      ? { memory: { redactor, root: ticket.memory_root, workTree: ticket.workspace } }
      : undefined)
  }
})

const withProviderSession = (before: Manifest, id: string | undefined): Partial<Manifest> => {
  const known = before.provider_session_ids ?? []
  return id === undefined || id === "" || known.includes(id) ? {} : { provider_session_ids: [...known, id] }
}

/** The redactor and the limits that hold in a project. */
const settingsIn = Effect.fnUntraced(function* (projectRoot: string, consent: Consent) {
  const configuration = yield* Configuration
  const settings = yield* configuration.load(projectRoot, consent)
  const redactor = settings.redaction === defaultPolicy ? yield* Redactor : Redactor.make(settings.redaction)
  return { redactor, archive: settings.archive }
})

/** Where a delivery is recorded, and what is known of its session. */
interface RecordingPlace {
  readonly projectRoot: string
  readonly workTree: string
  readonly sessionsRoot: string
  readonly id: SessionId
  readonly identity: "provider" | "local"
  readonly mode: Mode
  readonly changes: Partial<Manifest> | ((before: Manifest) => Partial<Manifest>)
  readonly lockWaitMs: number
}

const recordIn = (
  adapter: ProviderAdapter,
  delivery: Delivery,
  settings: Effect.Success<ReturnType<typeof settingsIn>>,
  place: RecordingPlace
) =>
  appendTo(adapter, delivery, place).pipe(
    Effect.provideService(Redactor, settings.redactor),
    Effect.provideService(ArchivePolicy, settings.archive),
    Effect.mapError((error) => new RecordingFailed({ projectRoot: place.projectRoot, error }))
  )

const appendTo = Effect.fnUntraced(function* (adapter: ProviderAdapter, delivery: Delivery, place: RecordingPlace) {
  const archive = yield* SessionArchive
  const keyring = yield* Keyring
  const host = yield* Host
  const key = yield* keyring.identity
  const machine = yield* Effect.context<Disk | Redactor>()
  const prepareAll = (drafts: Delivery["events"]) => Effect.forEach(drafts, (draft) => prepare(draft, key))
  const { transcript } = delivery
  const result = yield* archive.append({
    sessionsRoot: place.sessionsRoot,
    id: place.id,
    events: yield* prepareAll(delivery.events),
    opens: delivery.opens && delivery.events.length > 0,
    opening: yield* openingOf(adapter, delivery, place),
    changes: place.changes,
    ...(transcript === undefined
      ? undefined
      : {
          transcript: (from) => Effect.provideContext(Effect.flatMap(transcript(from), prepareAll), machine),
          retold: delivery.retold === true
        }),
    lockWaitMs: place.lockWaitMs,
    elapsedMs: host.sinceStartMs
  })
  return { _tag: "Recorded", projectRoot: place.projectRoot, result } satisfies Recording
})

const off = (projectRoot: string, reason: "off" | "inert" | "stopped"): Recording => ({
  _tag: "Off",
  projectRoot,
  reason
})

/** The project of a delivery. A session keeps the root of its first event when the agent changes directory. */
const rootOf = Effect.fnUntraced(function* (delivery: Delivery) {
  const toggles = yield* Toggles
  const host = yield* Host
  const remembered =
    delivery.projectDirectory === undefined && delivery.sessionId !== undefined
      ? yield* recall("session-roots", [delivery.provider, delivery.sessionId])
      : undefined
  return yield* findProjectRoot({
    override: host.env.LINT_AI_PROJECT_DIR,
    provider: delivery.projectDirectory ?? remembered,
    cwd: delivery.cwd ?? host.cwd,
    isAdopted: (root) => Effect.map(toggles.read(root), (consent) => consent._tag === "adopted")
  })
})

/** The provider's session id; or a random local one, which the events of one transcript, else of one agent process, share. */
const identityOf = Effect.fnUntraced(function* (delivery: Delivery, projectRoot: string) {
  if (delivery.sessionId !== undefined && delivery.sessionId !== "") {
    return { value: delivery.sessionId, identity: "provider" as const }
  }
  const host = yield* Host
  const processes = yield* Processes
  const agent = yield* processes.identify(delivery.agentPid ?? (yield* processes.behindShell(host.parentPid)))
  const common = delivery.transcriptPath ?? JSON.stringify(agent ?? "unknown")
  const value = yield* remember("local-ids", [delivery.provider, projectRoot, common], `local-${host.randomHex(8)}`)
  return { value, identity: "local" as const }
})

/** The agent that a session runs in now. */
const agentOf = Effect.fnUntraced(function* (delivery: Delivery) {
  const host = yield* Host
  const processes = yield* Processes
  const agent = yield* processes.identify(delivery.agentPid ?? (yield* processes.behindShell(host.parentPid)))
  return {
    ...(delivery.providerVersion === undefined ? undefined : { provider_version: delivery.providerVersion }),
    ...(agent === undefined ? undefined : { agent_process: agent })
  } satisfies Partial<Manifest>
})

/** What a new archive says about itself; computed only when one begins. */
const openingOf = Effect.fnUntraced(function* (adapter: ProviderAdapter, delivery: Delivery, place: RecordingPlace) {
  const redactor = yield* Redactor
  const { file: keys } = yield* Keyring
  const machine = yield* Effect.context<Disk | Host | Processes>()
  return Effect.gen(function* () {
    // Once for each session: the key of what begins here is for its owner alone.
    yield* Effect.ignore(ensurePrivateFile(keys))
    const [first] = delivery.events
    const begins = first?.kind === "session_start" && first.payload.source !== "resume"
    return {
      provider: delivery.provider,
      ...(yield* agentOf(delivery)),
      identity: place.identity,
      project_root: place.projectRoot,
      recording_mode: place.mode,
      ...(begins ? undefined : { joined: "mid-session" as const }),
      ...(yield* readRepository(place.workTree)),
      redaction_policy: redactor.policy,
      redaction_fingerprint: redactor.fingerprint,
      capabilities: adapter.capabilities,
      recorder_version: recorderVersion,
      ...(delivery.sessionId === undefined ? undefined : { provider_session_ids: [delivery.sessionId] })
    } satisfies Opening & Partial<Manifest>
  }).pipe(Effect.provideContext(machine))
})
