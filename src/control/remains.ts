import * as path from "node:path"
import * as Effect from "effect/Effect"
import { listAnchors } from "../archive/anchor.ts"
import { archiveBytes } from "../archive/retention.ts"
import { Disk } from "../platform/Disk.ts"
import { cacheDirectory, userDirectories } from "../platform/userDirectories.ts"
import { lintAiDirectory } from "./projectRoot.ts"
import { findSessions } from "./projectSessions.ts"
import { Toggles } from "./Toggles.ts"

/** A file or directory that lint-ai made and that stays when its hooks are taken out. */
export interface Remain {
  readonly path: string
  /** For a person: "your keys". */
  readonly what: string
  readonly bytes: number
}

export interface Remains {
  /** The user's own, which serve all projects. */
  readonly user: ReadonlyArray<Remain>
  /** Recordings, memories and switches of one project; and recordings of experiments, whatever project they are of. */
  readonly project: ReadonlyArray<Remain>
  /** What belongs to other projects, and a `.lint-ai` of this one that is not this user's. Never removed with the rest. */
  readonly others: ReadonlyArray<Remain>
}

/** Everything by name: directories that a variable names may hold what is not ours. */
const names = {
  config: [
    [/^keys\.json$/, "your keys"],
    [/^config\.json$/, "your settings"],
    [/^air-signing-seed$/, "the key that signs your evidence bundles"]
  ],
  state: [
    [/^anchors$/, "the heads of your archives, by which a cut one is noticed"],
    [/^air-heads$/, "the heads of your AIR chains"],
    [/^installs$/, "records and backups of the agents' settings"],
    [/^session-roots$/, "which session belongs to which project"],
    [/^local-ids$/, "ids of sessions to which the agent gave none"],
    [/^scenario-trust$/, "to which commands of scenarios you agreed"],
    [/^(replays|replay-places)$/, "which replays run, and where"],
    [/^doctor-last-visit$/, "when the doctor last looked"],
    [/^diagnostics\.jsonl(\.1)?$/, "diagnostics of projects that are off"]
  ],
  cache: [[/^(hook|cli)-.*\.(cache|tmp)$/, "compiled code"]]
} as const satisfies Record<string, ReadonlyArray<readonly [RegExp, string]>>

/**
 * What lint-ai has on this machine for this user, and in one project. Reads directories and no content but the anchors, which name the archives of other
 * projects. What cannot be read is left out.
 */
export const remainsOf = Effect.fn("remainsOf")(function* (projectRoot: string) {
  const { config, state } = yield* userDirectories
  const cache = yield* cacheDirectory
  const user = [
    ...(yield* known(config, names.config)),
    ...(yield* known(state, names.state)),
    ...(yield* known(cache, names.cache))
  ]
  const toggles = yield* Toggles
  const own = lintAiDirectory(projectRoot)
  const consent = yield* toggles.read(projectRoot)
  const { sessions } = yield* findSessions({ projectRoot })
  const outside = sessions.filter((session) => !isBelow(own, session.directory))
  const there = yield* remain(own, "recordings, memories and switches of this project")
  const chosen = yield* Effect.forEach(outside, ({ directory, manifest }) =>
    remain(directory, `the recording ${manifest.session_id}`)
  )
  const experiments = yield* remain(path.join(state, "experiments"), "your experiments with their recordings")
  const foreign = consent._tag === "inert"
  const mine = new Set([own, state, ...outside.map((session) => session.directory)])
  return {
    user,
    project: [...(foreign ? [] : there), ...chosen.flat(), ...experiments],
    others: [
      ...(foreign
        ? there.map((one) => ({ ...one, what: "switches of this project that are not yours (see lint-ai status)" }))
        : []),
      ...(yield* elsewhere(mine))
    ]
  } satisfies Remains
})

/** Removes what was found, and the user's directories when nothing else is in them. */
export const removeRemains = Effect.fn("removeRemains")(function* (remains: ReadonlyArray<Remain>) {
  const disk = yield* Disk
  const { config, state } = yield* userDirectories
  for (const { path: gone } of remains) yield* disk.removeTree(gone)
  // On macOS the one is inside of the other.
  for (const directory of [state, config, yield* cacheDirectory]) yield* disk.removeEmptyDirectory(directory)
})

const known = Effect.fnUntraced(function* (
  directory: string,
  table: ReadonlyArray<readonly [pattern: RegExp, what: string]>
) {
  const disk = yield* Disk
  const entries = yield* disk.list(directory).pipe(Effect.orElseSucceed(() => []))
  const found = yield* Effect.forEach(entries, (name) => {
    const row = table.find(([pattern]) => pattern.test(name))
    return row === undefined ? Effect.succeed([]) : remain(path.join(directory, name), row[1])
  })
  return found.flat()
})

const remain = Effect.fnUntraced(function* (place: string, what: string) {
  const disk = yield* Disk
  const status = yield* disk.status(place).pipe(Effect.orElseSucceed(() => undefined))
  if (status === undefined) return []
  const bytes = status.kind === "directory" ? yield* archiveBytes(place) : status.size
  return [{ path: place, what, bytes } satisfies Remain]
})

/** The directories of other projects that hold archives of this user, as the anchors tell. */
const elsewhere = Effect.fnUntraced(function* (mine: ReadonlySet<string>) {
  const disk = yield* Disk
  const counts = new Map<string, number>()
  for (const anchor of (yield* listAnchors()).values()) {
    if (anchor.deleted_at !== undefined || [...mine].some((own) => isBelow(own, anchor.archive))) continue
    const status = yield* disk.status(anchor.archive).pipe(Effect.orElseSucceed(() => undefined))
    if (status === undefined) continue
    const above = path.dirname(path.dirname(anchor.archive))
    const place = path.basename(above) === ".lint-ai" ? above : anchor.archive
    counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  const found = yield* Effect.forEach(counts, ([place, count]) =>
    remain(place, count === 1 ? "a recording of another project" : `${count} recordings of another project`)
  )
  return found.flat()
})

const isBelow = (directory: string, file: string): boolean =>
  file === directory || file.startsWith(`${directory}${path.sep}`)
