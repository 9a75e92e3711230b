import { counted } from "../../domain/counted.ts"
import type { Evaluation, Validator, Verdict } from "../../domain/scenario.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { formatBytes, formatDuration } from "../../export/format.ts"
import type { Fault } from "../../scenario/fault.ts"
import type { Look } from "../report.ts"
import { wrapWords } from "./table.ts"
import { plain, type Styles } from "./text.ts"

/** One file of `scenario validate`, and its JSON. */
export interface ValidatedFile {
  readonly path: string
  readonly valid: boolean
  readonly scenario_id: string | null
  readonly digest: string | null
  readonly faults: ReadonlyArray<Fault>
  readonly notes: ReadonlyArray<string>
}

const wrapped = (text: string, columns: number, first: string, rest: string): ReadonlyArray<string> =>
  wrapWords(plain(text), Math.max(16, columns - rest.length)).map((line, index) => (index === 0 ? first : rest) + line)

export const renderValidation = (files: ReadonlyArray<ValidatedFile>, { columns, style }: Look): string =>
  files
    .flatMap((file) => [
      `${plain(file.path)}: ${file.valid ? style.green("valid") : style.red(counted(file.faults.length, "fault"))}`,
      ...file.faults.flatMap((fault) => [
        ...wrapped(fault.path === "" ? "the file" : fault.path, columns, "  - ", "    "),
        ...wrapped(fault.problem, columns, "    ", "    "),
        ...wrapped(fault.remedy, columns, "    ", "    ")
      ]),
      ...file.notes.flatMap((note) => wrapped(note, columns, "  ", "  ")),
      ""
    ])
    .join("\n")

/** The commands of a scenario, as they would be run. */
export const renderCommands = (validators: ReadonlyArray<Validator>): string =>
  validators.map(({ name, command }) => `  ${plain(name)}: ${plain(command.map(shellWord).join(" "))}\n`).join("")

/** One result of `scenario run`, and its JSON. */
export interface ScenarioRunResult {
  readonly role: Evaluation["role"]
  readonly session_id: string
  /** The archive that was judged. */
  readonly directory: string
  readonly verdict: Verdict
  /** Where the evaluation is kept. */
  readonly path: string
  readonly evaluation: Evaluation
  readonly notes: ReadonlyArray<string>
}

export interface ScenarioRunView {
  readonly path: string
  readonly scenario_id: string
  readonly scenario_digest: string
  readonly results: ReadonlyArray<ScenarioRunResult>
}

const verdictWord = (verdict: Verdict, style: Styles): string =>
  verdict === "pass" ? style.green("pass   ") : verdict === "fail" ? style.red("fail   ") : style.yellow("unknown")

const limitWords: Readonly<Record<string, readonly [string, (value: number) => string]>> = {
  max_duration_seconds: ["duration", (value) => formatDuration(value * 1000)],
  max_output_tokens: ["output tokens", (value) => value.toLocaleString("en-US")],
  max_turns: ["model turns", (value) => value.toLocaleString("en-US")],
  max_budget_usd: ["cost", (value) => `$${value.toFixed(4)}`],
  max_injected_context_bytes: ["injected context", formatBytes],
  max_tool_calls: ["tool calls", (value) => value.toLocaleString("en-US")]
}

const limitText = ({ name, limit, observed, verdict }: Evaluation["limits"][number]): string => {
  const [title, format] = limitWords[name] ?? [name, String]
  if (observed === null) return `${title}: not observed, at most ${format(limit)}`
  const held = verdict === "fail" && observed <= limit ? ", ended at the limit" : ""
  return `${title}: ${format(observed)} of at most ${format(limit)}${held}`
}

export const renderScenarioRuns = (runs: ReadonlyArray<ScenarioRunView>, { columns, style }: Look): string =>
  runs
    .flatMap((run) => [
      style.bold(plain(run.scenario_id)),
      ...run.results.flatMap(({ role, session_id, verdict, path, evaluation, notes }) => [
        `  ${role} ${plain(session_id)}: ${verdictWord(verdict, style).trimEnd()}`,
        ...evaluation.facts.flatMap((fact) =>
          judgedLine(fact.verdict, `${fact.kind} ${fact.id}: ${fact.why}`, columns, style)
        ),
        ...evaluation.validators.flatMap((validator) => [
          ...judgedLine(validator.verdict, `validator ${validator.name}: ${validator.why}`, columns, style),
          ...(validator.verdict === "pass" ? [] : outputLines(validator.output, columns))
        ]),
        ...evaluation.limits.flatMap((limit) => judgedLine(limit.verdict, limitText(limit), columns, style)),
        ...(evaluation.facts.length + evaluation.validators.length > 0
          ? []
          : evaluation.limits.length === 0
            ? ["    nothing to judge: the scenario has no facts, validators or limits"]
            : wrapped("only limits were judged: the scenario has no facts and no validators", columns, "    ", "    ")),
        ...notes.flatMap((note) => wrapped(note, columns, "    ", "    ").map((line) => style.dim(line))),
        `    ${plain(path)}`
      ]),
      ""
    ])
    .join("\n")

const judgedLine = (verdict: Verdict, text: string, columns: number, style: Styles): ReadonlyArray<string> =>
  wrapped(text, columns, "", " ".repeat(12)).map((line, index) =>
    index === 0 ? `    ${verdictWord(verdict, style)} ${line}` : line
  )

/** The last lines of an output: what went wrong is mostly said at the end. */
const outputLines = (output: string, columns: number): ReadonlyArray<string> =>
  output
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-5)
    .map((line) => `            | ${plain(line).slice(0, Math.max(16, columns - 14))}`)
