import * as path from "node:path"
import * as Effect from "effect/Effect"
import { canonical, nearestWith } from "../control/projectRoot.ts"
import type { Experiment } from "../domain/experiment.ts"
import type { Limits, Scenario } from "../domain/scenario.ts"
import { sha256 } from "../platform/digest.ts"
import { Git } from "../platform/Git.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import type { Source } from "../replay/IsolatedAgent.ts"
import { readScenario, type ScenarioFile } from "../scenario/scenarioFile.ts"
import { type Arms, resolveArms } from "./arms.ts"
import { ExperimentInvalid, RootUnusable } from "./errors.ts"
import { readExperiment } from "./experimentFile.ts"
import type { Fingerprints } from "./ledger.ts"
import { type Cell, schedule } from "./schedule.ts"
import { treeDigest } from "./treeDigest.ts"

/** A scenario of an experiment, with where its files come from. */
export interface Task {
  readonly file: ScenarioFile
  readonly scenario: Scenario
  readonly source: Source
}

/** An experiment with all that it consists of, read and held against itself. Nothing of it has run. */
export interface OpenedExperiment {
  readonly file: string
  readonly experiment: Experiment
  readonly arms: Arms
  readonly tasks: ReadonlyArray<Task>
  readonly cells: ReadonlyArray<Cell>
  readonly fingerprints: Fingerprints
}

/**
 * Reads an experiment and its scenarios.
 *
 * @param project the project of scenarios, for an experiment that names no repository
 */
export const openExperiment = Effect.fn("openExperiment")(function* (given: string, project: string) {
  const file = path.resolve(given)
  const written = yield* readExperiment(file)
  const base = path.dirname(file)
  const experiment = absoluteMemories(written, base)
  const arms = yield* resolveArms(experiment, file)
  const repository = experiment.repository
  const root = yield* canonical(repository === undefined ? project : path.resolve(base, repository.path))
  const tasks = yield* Effect.forEach(experiment.scenarios, (name) =>
    Effect.gen(function* () {
      const read = yield* readScenario(path.resolve(base, name))
      const scenario = { ...read.scenario, limits: { ...experiment.limits, ...read.scenario.limits } satisfies Limits }
      return { file: read, scenario, source: yield* sourceOf(file, scenario, root, repository?.revision) }
    })
  )
  const ids = tasks.map(({ scenario }) => scenario.id)
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
  if (twice.length > 0) {
    return yield* new ExperimentInvalid({ file, problems: [`scenarios: two have the id "${twice[0]}"`] })
  }
  const cells = schedule({
    scenarios: ids,
    arms: arms.all.map(({ name }) => name),
    repetitions: experiment.repetitions,
    order: experiment.order ?? "abba",
    seed: experiment.seed ?? 1
  })
  const memories = [...new Set(arms.all.flatMap(({ memory }) => (memory.from === "named" ? [memory.directory] : [])))]
  const fingerprints: Fingerprints = {
    experiment: experimentDigest(experiment),
    scenarios: Object.fromEntries(tasks.map((task) => [task.scenario.id, taskDigest(task)])),
    memories: Object.fromEntries(
      yield* Effect.forEach(memories, (directory) =>
        Effect.map(treeDigest(directory), (digest) => [directory, digest] as const)
      )
    )
  }
  return { file, experiment, arms, tasks, cells, fingerprints } satisfies OpenedExperiment
})

/** What may change between two runs without another result: how many cells run at a time, and words for a person. */
const experimentDigest = ({ description: _, parallelism: __, scenarios: ___, ...decisive }: Experiment): string =>
  sha256(JSON.stringify(sorted(decisive)))

/** The same words in another order are the same experiment. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)])
        )
      : value

/** A scenario's file, and what it is run on: a branch that has moved is another task. */
const taskDigest = ({ file, source }: Pick<Task, "file" | "source">): string =>
  sha256(file.digest, "\n", source.projectRoot, "\n", source.revision ?? "")

/** Memories that arms begin with are named from the experiment's file. */
const absoluteMemories = (experiment: Experiment, base: string): Experiment => {
  const absolute = <A extends { readonly memory?: NonNullable<Experiment["memory"]> }>(holder: A): A =>
    holder.memory?.from === "named"
      ? { ...holder, memory: { ...holder.memory, directory: path.resolve(base, holder.memory.directory) } }
      : holder
  const [first, ...others] = experiment.arms
  return { ...absolute(experiment), arms: [absolute(first), ...others.map((arm) => absolute(arm))] }
}

const sourceOf = Effect.fnUntraced(function* (
  file: string,
  scenario: Scenario,
  project: string,
  revision: string | undefined
) {
  const projectRoot = path.resolve(project, scenario.repository?.path ?? ".")
  const named = scenario.repository?.revision ?? scenario.source_session?.repository_revision ?? revision
  const repository = yield* nearestWith(projectRoot, ".git")
  if (repository === undefined) {
    if (named !== undefined && named !== null) {
      return yield* new ExperimentInvalid({
        file,
        problems: [
          `The scenario ${scenario.id} names the revision ${named}, and ${projectRoot} is in no Git repository`
        ]
      })
    }
    return { projectRoot, revision: undefined } satisfies Source
  }
  const git = yield* Git
  const found = yield* git.commitOf(repository, named ?? "HEAD")
  if (found === undefined && named !== undefined && named !== null) {
    // No Git on the PATH, or one that takes the repository for somebody else's.
    const isSilent = (yield* git.workTree(repository)) === undefined
    const why = isSilent
      ? `and Git tells nothing of ${repository}; \`git status\` there says why`
      : `which is not in ${repository}`
    return yield* new ExperimentInvalid({
      file,
      problems: [`The scenario ${scenario.id} names the revision ${named}, ${why}`]
    })
  }
  // Before the first commit there is nothing to check out: a copy is made.
  return { projectRoot, revision: found } satisfies Source
})

/** Where an experiment keeps what it makes when nobody says: in the user's state directory, by the experiment's id and file. */
export const usualRoot = Effect.fnUntraced(function* (file: string, id: string) {
  const { state } = yield* userDirectories
  return path.join(state, "experiments", `${id}-${sha256(yield* canonical(path.resolve(file))).slice(0, 8)}`)
})

/** An agent reads the instruction files of every directory above the one that it works in: a root in a project would give them to all arms. */
export const checkRoot = Effect.fnUntraced(function* (root: string, projects: ReadonlyArray<string>) {
  const resolved = yield* canonical(root)
  for (const project of projects) {
    const relative = path.relative(project, resolved)
    if (relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative))) {
      return yield* new RootUnusable({
        root,
        reason: `it lies in ${project}, whose instruction files would reach the agents from above; give a directory outside of it`
      })
    }
  }
})
