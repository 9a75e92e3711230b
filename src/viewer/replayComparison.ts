import { recorderVersion } from "../recorder/version.ts"
import type { ComparedArm, Comparison } from "../replay/comparison.ts"
import { armFacts, deltaText, differenceWords, flagText, valueText } from "../replay/comparisonWords.ts"
import type { FirstDifference, Step } from "../replay/firstDifference.ts"
import type { ComparisonDocument, Divergence, SessionLink, StepShown } from "./comparisonDocument.ts"

/** Where the page of an archive is, relative to the page of the comparison; undefined where there is none. */
export type PageOf = (directory: string) => string | undefined

/** The page of `lint-ai compare`: the baseline and its replays beside one another. */
export const replayComparisonDocument = (comparison: Comparison, pageOf: PageOf): ComparisonDocument => {
  const [baseline] = comparison.arms
  return {
    page: "comparison",
    format: 1,
    recorder_version: recorderVersion,
    kind: "replays",
    title: comparison.arms.length === 1 ? "Session report" : "Compared with the baseline",
    ...(baseline === undefined ? undefined : { subtitle: baseline.metrics.session_id }),
    made_at: comparison.compared_at,
    findings: [],
    cautions: [],
    facts: [],
    arms: comparison.arms.map((arm) => ({
      name: arm.label,
      baseline: arm.role === "baseline",
      session: linkOf(arm, pageOf),
      ...(arm.quality === null ? undefined : { verdict: arm.quality.verdict }),
      facts: armFacts(arm).map(([name, value]) => ({ name, value })),
      flags: [
        ...arm.metrics.recording_problems.map((problem) => `The recording is not complete: ${problem}.`),
        ...arm.flags.map((flag) => `Differs from the baseline: ${flagText(flag)}.`)
      ]
    })),
    divergences:
      baseline === undefined
        ? []
        : comparison.arms.flatMap((arm) =>
            arm.first_difference === null ? [] : [divergenceOf(baseline, arm, arm.first_difference, pageOf)]
          ),
    measures: comparison.metrics.map((metric) => ({
      title: metric.title,
      essential: metric.essential,
      values: comparison.arms.map((arm, index) => valueText(metric, arm, index)),
      deltas: comparison.arms.map((_, index) => deltaText(metric.deltas[index], metric.unit) || null)
    })),
    comparisons: [],
    noise: null,
    excluded: []
  }
}

const linkOf = ({ metrics }: ComparedArm, pageOf: PageOf): SessionLink => {
  const page = pageOf(metrics.directory)
  return { session_id: metrics.session_id, ...(page === undefined ? undefined : { page }) }
}

const divergenceOf = (
  baseline: ComparedArm,
  arm: ComparedArm,
  difference: FirstDifference,
  pageOf: PageOf
): Divergence => ({
  arm: arm.label,
  turn: difference.turn,
  step: difference.step,
  words: differenceWords[difference.kind],
  baseline_step: stepShown(difference.baseline),
  arm_step: stepShown(difference.replay),
  baseline_session: linkOf(baseline, pageOf),
  arm_session: linkOf(arm, pageOf)
})

const stepShown = (step: Step | null): StepShown | null => {
  if (step === null) return null
  const title = step.what === "tool" ? (step.tool_name ?? step.tool ?? "tool") : step.what
  return {
    title,
    text: step.text,
    sequence: step.sequence,
    ...(step.outcome === null || step.outcome === "ok" ? undefined : { outcome: step.outcome })
  }
}
