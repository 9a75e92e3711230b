import { counted } from "../domain/counted.ts"
import { metricTable, metricText } from "./metricTable.ts"
import type { Comparison, ExperimentReport } from "./report.ts"
import {
  armText,
  designText,
  intervalText,
  meanText,
  methodText,
  metricTitle,
  passText,
  pHolmText,
  rateInterval,
  shareText,
  sizeText
} from "./reportText.ts"
import { effectText } from "./words.ts"

/** A report as a Markdown document, with everything that the JSON has but single values. */
export const experimentMarkdown = (report: ExperimentReport): string => {
  const ks = report.arms[0]?.pass_k.map(({ k }) => k) ?? []
  const spreads = report.arms[0]?.metrics ?? []
  return [
    `# Experiment ${text(report.experiment_id)}`,
    ...(report.description === null ? [] : ["", text(report.description)]),
    "",
    `${designText(report)}. ${report.status === "partial" ? "**Partial.** " : ""}Baseline: ${text(report.baseline)}. Arms differ by declaration in: ${report.variable.join(", ") || "nothing"}.`,
    "",
    "## What was found",
    "",
    ...list(report.findings.length === 0 ? ["There is nothing to compare with the baseline."] : report.findings),
    ...section("Read with care", report.cautions),
    "",
    "## Arms",
    "",
    ...table(
      ["Arm", "What it is", "n", "Failed", "Passed", "95 % interval", ...ks.flatMap((k) => [`pass@${k}`, `pass^${k}`])],
      report.arms.map((arm) => [
        arm.name,
        armText(arm),
        String(arm.n),
        String(arm.failed),
        passText(arm),
        rateInterval(arm.pass_interval) ?? "none",
        ...arm.pass_k.flatMap(({ pass_at, pass_hat }) => [shareText(pass_at), shareText(pass_hat)])
      ])
    ),
    "",
    "Means of what was observed:",
    "",
    ...table(
      ["Arm", ...spreads.map(({ metric }) => metricTable[metric].title)],
      report.arms.map((arm) => [arm.name, ...arm.metrics.map((_, at) => meanText(arm, at))])
    ),
    "",
    "Passed, by scenario:",
    "",
    ...table(
      ["Scenario", ...report.arms.map(({ name }) => name)],
      report.scenarios.map(({ id }) => [
        id,
        ...report.arms.map((arm) => {
          const own = arm.scenarios.find((one) => one.id === id)
          return own === undefined ? "" : `${own.passed} of ${own.judged}`
        })
      ])
    ),
    ...report.comparisons.flatMap((comparison) => comparisonSection(comparison)),
    ...(report.noise === null
      ? []
      : comparisonSection(report.noise, "Noise: the baseline beside itself. What differs here differs by chance.")),
    ...section(
      "Left out",
      report.excluded.map(
        ({ attempt, cell, reason, why }) => `${code(cell)}, attempt ${attempt}: ${reason}; ${text(why)}`
      )
    ),
    ...section(
      "Differences that nobody declared",
      report.differences.map(({ words }) => text(words))
    ),
    "",
    "## What the arms ran on",
    "",
    ...table(
      ["Arm", "Agent", "Models", "Revision", "Permissions", "lint-ai", "Redaction", "Settings"],
      report.fingerprints.map((print) => [
        print.arm,
        ...[print.agent_version, print.models, print.revision, print.permissions, print.lint_ai_version].map(joined),
        ...[print.redaction, print.settings].map((values) => joined(values.map((value) => value.slice(0, 12))))
      ])
    ),
    "",
    "## How",
    "",
    `Order ${report.order}, seed ${report.seed}, ${counted(report.parallelism, "cell")} at a time. Wilson intervals for rates, Bonett and Price's for differences of rates, a paired bootstrap by scenario for the rest; none under 20 pairs. P-values are corrected by Holm over all tests of this report; a difference is called one at ${report.alpha}.`,
    "",
    ...table(
      ["Scenario", "Category", "SHA-256"],
      report.scenarios.map(({ category, digest, id, negative_control: control }) => [
        id,
        `${category}${control ? ", negative control" : ""}`,
        digest
      ])
    ),
    "",
    `Archives and results: ${code(report.root)}. Made by lint-ai ${report.lint_ai_version} at ${report.generated_at}.`,
    ""
  ].join("\n")
}

const comparisonSection = (comparison: Comparison, lead?: string): ReadonlyArray<string> => [
  "",
  `## ${text(comparison.arm)} beside ${text(comparison.baseline)}`,
  "",
  ...(lead === undefined ? [] : [lead, ""]),
  `${counted(comparison.pairs, "pair")}. ${methodText(comparison)}`,
  "",
  ...table(
    ["Metric", "n", comparison.baseline, comparison.arm, "Effect", "95 % interval", "Size", "p (Holm)"],
    comparison.metrics.map((compared) => [
      metricTitle(compared),
      String(compared.n),
      metricText(compared.metric, compared.baseline_value),
      metricText(compared.metric, compared.arm_value),
      compared.verdict === "absent" ? "" : effectText(compared),
      compared.verdict === "absent" ? "" : intervalText(compared),
      sizeText(compared),
      pHolmText(compared)
    ])
  ),
  "",
  ...list(comparison.metrics.map(({ words }) => text(words))),
  ...(comparison.discordant.length === 0
    ? []
    : [
        "",
        "Pairs of which one side passed:",
        "",
        ...table(
          ["Scenario", "Repetition", "Passed", "Failed", "What it missed", "Passing session", "Failing session"],
          comparison.discordant.map((pair) => [
            pair.scenario,
            String(pair.repetition),
            pair.passed,
            pair.failed,
            pair.missed.join(", "),
            pair.passed_session.session_id,
            pair.failed_session.session_id
          ])
        )
      ])
]

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `## ${title}`, "", ...list(lines)]

const list = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `- ${line}`)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [
  `| ${head.map(text).join(" | ")} |`,
  `|${head.map(() => " --- |").join("")}`,
  ...rows.map((row) => `| ${row.map(text).join(" | ")} |`)
]

const joined = (values: ReadonlyArray<string>): string => values.join(", ") || "not observed"

/** Text from outside as text: no line break, no markup, no cell of its own. */
const text = (value: string): string =>
  value.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").replace(/[\\`*_{}[\]<>|~]/g, (mark) => `\\${mark}`)

const code = (value: string): string => `\`${value.replace(/[`\u0000-\u001f\u007f]/g, " ").replaceAll("|", "\\|")}\``
