import { counted } from "../domain/counted.ts"
import { metricTable, metricText, pText } from "../experiment/metricTable.ts"
import type { ArmReport, Comparison, ExperimentReport, SessionPlace } from "../experiment/report.ts"
import { effectText } from "../experiment/words.ts"
import { recorderVersion } from "../recorder/version.ts"
import type { ArmComparison, ComparisonDocument, Fact, PageArm, SessionLink } from "./comparisonDocument.ts"
import type { PageOf } from "./replayComparison.ts"

/** The page of `lint-ai experiment report`: the arms beside one another, what was measured, and the pairs that went apart. */
export const experimentDocument = (report: ExperimentReport, pageOf: PageOf): ComparisonDocument => ({
  page: "comparison",
  format: 1,
  recorder_version: recorderVersion,
  kind: "experiment",
  title: report.experiment_id,
  ...(report.description === null ? undefined : { subtitle: report.description }),
  made_at: report.generated_at,
  findings: report.findings,
  cautions: [...report.cautions, ...report.differences.map(({ words }) => words)],
  facts: factsOf(report),
  arms: report.arms.map((arm) => armOf(arm, report.baseline)),
  divergences: [],
  measures: [],
  comparisons: report.comparisons.map((comparison) => comparisonOf(comparison, pageOf)),
  noise: report.noise === null ? null : comparisonOf(report.noise, pageOf),
  excluded: report.excluded.map(({ cell, why }) => ({ cell, why }))
})

const factsOf = (report: ExperimentReport): ReadonlyArray<Fact> => [
  { name: "Status", value: report.status },
  { name: "Cells", value: `${report.cells.completed} of ${report.cells.planned} completed` },
  { name: "Scenarios", value: String(report.scenarios.length) },
  { name: "Repetitions", value: String(report.repetitions) },
  { name: "Arms differ in", value: report.variable.join(", ") || "nothing" },
  { name: "Primary metric", value: metricTable[report.primary].title },
  { name: "Order", value: `${report.order}, seed ${report.seed}` },
  { name: "Significance level", value: String(report.alpha) }
]

const onOff = (on: boolean): string => (on ? "on" : "off")

const armOf = (arm: ArmReport, baseline: string): PageArm => ({
  name: arm.name,
  baseline: arm.name === baseline,
  rate: {
    passed: arm.passed,
    judged: arm.judged,
    rate: arm.pass_rate,
    low: arm.pass_interval?.low ?? null,
    high: arm.pass_interval?.high ?? null,
    confidence: arm.pass_interval?.confidence ?? null
  },
  facts: [
    { name: "Agent", value: arm.provider },
    { name: "Model", value: arm.model ?? "the agent's own" },
    { name: "lint-ai", value: onOff(arm.lint_ai) },
    { name: "Native memory", value: onOff(arm.native_memory) },
    { name: "Profile", value: arm.profile },
    { name: "Scored", value: String(arm.n) }
  ],
  flags: [
    ...(arm.lane ? ["The baseline a second time: what differs from it is chance."] : []),
    ...(arm.failed > 0 ? [`${counted(arm.failed, "cell")} failed and stand in no comparison.`] : []),
    ...(arm.unknown > 0 ? [`${counted(arm.unknown, "verdict")} unknown, counted neither way.`] : [])
  ]
})

const comparisonOf = (comparison: Comparison, pageOf: PageOf): ArmComparison => ({
  arm: comparison.arm,
  baseline: comparison.baseline,
  pairs: comparison.pairs,
  rows: comparison.metrics.map((metric) => ({
    title: metricTable[metric.metric].title,
    primary: metric.primary,
    n: metric.n,
    baseline_value: metricText(metric.metric, metric.baseline_value),
    arm_value: metricText(metric.metric, metric.arm_value),
    scale: metric.scale,
    estimate: metric.estimate,
    low: metric.interval?.low ?? null,
    high: metric.interval?.high ?? null,
    confidence: metric.interval?.confidence ?? null,
    effect: effectText(metric),
    ...(metric.test === null ? undefined : { p: pText(metric.test.p_holm) }),
    ...(metric.no_interval === null ? undefined : { no_interval: metric.no_interval }),
    verdict: metric.verdict,
    words: metric.words
  })),
  discordant: comparison.discordant.map((pair) => ({
    scenario: pair.scenario,
    repetition: pair.repetition,
    passed: pair.passed,
    failed: pair.failed,
    passed_session: linkOf(pair.passed_session, pageOf),
    failed_session: linkOf(pair.failed_session, pageOf),
    missed: pair.missed
  }))
})

const linkOf = (place: SessionPlace, pageOf: PageOf): SessionLink => {
  const page = pageOf(place.directory)
  return { session_id: place.session_id, ...(page === undefined ? undefined : { page }) }
}
