import { counted } from "../../domain/counted.ts"
import { metricTable, metricText } from "../../experiment/metricTable.ts"
import type { OpenedExperiment } from "../../experiment/openExperiment.ts"
import type { ArmReport, Comparison, ExperimentReport } from "../../experiment/report.ts"
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
} from "../../experiment/reportText.ts"
import type { Cell } from "../../experiment/schedule.ts"
import { effectText } from "../../experiment/words.ts"
import type { Look } from "../report.ts"
import { renderFields, renderTable, wrapWords } from "./table.ts"
import { plain } from "./text.ts"

/** How many pairs and left out cells a terminal is shown; --json and --markdown have all. */
const mostShown = 6

/** A report for a terminal: what was found first, then the figures that it comes from. */
export const renderExperiment = (report: ExperimentReport, look: Look): string => {
  const { columns, style } = look
  const k = report.arms[0]?.pass_k.at(-1)?.k ?? 1
  const spreads = report.arms[0]?.metrics ?? []
  const sections: ReadonlyArray<string> = [
    [
      ...wrapWords(`${report.experiment_id}: ${designText(report)}`, columns).map((line, at) =>
        at === 0 ? style.bold(plain(line)) : plain(line)
      ),
      ...(report.status === "partial" ? [style.yellow("Not all of it has run.")] : [])
    ]
      .map((line) => `${line}\n`)
      .join(""),
    bullets(
      report.findings.length === 0 ? ["There is nothing to compare with the baseline."] : report.findings,
      columns
    ),
    titled(
      "Arms",
      renderTable<ArmReport>(
        report.arms,
        [
          { title: "ARM", value: (arm) => arm.name, least: 8 },
          { title: "n", value: (arm) => String(arm.n), right: true, spare: 4 },
          { title: "FAILED", value: (arm) => String(arm.failed), right: true, spare: 5 },
          { title: "PASSED", value: passText, right: true },
          { title: "95 % INTERVAL", value: (arm) => rateInterval(arm.pass_interval) ?? "none", right: true, spare: 3 },
          { title: `pass@${k}`, value: (arm) => shareText(arm.pass_k.at(-1)?.pass_at ?? null), right: true, spare: 6 },
          { title: `pass^${k}`, value: (arm) => shareText(arm.pass_k.at(-1)?.pass_hat ?? null), right: true, spare: 6 },
          ...spreads.map(({ metric }, at) => ({
            title: metricTable[metric].title.toUpperCase(),
            value: (arm: ArmReport) => meanText(arm, at),
            right: true,
            spare: 10 + at
          }))
        ],
        columns
      ) +
        renderFields(
          report.arms.map((arm) => [arm.name, armText(arm)]),
          columns
        ),
      look
    ),
    ...report.comparisons.map((comparison) => renderComparison(comparison, look)),
    ...(report.noise === null
      ? []
      : [
          renderComparison(
            report.noise,
            look,
            "Noise: the baseline beside itself. What differs here differs by chance."
          )
        ]),
    ...lists(
      "Left out",
      report.excluded.map(
        ({ attempt, cell, reason, why }) =>
          `${cell}${attempt === 0 ? "" : ` (attempt ${attempt})`}: ${reason === "partner" ? "" : `${reason}; `}${why}`
      ),
      look
    ),
    ...lists(
      "Differences that nobody declared",
      report.differences.map(({ words }) => words),
      look
    ),
    ...lists("Read with care", report.cautions, look),
    `Archives and results are in\n${plain(report.root)}\n`
  ]
  return sections.join("\n")
}

const renderComparison = (comparison: Comparison, look: Look, lead?: string): string => {
  const { columns } = look
  const compared = comparison.metrics.filter(({ verdict }) => verdict !== "absent")
  const told = [
    ...(lead === undefined ? [] : [lead]),
    `${counted(comparison.pairs, "pair")}.${compared.length === 0 ? "" : ` ${methodText(comparison)}`}`
  ]
  const discordant = comparison.discordant
  return titled(
    `${plain(comparison.arm)} beside ${plain(comparison.baseline)}`,
    paragraphs(told, columns) +
      (compared.length === 0
        ? ""
        : renderTable(
            compared,
            [
              { title: "METRIC", value: metricTitle, least: 10 },
              { title: "n", value: ({ n }) => String(n), right: true, spare: 5 },
              {
                title: comparison.baseline.toUpperCase(),
                value: (one) => metricText(one.metric, one.baseline_value),
                right: true,
                spare: 3
              },
              {
                title: comparison.arm.toUpperCase(),
                value: (one) => metricText(one.metric, one.arm_value),
                right: true,
                spare: 3
              },
              { title: "EFFECT", value: effectText, right: true },
              { title: "95 % INTERVAL", value: intervalText, right: true, spare: 4 },
              { title: "SIZE", value: sizeText, right: true, spare: 6 },
              { title: "P (HOLM)", value: pHolmText, right: true, spare: 1 }
            ],
            columns
          )) +
      bullets(
        comparison.metrics.map(({ words }) => words),
        columns
      ) +
      (discordant.length === 0
        ? ""
        : `${paragraphs(["Pairs of which one side passed:"], columns)}${bullets(
            some(
              discordant.map(
                ({ failed, missed, passed, repetition, scenario, failed_session, passed_session }) =>
                  `${scenario}, repetition ${repetition}: ${passed} passed (${passed_session.session_id}), ${failed} did not (${failed_session.session_id}): ${missed.join(", ")}`
              )
            ),
            columns
          )}`),
    look
  )
}

