import { formatBytes, formatDuration } from "../export/format.ts"
import { recorderVersion } from "../recorder/version.ts"
import {
  type ArmFlag,
  agentTitle,
  type ComparedArm,
  type ComparedMetric,
  type Comparison,
  type Delta,
  type Unit
} from "../replay/comparison.ts"
import type { FirstDifference, Step } from "../replay/firstDifference.ts"
import type { ComparisonDocument, Divergence, Fact, SessionLink, StepShown } from "./comparisonDocument.ts"

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
      facts: factsOf(arm),
      flags: [
        ...arm.metrics.recording_problems.map((problem) => `The recording is not complete: ${problem}.`),
        ...arm.flags.map(flagText)
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
      deltas: comparison.arms.map((_, index) => (index === 0 ? null : deltaText(metric.deltas[index], metric.unit)))
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

const onOff = (on: boolean | null): string => (on === null ? "not observed" : on ? "on" : "off")
const revisionText = (revision: string | null): string =>
  revision === null ? "not observed" : /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 12) : revision

const factsOf = ({ metrics }: ComparedArm): ReadonlyArray<Fact> => [
  { name: "Agent", value: agentTitle(metrics) },
  { name: "Model", value: metrics.models.join(", ") || "not observed" },
  { name: "lint-ai", value: onOff(metrics.lint_ai_enabled) },
  { name: "Revision", value: revisionText(metrics.repository_revision) },
  { name: "Permissions", value: metrics.permission_modes.join(", ") || "not observed" }
]

const flagWords: Readonly<Record<Exclude<ArmFlag["what"], "lineage">, string>> = {
  provider: "agent",
  provider_version: "version of the agent",
  model: "model",
  revision: "revision",
  permissions: "permissions",
  recording: "completeness of the recording"
}

const flagText = ({ what, baseline, replay }: ArmFlag): string => {
  if (what === "lineage") return "It is no replay of the baseline."
  const side = (value: string | null) => (what === "revision" ? revisionText(value) : (value ?? "not observed"))
  return `Another ${flagWords[what]} than the baseline: ${side(replay)} instead of ${side(baseline)}.`
}

const kindWords: Readonly<Record<FirstDifference["kind"], string>> = {
  prompt: "another prompt",
  tool: "something else is done",
  input: "the same tool with another input",
  outcome: "the same call ends differently",
  answer: "another answer",
  end: "one of them does no more"
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
  words: kindWords[difference.kind],
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

const numberText = (value: number, unit: Unit): string => {
  if (unit === "milliseconds") return formatDuration(value)
  if (unit === "bytes") return formatBytes(value)
  if (unit === "usd") return `$${value.toFixed(4)}`
  return value.toLocaleString("en-US")
}

/** Measures that only an evaluation gives. */
const judged = new Set(["quality", "expected_facts", "forbidden_facts", "validators", "limits"])

const valueText = (metric: ComparedMetric, arm: ComparedArm, index: number): string => {
  const value = metric.values[index]
  if (value === null || value === undefined) {
    if (!judged.has(metric.name)) return "not observed"
    return arm.quality === null ? "not judged" : "none"
  }
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "number" ? numberText(value, metric.unit) : value
}

const deltaText = (delta: Delta | null | undefined, unit: Unit): string | null => {
  if (delta === null || delta === undefined) return null
  if (delta.absolute === 0) return "same"
  const sign = delta.absolute < 0 ? "−" : "+"
  const part = delta.relative === null ? "" : ` (${sign}${Math.round(Math.abs(delta.relative) * 100)} %)`
  return `${sign}${numberText(Math.abs(delta.absolute), unit)}${part}`
}
