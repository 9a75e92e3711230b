import * as path from "node:path"
import * as Effect from "effect/Effect"
import { readExperiment } from "../experiment/experimentFile.ts"
import { ledgerFile, readLedger } from "../experiment/ledger.ts"
import { type OpenedExperiment, usualRoot } from "../experiment/openExperiment.ts"
import { changesSince } from "../experiment/runExperiment.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { optionalString } from "./options.ts"

/** What `experiment init` writes into a directory. */
export const fileName = "experiment.jsonc"

/** Where an experiment runs. */
export const rootFlag = optionalString(
  "root",
  "Keep everything of the experiment below this directory, outside of the project; else in your state directory",
  "DIR"
)

/** A directory stands for the experiment that `init` writes into one. */
export const fileIn = Effect.fnUntraced(function* (named: string) {
  const disk = yield* Disk
  const status = yield* disk.status(named).pipe(Effect.orElseSucceed(() => undefined))
  return status?.kind === "directory" ? path.join(named, fileName) : named
})

/** The last of an experiment's usual roots that was begun with it as it is now; where none was, the last that was begun at all. */
export const rootToGoOnIn = Effect.fnUntraced(function* (usual: string, opened: OpenedExperiment) {
  const disk = yield* Disk
  let last = usual
  let fitting: string | undefined
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? usual : `${usual}-${number}`
    if ((yield* disk.status(ledgerFile(candidate))) === undefined) return fitting ?? last
    last = candidate
    const begun = (yield* readLedger(candidate)).lines.find((line) => line.type === "opened")
    if (begun !== undefined && changesSince(begun.fingerprints, opened.fingerprints).length === 0) fitting = candidate
  }
})

/** The directory itself, or the first beside it in which nothing has been begun. */
export const freshRoot = Effect.fnUntraced(function* (chosen: string) {
  const disk = yield* Disk
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? chosen : `${chosen}-${number}`
    if ((yield* disk.status(ledgerFile(candidate))) === undefined) return candidate
  }
})

/** The directory that an experiment ran in: the one that is named, or that of the experiment's file. */
export const rootOf = Effect.fnUntraced(function* (target: string, chosen: string | undefined) {
  const host = yield* Host
  const disk = yield* Disk
  if (chosen !== undefined) return path.resolve(host.cwd, chosen)
  const given = path.resolve(host.cwd, target)
  // The root itself, or the directory of the experiment's file.
  const ledger = yield* disk.status(ledgerFile(given)).pipe(Effect.orElseSucceed(() => undefined))
  if (ledger !== undefined) return given
  const named = yield* fileIn(given)
  if (named !== given && (yield* disk.status(named)) === undefined) return given
  const { id } = yield* readExperiment(named)
  const usual = yield* usualRoot(named, id)
  // The last that was begun is the one that is meant.
  let last = usual
  for (let number = 2; (yield* disk.status(ledgerFile(`${usual}-${number}`))) !== undefined; number++) {
    last = `${usual}-${number}`
  }
  return last
})
