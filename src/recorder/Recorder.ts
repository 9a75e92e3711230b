import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Keyring } from "../archive/Keyring.ts"
import type { Opening } from "../archive/opening.ts"
import type { UnsafePath } from "../archive/privateDirectory.ts"
import { type AppendResult, ArchivePolicy, SessionArchive } from "../archive/SessionArchive.ts"
import { sessionsRoot } from "../archive/sessionDirectory.ts"
import { Configuration } from "../control/Configuration.ts"
import { findProjectRoot } from "../control/projectRoot.ts"
import { Toggles } from "../control/Toggles.ts"
import type { Manifest } from "../domain/manifest.ts"
import { dormant, type Toggles as ProviderToggles, recordingMode } from "../domain/mode.ts"
import { sessionId } from "../domain/sessionId.ts"
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
  /** Set when the project has memory on, recorded or not: the redactor that holds there. */
  readonly memory?: Context.Service.Shape<typeof Redactor>
} & (
  | { readonly _tag: "Off"; readonly reason: "off" | "inert" | "stopped" }
  | { readonly _tag: "Recorded"; readonly result: AppendResult }
)

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
export class StateUnreadable extends Data.TaggedError("StateUnreadable") {
  override get message(): string {
    return "the project's state.json cannot be read; `lint-ai status` there says more"
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
    ) => Effect.Effect<Recording, RecordingFailed | StateUnreadable>
  }
>()("lint-ai/recorder/Recorder") {
  static readonly layer = Layer.effect(
    Recorder,
    Effect.gen(function* () {
      const machine = yield* Effect.context<
        Disk | Host | Processes | Keyring | SessionArchive | Toggles | Configuration | Redactor
      >()
      return Recorder.of({
        record: (adapter, delivery, lockWaitMs) => Effect.provideContext(record(adapter, delivery, lockWaitMs), machine)
      })
    })
  )
}

const record = Effect.fnUntraced(function* (adapter: ProviderAdapter, delivery: Delivery, lockWaitMs: number) {
  const toggles = yield* Toggles
  const configuration = yield* Configuration
  const projectRoot = yield* rootOf(delivery)
  const consent = yield* toggles.read(projectRoot)
  if (consent._tag === "inert" && consent.reason === "damaged") return yield* new StateUnreadable()
  if (consent._tag !== "adopted") return off(projectRoot, consent._tag)
  const chosen = consent.providers[delivery.provider] ?? dormant
  if (!chosen.recording && !chosen.memory) return off(projectRoot, "stopped")
  const settings = yield* configuration.load(projectRoot, consent)
  const redactor = settings.redaction === defaultPolicy ? yield* Redactor : Redactor.make(settings.redaction)
  const memory = chosen.memory ? { memory: redactor } : undefined
  if (!chosen.recording) return { ...off(projectRoot, "stopped"), ...memory }
  const recording = yield* recordIn(adapter, delivery, { projectRoot, chosen, lockWaitMs }).pipe(
    Effect.provideService(Redactor, redactor),
    Effect.provideService(ArchivePolicy, settings.archive),
    Effect.mapError((error) => new RecordingFailed({ projectRoot, error }))
  )
  return { ...recording, ...memory }
})

/** Records a delivery in a project that wants it, under the settings that hold there. */
const recordIn = Effect.fnUntraced(function* (
  adapter: ProviderAdapter,
  delivery: Delivery,
  place: { readonly projectRoot: string; readonly chosen: ProviderToggles; readonly lockWaitMs: number }
) {
  const { projectRoot, chosen, lockWaitMs } = place
  const archive = yield* SessionArchive
  const keyring = yield* Keyring
  const host = yield* Host
  const id = yield* identityOf(delivery, projectRoot)
  // An agent that does not tell where it works (Antigravity CLI) may leave the project out of a later event.
  if (delivery.projectDirectory === undefined || delivery.cwd === undefined) {
    yield* remember("session-roots", [delivery.provider, id.value], projectRoot)
  }
  const key = yield* keyring.identity
  const machine = yield* Effect.context<Disk | Redactor>()
  const prepareAll = (drafts: Delivery["events"]) => Effect.forEach(drafts, (draft) => prepare(draft, key))
  const { transcript } = delivery
  const result = yield* archive.append({
    sessionsRoot: chosen.session_root ?? sessionsRoot(projectRoot, delivery.provider),
    id: sessionId(delivery.provider, id.value),
    events: yield* prepareAll(delivery.events),
    opens: delivery.opens && delivery.events.length > 0,
    opening: yield* openingOf(adapter, delivery, { projectRoot, chosen, identity: id.identity }),
    ...(delivery.boundary === "start" ? { changes: yield* agentOf(delivery) } : undefined),
    ...(transcript === undefined
      ? undefined
      : {
          transcript: (from) => Effect.provideContext(Effect.flatMap(transcript(from), prepareAll), machine),
          retold: delivery.retold === true
        }),
    lockWaitMs,
    elapsedMs: host.monotonicMs
  })
  return { _tag: "Recorded", projectRoot, result } satisfies Recording
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
const openingOf = Effect.fnUntraced(function* (
  adapter: ProviderAdapter,
  delivery: Delivery,
  place: { readonly projectRoot: string; readonly chosen: ProviderToggles; readonly identity: "provider" | "local" }
) {
  const redactor = yield* Redactor
  const machine = yield* Effect.context<Disk | Host | Processes>()
  return Effect.gen(function* () {
    const [first] = delivery.events
    const begins = first?.kind === "session_start" && first.payload.source !== "resume"
    return {
      provider: delivery.provider,
      ...(yield* agentOf(delivery)),
      identity: place.identity,
      project_root: place.projectRoot,
      recording_mode: recordingMode(place.chosen),
      ...(begins ? undefined : { joined: "mid-session" as const }),
      ...(yield* readRepository(place.projectRoot)),
      redaction_policy: redactor.policy,
      redaction_fingerprint: redactor.fingerprint,
      capabilities: adapter.capabilities,
      recorder_version: recorderVersion,
      ...(delivery.sessionId === undefined ? undefined : { provider_session_ids: [delivery.sessionId] })
    } satisfies Opening & Partial<Manifest>
  }).pipe(Effect.provideContext(machine))
})
