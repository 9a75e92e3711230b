import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createFile } from "../archive/atomicFile.ts"
import { ensureChosenDirectory, ensurePrivateDirectory } from "../archive/privateDirectory.ts"
import { lintAiDirectory } from "../control/projectRoot.ts"
import { Evaluation } from "../domain/scenario.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Evaluation))

/** Where a project keeps what its scenarios found. */
const evaluationsDirectory = (projectRoot: string): string => path.join(lintAiDirectory(projectRoot), "evaluations")

/** Where results go: below the project, in `.lint-ai`, which Git ignores; or in a directory of the user's choice. */
export type ResultsPlace =
  | { readonly _tag: "Project"; readonly projectRoot: string }
  | { readonly _tag: "Chosen"; readonly directory: string }

/** Makes the directory of the results, for its owner alone. */
export const resultsDirectory = Effect.fn("resultsDirectory")(function* (place: ResultsPlace) {
  if (place._tag === "Chosen") {
    yield* ensureChosenDirectory(place.directory)
    return place.directory
  }
  const own = lintAiDirectory(place.projectRoot)
  yield* ensurePrivateDirectory(own)
  yield* createFile(path.join(own, ".gitignore"), Buffer.from("*\n"))
  const directory = evaluationsDirectory(place.projectRoot)
  yield* ensurePrivateDirectory(directory)
  return directory
})

/** Keeps an evaluation as a file of its own, which overwrites none. Gives its path. */
export const keepEvaluation = Effect.fn("keepEvaluation")(function* (directory: string, evaluation: Evaluation) {
  const host = yield* Host
  const time = evaluation.evaluated_at.replace(/[-:]|\.\d+/g, "")
  const bytes = Buffer.from(`${JSON.stringify(evaluation, undefined, 2)}\n`)
  while (true) {
    const name = `${evaluation.scenario_id}-${evaluation.role}-${time}-${host.randomHex(3)}.json`
    const file = path.join(directory, name)
    if (yield* createFile(file, bytes)) return file
  }
})

/** Larger ones are none of ours. */
const mostBytes = 4 * 1024 * 1024

/** The evaluations of a project, oldest first. What cannot be read as one is passed over. */
export const readEvaluations = Effect.fn("readEvaluations")(function* (projectRoot: string) {
  const disk = yield* Disk
  const directory = evaluationsDirectory(projectRoot)
  const found: Array<Evaluation> = []
  if ((yield* disk.status(directory))?.kind !== "directory") return found
  for (const name of yield* disk.list(directory)) {
    if (!name.endsWith(".json")) continue
    const file = path.join(directory, name)
    const status = yield* disk.status(file)
    if (status?.kind !== "file" || status.size > mostBytes) continue
    const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
    const evaluation = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
    if (evaluation !== undefined) found.push(evaluation)
  }
  return found.sort((left, right) => (left.evaluated_at < right.evaluated_at ? -1 : 1))
})

/**
 * The evaluation of each session by one scenario, so that what is compared was judged alike: the scenario that judged most of the sessions, of equal ones
 * the one that judged last. Pure.
 */
export const commonEvaluations = (
  evaluations: ReadonlyArray<Evaluation>,
  sessionIds: ReadonlyArray<string>
): ReadonlyMap<string, Evaluation> => {
  const byScenario = new Map<string, Map<string, Evaluation>>()
  for (const evaluation of evaluations) {
    if (!sessionIds.includes(evaluation.session_id)) continue
    const own = byScenario.get(evaluation.scenario_digest) ?? new Map<string, Evaluation>()
    own.set(evaluation.session_id, evaluation)
    // Set anew, so that the order is that of the last evaluation.
    byScenario.delete(evaluation.scenario_digest)
    byScenario.set(evaluation.scenario_digest, own)
  }
  return [...byScenario.values()].reduce(
    (best, own) => (own.size >= best.size ? own : best),
    new Map<string, Evaluation>()
  )
}
