import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile } from "../archive/atomicFile.ts"
import { Arm } from "../domain/arm.ts"
import { Experiment } from "../domain/experiment.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { recorderVersion } from "../recorder/version.ts"
import { analyze } from "./analyze.ts"
import { CellScore } from "./cell.ts"
import { NothingRun } from "./errors.ts"
import { attemptsOf, readLedger } from "./ledger.ts"
import type { OpenedExperiment } from "./openExperiment.ts"

/** What a root needs to be reported on by itself: the experiment as it was when its first cell ran. */
const AsRun = Schema.Struct({
  schema_version: Schema.Literal(1),
  experiment: Experiment,
  arms: Schema.Array(Arm),
  baseline: Schema.String,
  lane: Schema.NullOr(Schema.String),
  scenarios: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      category: Schema.String,
      negative_control: Schema.Boolean,
      digest: Schema.String,
      revision: Schema.NullOr(Schema.String)
    })
  ),
  cells: Schema.Array(
    Schema.Struct({ id: Schema.String, scenario: Schema.String, arm: Schema.String, repetition: Schema.Natural })
  )
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(AsRun))
const decodeScore = Schema.decodeUnknownOption(Schema.fromJsonString(CellScore))

const asRunFile = (root: string): string => path.join(root, "as-run.json")

export const writeAsRun = Effect.fnUntraced(function* (root: string, opened: OpenedExperiment) {
  const content: typeof AsRun.Type = {
    schema_version: 1,
    experiment: opened.experiment,
    arms: opened.arms.all,
    baseline: opened.arms.baseline.name,
    lane: opened.arms.lane?.name ?? null,
    scenarios: opened.tasks.map(({ file, scenario, source }) => ({
      id: scenario.id,
      category: scenario.category,
      negative_control: scenario.negative_control ?? false,
      digest: file.digest,
      revision: source.revision ?? null
    })),
    cells: opened.cells
  }
  yield* replaceFile(asRunFile(root), Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`))
})

/** Reports on what has run in a root, from what stands in it. Changes nothing. */
export const reportOf = Effect.fn("reportOf")(function* (root: string) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(asRunFile(root)).pipe(Effect.orElseSucceed(() => undefined))
  const asRun = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
  const baseline = asRun?.arms.find(({ name }) => name === asRun.baseline)
  if (asRun === undefined || baseline === undefined) return yield* new NothingRun({ root })
  const ledger = yield* readLedger(root)
  const attempts = attemptsOf(ledger.lines)
  const results = [...attempts.values()].flatMap((own) => own.at(-1)?.result ?? [])
  const scores = yield* Effect.forEach(results, ({ digest, file }) =>
    disk.readFile(path.join(root, file)).pipe(
      Effect.map((read) =>
        sha256(read) === digest ? Option.getOrUndefined(decodeScore(read.toString("utf8"))) : undefined
      ),
      Effect.orElseSucceed(() => undefined)
    )
  )
  return analyze({
    experiment: asRun.experiment,
    arms: {
      all: asRun.arms,
      baseline,
      lane: asRun.arms.find(({ name }) => name === asRun.lane)
    },
    scenarios: asRun.scenarios.map(({ revision: _, ...scenario }) => scenario),
    cells: asRun.cells,
    attempts,
    scores: scores.filter((score) => score !== undefined),
    damagedLines: ledger.damaged,
    revisions: new Set(asRun.scenarios.map(({ revision }) => revision)).size,
    root,
    generatedAt: timestampOf(yield* Clock.currentTimeMillis),
    lintAiVersion: recorderVersion
  })
})
