import * as path from "node:path"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { replaceFile } from "../archive/atomicFile.ts"
import { LockService } from "../archive/LockService.ts"
import { removeLeftTemporaries } from "../archive/leftTemporaries.ts"
import { ensureChosenDirectory } from "../archive/privateDirectory.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { Host } from "../platform/Host.ts"
import { recorderVersion } from "../recorder/version.ts"
import { removeLeftovers } from "../replay/placeRegistry.ts"
import { writeAsRun } from "./asRun.ts"
import type { CellScore } from "./cell.ts"
import { attemptDirectory, type CellRequest } from "./cellRun.ts"
import { CellWorkflow, cellWorkflowLayer } from "./cellWorkflow.ts"
import { ExperimentChanged, ExperimentRunning } from "./errors.ts"
import { freezeSources } from "./freezeSources.ts"
import {
  type AttemptState,
  appendLedger,
  attemptsOf,
  type Fingerprints,
  type LedgerLine,
  readLedger
} from "./ledger.ts"
import { checkRoot, type OpenedExperiment } from "./openExperiment.ts"
import type { Cell } from "./schedule.ts"

/** How one call of `run` went. */
export interface RunSummary {
  readonly root: string
  readonly planned: number
  /** Completed or failed by an earlier run, and left alone. */
  readonly earlier: number
  readonly completed: number
  readonly failed: number
  /** Attempts of an earlier run that were found cut. */
  readonly cut: ReadonlyArray<string>
}

export interface RunOptions {
  readonly root: string
  readonly parallelism: number
  readonly keep: boolean
  /** Runs cells again that have failed. */
  readonly retryFailed: boolean
  /** Digests of scenario files whose commands the user agreed to. */
  readonly agreed: ReadonlySet<string>
  readonly began: (cell: Cell, done: number, total: number) => Effect.Effect<void>
  readonly ended: (cell: Cell, how: string, done: number, total: number) => Effect.Effect<void>
}

/**
 * Runs all cells of an experiment that have no result yet, in their order, and returns when they have.
 *
 * What happened stands in the root's ledger before the next thing happens. A cell that fails is noted and the others go on. When this is interrupted,
 * agents are ended and their cells noted as aborted; after a kill the next run notes that. Fails where another run works in the root, and where the root
 * was begun with another experiment.
 */
export const runExperiment = Effect.fn("runExperiment")(function* (opened: OpenedExperiment, options: RunOptions) {
  const locks = yield* LockService
  const { root } = options
  yield* checkRoot(
    root,
    opened.tasks.map(({ source }) => source.projectRoot)
  )
  yield* ensureChosenDirectory(root)
  const lock = path.join(root, "run.lock")
  return yield* locks
    .hold(lock, 0, runLocked(opened, options))
    .pipe(Effect.catchTag("LockTimeout", (error) => Effect.fail(new ExperimentRunning({ root, pid: error.ownerPid }))))
})

const now = Effect.map(Clock.currentTimeMillis, timestampOf)

const runLocked = Effect.fnUntraced(function* (opened: OpenedExperiment, options: RunOptions) {
  const host = yield* Host
  const { root } = options
  const note = (line: LedgerLine) => appendLedger(root, line)
  const before = yield* readLedger(root)
  const begun = before.lines.find((line) => line.type === "opened")
  if (begun === undefined) {
    yield* freezeSources(opened.tasks)
    yield* writeAsRun(root, opened)
    yield* note({
      type: "opened",
      at: yield* now,
      schema_version: 1,
      experiment_id: opened.experiment.id,
      lint_ai_version: recorderVersion,
      fingerprints: opened.fingerprints,
      planned: opened.cells.length
    })
  } else {
    const changed = changesSince(begun.fingerprints, opened.fingerprints)
    if (changed.length > 0) return yield* new ExperimentChanged({ root, changed })
  }
  yield* note({ type: "run", at: yield* now, pid: host.pid, lint_ai_version: recorderVersion })
  // Also where no cell is left that would make a place and do so: an agent that a killed run left goes on until it is ended.
  yield* removeLeftovers
  // Of writers that were killed; only the lock may have living ones.
  yield* removeLeftTemporaries(root)
  yield* Effect.forEach(opened.arms.all, ({ name }) => removeLeftTemporaries(path.join(root, "results", name), 0))
  const cut = yield* noteCut(root, attemptsOf(before.lines))
  const attempts = attemptsOf((yield* readLedger(root)).lines)

  const pending = pendingOf(opened.cells, attempts, options.retryFailed)
  const requests = new Map<string, CellRequest>()
  const total = opened.cells.length
  const earlier = total - pending.length
  let completed = 0
  let failed = 0
  const done = () => earlier + completed + failed

  const attemptAt = Effect.fnUntraced(function* (cell: Cell) {
    const request = requestFor(opened, options, cell, attempts.get(cell.id) ?? [])
    const { attempt } = request
    requests.set(keyOf(cell.id, attempt), request)
    yield* options.began(cell, done(), total)
    const directory = attemptDirectory(root, cell, attempt)
    yield* note({ type: "started", at: yield* now, cell: cell.id, attempt, directory })
    const score = yield* CellWorkflow.execute({
      root,
      experiment: opened.fingerprints.experiment,
      cell: cell.id,
      attempt
    }).pipe(
      Effect.map((value) => ({ _tag: "Score" as const, value })),
      Effect.catchTag("CellFailed", ({ reason }) => Effect.succeed({ _tag: "Failed" as const, reason })),
      // A fault in one cell is no reason to lose the others.
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.succeed({ _tag: "Failed" as const, reason: `a fault in lint-ai: ${faultOf(cause)}` })
      ),
      Effect.onInterrupt(() =>
        Effect.flatMap(now, (at) =>
          note({ type: "aborted", at, cell: cell.id, attempt, reason: "the run was interrupted" })
        ).pipe(Effect.ignore)
      )
    )
    if (score._tag === "Score") {
      yield* note({ type: "completed", at: yield* now, ...(yield* writeScore(root, score.value)) })
      completed++
      yield* options.ended(cell, score.value.evaluation.verdict, done(), total)
    } else {
      yield* note({ type: "failed", at: yield* now, cell: cell.id, attempt, reason: score.reason })
      failed++
      yield* options.ended(cell, `failed: ${score.reason}`, done(), total)
    }
  })

  const engine = cellWorkflowLayer((cell, attempt) => requests.get(keyOf(cell, attempt))).pipe(
    Layer.provideMerge(WorkflowEngine.layerMemory)
  )
  yield* Effect.forEach(pending, attemptAt, { concurrency: options.parallelism, discard: true }).pipe(
    Effect.provide(engine)
  )
  return { root, planned: total, earlier, completed, failed, cut } satisfies RunSummary
})

