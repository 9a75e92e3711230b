import { counted } from "../../domain/counted.ts"
import type { ComparedArm, ComparedMetric, Comparison } from "../../replay/comparison.ts"
import {
  armFacts,
  deltaText,
  differenceWords,
  flagText,
  judgedMeasures,
  placeText,
  valueText
} from "../../replay/comparisonWords.ts"
import type { Step } from "../../replay/firstDifference.ts"
import type { Look } from "../report.ts"
import { renderFields, renderTable, wrapWords } from "./table.ts"
import { pad, plain, widthOf } from "./text.ts"

/** Where nothing was judged, one line says so for all that would have been. */
const shownMetrics = (comparison: Comparison, all: boolean): ReadonlyArray<ComparedMetric> => {
  const anyJudged = comparison.arms.some(({ quality }) => quality !== null)
  return comparison.metrics.filter(
    ({ name, essential }) => (all || essential) && (anyJudged || name === "quality" || !judgedMeasures.has(name))
  )
}

const headingOf = (comparison: Comparison, index: number): string =>
  comparison.arms.length === 1 ? "VALUE" : plain(comparison.arms[index]?.label ?? "").toUpperCase()

const factsOf = (arm: ComparedArm): ReadonlyArray<readonly [string, string]> => [
  ["Session", arm.metrics.session_id],
  ...armFacts(arm)
]

const stepText = (step: Step | null): string => {
  if (step === null) return "nothing more in this turn"
  const text = plain(step.text.replace(/\s+/g, " ").trim())
  if (step.what === "prompt") return `prompt: ${text}`
  if (step.what === "answer") return `answer: ${text}`
  const outcome = step.outcome === null || step.outcome === "ok" ? "" : ` (${step.outcome})`
  const name = step.tool === step.tool_name ? step.tool : `${step.tool} [${step.tool_name}]`
  return `${plain(name ?? "")}${outcome} ${text}`.trimEnd()
}

const sideWidth = "baseline".length + 2

const indented = (label: string, text: string, columns: number): ReadonlyArray<string> =>
  wrapWords(text, Math.max(16, columns - sideWidth - 2)).map(
    (line, index) => `  ${pad(index === 0 ? label : "", sideWidth)}${line}`
  )

/** A comparison for a terminal: who the arms are, one table, and where they first part. */
export const renderComparisonTable = (comparison: Comparison, all: boolean, { columns, style }: Look): string => {
  const { arms } = comparison
  const metrics = shownMetrics(comparison, all)
  const lines: Array<string> = []
  for (const arm of arms) {
    if (arms.length > 1) lines.push(style.bold(plain(arm.label)))
    lines.push(renderFields(factsOf(arm), columns).trimEnd())
    const { recording_problems: problems } = arm.metrics
    if (problems.length > 0) {
      lines.push(
        ...wrapWords(`The recording is not complete: ${problems.join("; ")}.`, columns).map((line) =>
          style.yellow(line)
        )
      )
    }
    if (arm.flags.length > 0) {
      const words = `Differs from the baseline: ${arm.flags.map(flagText).join("; ")}.`
      lines.push(...wrapWords(plain(words), columns).map((line) => style.yellow(line)))
    }
    lines.push("")
  }
  lines.push(measuresText(comparison, metrics, columns).trimEnd(), "")
  for (const arm of arms.slice(1)) lines.push(...differenceLines(arm, arms.length > 2, columns), "")
  if (!all) lines.push(style.dim("--all shows every measure."), "")
  return lines.join("\n")
}

const differenceLines = (arm: ComparedArm, named: boolean, columns: number): ReadonlyArray<string> => {
  const of = named ? ` of ${plain(arm.label)}` : ""
  const { first_difference: difference } = arm
  if (difference === null) {
    return wrapWords(`First difference${of}: none, the same steps with the same answers.`, columns)
  }
  return [
    ...wrapWords(`First difference${of}: ${placeText(difference)}, ${differenceWords[difference.kind]}.`, columns),
    ...indented("baseline", stepText(difference.baseline), columns),
    ...indented("here", stepText(difference.replay), columns)
  ]
}