const titled = (title: string, body: string, { style }: Look): string => `${style.bold(title)}\n${body}`

const lists = (title: string, lines: ReadonlyArray<string>, look: Look): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [titled(title, bullets(some(lines), look.columns), look)]

const some = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= mostShown
    ? lines
    : [...lines.slice(0, mostShown), `and ${lines.length - mostShown} more; --json has all`]

const bullets = (lines: ReadonlyArray<string>, columns: number): string =>
  lines
    .flatMap((line) => wrapWords(plain(line), columns - 2).map((part, at) => `${at === 0 ? "- " : "  "}${part}\n`))
    .join("")

const paragraphs = (lines: ReadonlyArray<string>, columns: number): string =>
  lines.flatMap((line) => wrapWords(plain(line), columns).map((part) => `${part}\n`)).join("")

/** What a run would do, before it does anything. */
export interface ExperimentPlan {
  readonly experiment_id: string
  readonly file: string
  readonly root: string
  readonly arms: ReadonlyArray<{ readonly name: string; readonly what: string; readonly lane: boolean }>
  readonly baseline: string
  readonly scenarios: ReadonlyArray<{
    readonly id: string
    readonly file: string
    readonly project: string
    readonly revision: string | null
    readonly setup_messages: number
    readonly validators: number
  }>
  readonly repetitions: number
  readonly order: "abba" | "random"
  readonly seed: number
  readonly parallelism: number
  /** Cells of earlier runs that are left alone. */
  readonly earlier: number
  /** What is left, and the conversations that it takes. */
  readonly conversations: number
  readonly cells: ReadonlyArray<string>
}

export const planOf = (
  opened: OpenedExperiment,
  root: string,
  parallelism: number,
  pending: ReadonlyArray<Cell>
): ExperimentPlan => ({
  experiment_id: opened.experiment.id,
  file: opened.file,
  root,
  arms: opened.arms.all.map((arm) => ({
    name: arm.name,
    lane: arm.name === opened.arms.lane?.name,
    what: [
      arm.provider,
      arm.model ?? "the agent's own model",
      `lint-ai ${arm.lint_ai ? "on" : "off"}`,
      `native memory ${arm.native_memory ? "on" : "off"}`,
      `instruction files ${arm.instruction_files ? "on" : "off"}`,
      `memory ${arm.memory.from === "named" ? arm.memory.directory : arm.memory.from}`,
      arm.profile,
      ...(arm.args.length === 0 ? [] : [arm.args.join(" ")])
    ].join(", ")
  })),
  baseline: opened.arms.baseline.name,
  scenarios: opened.tasks.map(({ file, scenario, source }) => ({
    id: scenario.id,
    file: file.path,
    project: source.projectRoot,
    revision: source.revision ?? null,
    setup_messages: scenario.setup_messages.length,
    validators: scenario.validators.length
  })),
  repetitions: opened.experiment.repetitions,
  order: opened.experiment.order ?? "abba",
  seed: opened.experiment.seed ?? 1,
  parallelism,
  earlier: opened.cells.length - pending.length,
  conversations: opened.tasks.reduce(
    (sum, { scenario }) =>
      sum +
      (scenario.setup_messages.length > 0 ? 2 : 1) * pending.filter((cell) => cell.scenario === scenario.id).length,
    0
  ),
  cells: pending.map(({ id }) => id)
})

export const renderPlan = (plan: ExperimentPlan, cautions: ReadonlyArray<string>, look: Look): string => {
  const { columns, style } = look
  return [
    `${style.bold(plain(plan.experiment_id))}\n`,
    renderFields(
      [
        ...plan.arms.map(
          ({ lane, name, what }) =>
            [
              name === plan.baseline ? `Arm ${name} (baseline)` : `Arm ${name}${lane ? " (the baseline again)" : ""}`,
              what
            ] as const
        ),
        ...plan.scenarios.map(
          (scenario) =>
            [
              `Scenario ${scenario.id}`,
              `${scenario.project} ${scenario.revision === null ? "as it is now, without Git" : `at ${scenario.revision.slice(0, 12)}`}, ${counted(scenario.setup_messages, "setup message")}, ${counted(scenario.validators, "validator")}`
            ] as const
        ),
        ["Repetitions", String(plan.repetitions)],
        ["Order", `${plan.order}, seed ${plan.seed}, ${counted(plan.parallelism, "cell")} at a time`],
        [
          "Will run",
          `${counted(plan.cells.length, "cell")}, ${counted(plan.conversations, "conversation")} with the agent`
        ],
        ...(plan.earlier === 0
          ? []
          : [["Left alone", `${counted(plan.earlier, "cell")} of earlier runs, completed or failed`] as const]),
        ["Writes below", plan.root]
      ],
      columns
    ),
    ...lists("Before it runs", cautions, look)
  ].join("")
}
