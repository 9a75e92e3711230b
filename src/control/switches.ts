import * as Effect from "effect/Effect"
import type { FrozenArchive, KeyMissing, NoArchive } from "../archive/existingArchive.ts"
import type { LockTimeout } from "../archive/LockService.ts"
import type { UnsafePath } from "../archive/privateDirectory.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { dormant, type Mode, type Toggles as ProviderToggles } from "../domain/mode.ts"
import type { Provider } from "../domain/provider.ts"
import type { DiskError } from "../platform/Disk.ts"
import { findSessions } from "./projectSessions.ts"
import { NotAdopted, Toggles } from "./Toggles.ts"

/**
 * What a person can turn on and off for one agent in one project. The command line, the flat flags and the MCP tools all come here.
 *
 * A session that runs meets a change at its next hook, which reads the state anew.
 */

const modeOf = (toggles: { readonly recording: boolean; readonly memory: boolean }, before: Mode): Mode => {
  if (!toggles.recording && !toggles.memory) return "off"
  if (before === "ab") return "ab"
  return toggles.memory ? "assist" : "capture-only"
}

const turned = (
  before: ProviderToggles,
  to: Partial<Pick<ProviderToggles, "recording" | "memory">>
): ProviderToggles => {
  const after = { ...before, ...to }
  return { ...after, mode: modeOf(after, before.mode) }
}

/** Memory on, and recording with it. */
export const enable = Effect.fn("enable")(function* (projectRoot: string, provider: Provider) {
  const toggles = yield* Toggles
  return yield* toggles.change(projectRoot, provider, (before) => turned(before, { memory: true, recording: true }))
})

/** Fails where the state or the keys cannot be read: what is turned off there would be on again once they can. */
const ensureKnown = Effect.fnUntraced(function* (projectRoot: string) {
  const toggles = yield* Toggles
  const consent = yield* toggles.read(projectRoot)
  if (consent._tag === "inert" && (consent.reason === "damaged" || consent.reason === "keys")) {
    return yield* new NotAdopted({ projectRoot, reason: consent.reason })
  }
})

/** Memory off. Recording stays as it is, and so do the recordings. Fails where nothing tells whether memory is on. */
export const disable = Effect.fn("disable")(function* (projectRoot: string, provider: Provider) {
  const toggles = yield* Toggles
  yield* ensureKnown(projectRoot)
  const before = yield* togglesNow(projectRoot, provider)
  // What is off already is not written down: nothing is created in a project that is off.
  if (!before.memory) return before
  return yield* toggles.change(projectRoot, provider, (now) => turned({ ...now, mode: "off" }, { memory: false }))
})

/** Recording on. By itself that is capture-only: it never turns memory on. */
export const startRecording = Effect.fn("startRecording")(function* (
  projectRoot: string,
  provider: Provider,
  options: {
    /** Absolute directory for the archives from now on; undefined leaves the place as it is. */
    readonly sessionRoot?: string | undefined
    /** Turns retrieval on too. */
    readonly memory?: true | undefined
  } = {}
) {
  const toggles = yield* Toggles
  return yield* toggles.change(projectRoot, provider, (before) => ({
    ...turned(before, { recording: true, ...(options.memory === true ? { memory: true } : undefined) }),
    ...(options.sessionRoot === undefined ? undefined : { session_root: options.sessionRoot })
  }))
})

/** What `stopRecording` did. */
export interface Stopped {
  readonly toggles: ProviderToggles
  /** Directories of the archives that were open and have ended now. */
  readonly closed: ReadonlyArray<string>
  /** Why others could not be ended; they stay as they are. */
  readonly failures: ReadonlyArray<DiskError | UnsafePath | LockTimeout | NoArchive | FrozenArchive | KeyMissing>
}

/**
 * Recording off, memory as it is. The archives that are open end here, and say why.
 *
 * Fails where nothing tells whether recording is on.
 */
export const stopRecording = Effect.fn("stopRecording")(function* (projectRoot: string, provider: Provider) {
  const toggles = yield* Toggles
  const archive = yield* SessionArchive
  yield* ensureKnown(projectRoot)
  const before = yield* togglesNow(projectRoot, provider)
  const after = before.recording
    ? yield* toggles.change(projectRoot, provider, (now) => turned(now, { recording: false }))
    : before
  const { sessions } = yield* findSessions({ projectRoot, provider })
  const closed: Array<string> = []
  const failures: Array<Stopped["failures"][number]> = []
  // A replay that runs is not a session of the project's agents: whoever replays ends it.
  const isOpen = ({ manifest, status }: (typeof sessions)[number]) =>
    manifest.status === "active" && !(manifest.run_type === "replay" && status === "active")
  for (const session of sessions.filter(isOpen)) {
    const status = session.status === "incomplete" ? "incomplete" : "completed"
    yield* archive.close(session.directory, "recording-stopped", status).pipe(
      Effect.tap(() => Effect.sync(() => closed.push(session.directory))),
      Effect.catch((error) => Effect.sync(() => void failures.push(error)))
    )
  }
  return { toggles: after, closed, failures } satisfies Stopped
})

/** The toggles that count now: those of a state that is not the user's do not. */
export const togglesNow = Effect.fn("togglesNow")(function* (projectRoot: string, provider: Provider) {
  const toggles = yield* Toggles
  const consent = yield* toggles.read(projectRoot)
  return consent._tag === "adopted" ? (consent.providers[provider] ?? dormant) : dormant
})