const measuresText = (comparison: Comparison, metrics: ReadonlyArray<ComparedMetric>, columns: number): string => {
  const { arms } = comparison
  const armColumns = arms.flatMap((arm, index) => [
    {
      title: headingOf(comparison, index),
      value: (metric: ComparedMetric) => valueText(metric, arm, index),
      right: true
    },
    ...(index === 0
      ? []
      : [
          {
            title: "DIFFERENCE",
            value: (metric: ComparedMetric) => deltaText(metric.deltas[index], metric.unit),
            right: true
          }
        ])
  ])
  const table = renderTable(
    metrics,
    [{ title: "MEASURE", value: (metric: ComparedMetric) => metric.title }, ...armColumns],
    Number.POSITIVE_INFINITY
  )
  const widest = table.split("\n").reduce((width, line) => Math.max(width, widthOf(line)), 0)
  return widest <= columns ? table : metrics.map((metric) => blockOf(comparison, metric, columns)).join("")
}

/** One measure as a block of lines, for a terminal that the table does not fit on. */
const blockOf = (comparison: Comparison, metric: ComparedMetric, columns: number): string =>
  `${metric.title}\n${renderFields(
    comparison.arms.map((arm, index) => {
      const delta = deltaText(metric.deltas[index], metric.unit)
      const label = comparison.arms.length === 1 ? "" : plain(arm.label)
      return [`  ${label}`, `${valueText(metric, arm, index)}${delta === "" ? "" : `, ${delta}`}`] as const
    }),
    columns
  )}`

const cell = (text: string): string =>
  plain(text.replace(/[\r\n]+/g, " "))
    .replace(/[\\`*_{}[\]<>#|]/g, "\\$&")
    .trim()

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** A comparison as a Markdown document. */
export const comparisonMarkdown = (comparison: Comparison, all: boolean): string => {
  const { arms } = comparison
  const metrics = shownMetrics(comparison, all)
  const [first] = arms
  const alone = arms.length === 1
  const title = alone ? "Session report" : "Comparison"
  const labels = arms.map(({ label }) => cell(label))
  const facts = arms.map(factsOf)
  const warnings = arms.flatMap((arm) => [
    ...arm.metrics.recording_problems.map(
      (problem) => `- ${cell(arm.label)}: the recording is not complete: ${cell(problem)}.`
    ),
    ...arm.flags.map((flag) => `- ${cell(arm.label)} differs from the baseline: ${cell(flagText(flag))}.`)
  ])
  const headings = arms.flatMap((arm, index) =>
    index === 0 ? [alone ? "Value" : cell(arm.label)] : [cell(arm.label), "Difference"]
  )
  return [
    `# ${title}`,
    "",
    `${counted(arms.length, "session")}, ${comparison.compared_at}`,
    "",
    row(["", ...(alone ? ["Value"] : labels)]),
    row(["---", ...labels.map(() => "---")]),
    ...(first === undefined ? [] : factsOf(first)).map(([name], index) =>
      row([name, ...facts.map((own) => cell(own[index]?.[1] ?? ""))])
    ),
    "",
    ...(warnings.length === 0 ? [] : [...warnings, ""]),
    row(["Measure", ...headings]),
    row(["---", ...headings.map(() => "---:")]),
    ...metrics.map((metric) =>
      row([
        metric.title,
        ...arms.flatMap((arm, index) => [
          cell(valueText(metric, arm, index)),
          ...(index === 0 ? [] : [cell(deltaText(metric.deltas[index], metric.unit))])
        ])
      ])
    ),
    "",
    ...arms.slice(1).flatMap((arm) => {
      const { first_difference: difference } = arm
      if (difference === null) return [`First difference of ${cell(arm.label)}: none.`, ""]
      return [
        `First difference of ${cell(arm.label)}: ${placeText(difference)}, ${differenceWords[difference.kind]}.`,
        "",
        `- baseline: ${cell(stepText(difference.baseline))}`,
        `- here: ${cell(stepText(difference.replay))}`,
        ""
      ]
    })
  ].join("\n")
}
