import type { Arm } from "../../src/domain/arm.ts"
import type { Experiment, Metric } from "../../src/domain/experiment.ts"
import type { Verdict } from "../../src/domain/scenario.ts"
import { analyze } from "../../src/experiment/analyze.ts"
import type { CellScore } from "../../src/experiment/cell.ts"
import type { AttemptState } from "../../src/experiment/ledger.ts"
import { cellId, schedule } from "../../src/experiment/schedule.ts"

export const armOf = (name: string, more: Partial<Arm> = {}): Arm => ({
  name,
  provider: "claude",
  lint_ai: name !== "a",
  native_memory: true,
  instruction_files: true,
  memory: { from: "empty" },
  profile: "hooks-common",
  args: [],
  ...more
})

export interface Given {
  readonly verdict?: Verdict
  readonly values?: Partial<Record<Metric, number | null>>
  readonly fingerprint?: Partial<CellScore["fingerprint"]>
  readonly complete?: boolean
}

export const scoreOf = (scenario: string, arm: string, repetition: number, given: Given): CellScore => ({
  schema_version: 1,
  cell: cellId(scenario, arm, repetition),
  scenario,
  arm,
  repetition,
  attempt: 1,
  session_id: `claude:${scenario}-${arm}-${repetition}`,
  directory: `/root/sessions/${arm}/${scenario}-${repetition}-1/archive`,
  setup: null,
  evaluation: {
    schema_version: 1,
    scenario_id: scenario,
    scenario_digest: "0".repeat(64),
    session_id: `claude:${scenario}-${arm}-${repetition}`,
    role: "replay",
    evaluated_at: "2026-08-16T12:00:00.000Z",
    verdict: given.verdict ?? "pass",
    facts: [{ id: "port", kind: "expected", verdict: given.verdict ?? "pass", why: "" }],
    validators: [],
    limits: []
  },
  values: given.values ?? {},
  recording_complete: given.complete ?? true,
  fingerprint: {
    agent_version: "1.2.3",
    models: ["model-1"],
    revision: "a".repeat(40),
    settings: `settings of ${arm}`,
    permissions: [],
    lint_ai_version: "0.1.0",
    redaction: "default-v1",
    ...given.fingerprint
  },
  notes: []
})

const states = new Set(["failed", "started", "aborted"] as const)
type State = "failed" | "started" | "aborted" | "missing"

/**
 * The report of an experiment whose cells went as `cell` says: a score, or the word for why there is none. Arms are named a, b and so on; the first is the
 * baseline, and one that is named "lane" the baseline again.
 */
export const reportOn = (design: {
  readonly arms: ReadonlyArray<string>
  readonly scenarios: number
  readonly repetitions: number
  readonly cell: (arm: string, scenario: number, repetition: number) => Given | State
  readonly experiment?: Partial<Experiment>
  readonly change?: (arm: Arm) => Arm
}) => {
  const ids = Array.from({ length: design.scenarios }, (_, at) => `s${at}`)
  const arms = design.arms.map((name) => (design.change ?? ((arm: Arm) => arm))(armOf(name)))
  const [baseline] = arms
  if (baseline === undefined) throw new Error("an experiment has arms")
  const seed = design.experiment?.seed ?? 1
  const cells = schedule({
    ...{ scenarios: ids, arms: design.arms, repetitions: design.repetitions, order: "abba", seed }
  })
  const attempts = new Map<string, ReadonlyArray<AttemptState>>()
  const scores: Array<CellScore> = []
  for (const cell of cells) {
    const went = design.cell(cell.arm, ids.indexOf(cell.scenario), cell.repetition)
    if (went === "missing") continue
    const directory = `/root/sessions/${cell.arm}/${cell.scenario}-${cell.repetition}-1`
    const state = typeof went === "string" && states.has(went) ? went : ("completed" as const)
    attempts.set(cell.id, [{ attempt: 1, state, directory, reason: "as the test says", result: undefined }])
    if (typeof went !== "string") scores.push(scoreOf(cell.scenario, cell.arm, cell.repetition, went))
  }
  return analyze({
    experiment: {
      schema_version: 1,
      id: "ports",
      arms: [baseline, ...arms.slice(1)],
      variable: ["lint_ai"],
      scenarios: ["s0.json"],
      repetitions: design.repetitions,
      ...design.experiment
    },
    arms: { all: arms, baseline, lane: arms.find(({ name }) => name === "lane") },
    scenarios: ids.map((id) => ({ id, category: "test", negative_control: false, digest: "0".repeat(64) })),
    cells,
    attempts,
    scores,
    damagedLines: 0,
    revisions: 1,
    root: "/root",
    generatedAt: "2026-08-16T12:00:00.000Z",
    lintAiVersion: "0.1.0"
  })
}
