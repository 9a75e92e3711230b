import { formatBytes, formatDuration } from "../export/format.ts"
import { type ArmFlag, agentTitle, type ComparedArm, type ComparedMetric, type Delta, type Unit } from "./comparison.ts"
import type { FirstDifference } from "./firstDifference.ts"

/** The words of a comparison, which the terminal, Markdown and the page share. They are not made safe for any of these here. */

const numberText = (value: number, unit: Unit): string => {
  if (unit === "milliseconds") return formatDuration(value)
  if (unit === "bytes") return formatBytes(value)
  if (unit === "usd") return `$${value.toFixed(4)}`
  return value.toLocaleString("en-US")
}

/** Measures that only an evaluation gives. */
export const judgedMeasures: ReadonlySet<string> = new Set([
  "quality",
  "expected_facts",
  "forbidden_facts",
  "validators",
  "limits"
])

const notObserved = "not observed"

/** A value for a person. One that is missing is said to be, and is never a number. */
export const valueText = (metric: ComparedMetric, arm: ComparedArm, index: number): string => {
  const value = metric.values[index]
  if (value === null || value === undefined) {
    if (!judgedMeasures.has(metric.name)) return notObserved
    return arm.quality === null ? "not judged" : "none"
  }
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "number" ? numberText(value, metric.unit) : value
}

/** `+1.2 s (+35%)`; "same" for no difference and "" where there is none to tell. */
export const deltaText = (delta: Delta | null | undefined, unit: Unit): string => {
  if (delta === null || delta === undefined) return ""
  if (delta.absolute === 0) return "same"
  const sign = delta.absolute < 0 ? "-" : "+"
  const percent = delta.relative === null ? "" : ` (${sign}${percentOf(Math.abs(delta.relative))})`
  return `${sign}${numberText(Math.abs(delta.absolute), unit)}${percent}`
}

const percentOf = (part: number): string => {
  const percent = part * 100
  return percent > 0 && percent < 1 ? "<1%" : `${Math.round(percent).toLocaleString("en-US")}%`
}

const revisionText = (revision: string | null): string =>
  revision === null ? notObserved : /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 12) : revision

const onOff = (on: boolean | null): string => (on === null ? notObserved : on ? "on" : "off")

/** What an arm is, as labels and values: never left out of a comparison. */
export const armFacts = ({ metrics }: ComparedArm): ReadonlyArray<readonly [string, string]> => [
  ["Agent", agentTitle(metrics)],
  ["Model", metrics.models.join(", ") || notObserved],
  ["Revision", revisionText(metrics.repository_revision)],
  ["Permissions", metrics.permission_modes.join(", ") || notObserved],
  ["lint-ai", `${onOff(metrics.lint_ai_enabled)}${metrics.arm === null ? "" : ` (arm ${metrics.arm})`}`],
  ["Settings", metrics.settings_root ?? notObserved],
  ["Sessions", metrics.session_root]
]

const flagWords: Readonly<Record<Exclude<ArmFlag["what"], "lineage">, string>> = {
  provider: "agent",
  provider_version: "version of the agent",
  model: "model",
  revision: "revision",
  permissions: "permissions",
  recording: "recording"
}

/** In what an arm differs from the baseline, as a clause. */
export const flagText = ({ what, baseline, replay }: ArmFlag): string => {
  if (what === "lineage") return "it is no replay of the baseline"
  const side = (value: string | null) => (what === "revision" ? revisionText(value) : (value ?? notObserved))
  return `${flagWords[what]} (baseline ${side(baseline)}, here ${side(replay)})`
}

/** What happens at the first difference. */
export const differenceWords: Readonly<Record<FirstDifference["kind"], string>> = {
  prompt: "another prompt",
  tool: "something else is done",
  input: "the same tool with another input",
  outcome: "the same call ends differently",
  answer: "another answer",
  end: "one of them does no more"
}

/** Where the first difference is: the prompt of a turn, or one of the steps after it. */
export const placeText = ({ step, turn }: FirstDifference): string =>
  step === 0 ? `turn ${turn}` : `turn ${turn}, step ${step}`