/** Cells that have no result yet. */
export const pendingOf = (
  cells: ReadonlyArray<Cell>,
  attempts: ReadonlyMap<string, ReadonlyArray<AttemptState>>,
  retryFailed: boolean
): ReadonlyArray<Cell> =>
  cells.filter(({ id }) => {
    const state = attempts.get(id)?.at(-1)?.state
    return state !== "completed" && (state !== "failed" || retryFailed)
  })

const keyOf = (cell: string, attempt: number): string => `${cell}#${attempt}`

const faultOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? `${error.name} ${error.message}`.trim() : String(error)
}

const requestFor = (
  opened: OpenedExperiment,
  options: RunOptions,
  cell: Cell,
  earlier: ReadonlyArray<AttemptState>
): CellRequest => {
  const arm = opened.arms.all.find(({ name }) => name === cell.arm)
  const task = opened.tasks.find(({ scenario }) => scenario.id === cell.scenario)
  if (arm === undefined || task === undefined) throw new Error(`no arm or scenario of ${cell.id}`)
  return {
    cell,
    attempt: 1 + Math.max(0, ...earlier.map(({ attempt }) => attempt)),
    arm,
    task,
    root: options.root,
    mayValidate: options.agreed.has(task.file.digest),
    keep: options.keep
  }
}

/** What is not as it was when the root was begun. */
export const changesSince = (then: Fingerprints, today: Fingerprints): ReadonlyArray<string> => {
  const differing = (left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>) =>
    [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((key) => left[key] !== right[key])
  return [
    ...(then.experiment === today.experiment ? [] : ["experiment"]),
    ...differing(then.scenarios, today.scenarios).map((id) => `scenario ${id} or revision of its project`),
    ...differing(then.memories, today.memories).map((directory) => `memory ${directory}`)
  ]
}

/** Writes what the ledger could not say any more: which attempts were cut by a kill, and which results are gone. Gives their cells. */
const noteCut = Effect.fnUntraced(function* (root: string, attempts: ReadonlyMap<string, ReadonlyArray<AttemptState>>) {
  const cut: Array<string> = []
  for (const [cell, own] of attempts) {
    for (const { attempt, result, state } of own) {
      const reason =
        state === "started"
          ? "the run that ran it was killed"
          : result !== undefined && !(yield* isWhole(root, result))
            ? "its result is damaged or gone"
            : undefined
      if (reason === undefined) continue
      cut.push(cell)
      yield* appendLedger(root, { type: "aborted", at: yield* now, cell, attempt, reason })
    }
  }
  return cut
})

const isWhole = Effect.fnUntraced(function* (root: string, result: { readonly file: string; readonly digest: string }) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(path.join(root, result.file)).pipe(Effect.orElseSucceed(() => undefined))
  return bytes !== undefined && sha256(bytes) === result.digest
})

const writeScore = Effect.fnUntraced(function* (root: string, score: CellScore) {
  const disk = yield* Disk
  const result = path.join("results", score.arm, `${score.scenario}-${score.repetition}-${score.attempt}.json`)
  const file = path.join(root, result)
  const bytes = Buffer.from(`${JSON.stringify(score, undefined, 2)}\n`)
  yield* disk.makeDirectory(path.dirname(file))
  yield* replaceFile(file, bytes, { durable: true })
  return {
    cell: score.cell,
    attempt: score.attempt,
    verdict: score.evaluation.verdict,
    result,
    digest: sha256(bytes)
  }
})
