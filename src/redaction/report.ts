import * as Effect from "effect/Effect"
import { lastNotAbove } from "../domain/lastNotAbove.ts"
import { unlimited } from "../platform/Deadline.ts"
import { withExactNumbers } from "./exactNumbers.ts"
import { compileUserRules, type UserRules } from "./extraRules.ts"
import { wholeTextLimits } from "./limits.ts"
import { fingerprintOf, policyName, type RedactionPolicy } from "./policy.ts"
import { redactValue } from "./redactValue.ts"
import { scanText } from "./scanText.ts"

/** One secret in a text: where it stands and which rule found it, never what it is. */
export interface Finding {
  readonly rule: string
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
  readonly endLine: number
  /** The column behind the last character. */
  readonly endColumn: number
}

/** What `lint-ai redact` found in one input. */
export interface RedactReport {
  readonly policy: string
  readonly fingerprint: string
  readonly input: string
  readonly lines: number
  readonly findings: ReadonlyArray<Finding>
  /** True when a work budget was spent before the end: then the whole text would be withheld. */
  readonly unscanned: boolean
}

const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

const placeOf = (starts: ReadonlyArray<number>, at: number): readonly [line: number, column: number] => {
  const line = lastNotAbove(starts, at)
  return [line + 1, at - (starts[line] ?? 0) + 1]
}

/** Looks for secrets in a text. `input` is the name to show: a file, or `-` for standard input. */
export const inspectText = (text: string, input: string, policy: RedactionPolicy): RedactReport => {
  const budget = { left: 65_536 + text.length * wholeTextLimits.workPerCharacter }
  const spans = scanText(text, budget, compileUserRules(policy))
  const starts = lineStarts(text)
  const findings = (spans ?? []).map(({ start, end, rule }): Finding => {
    const [line, column] = placeOf(starts, start)
    const [endLine, endColumn] = placeOf(starts, end)
    return { rule, line, column, endLine, endColumn }
  })
  const lines = text === "" ? 0 : starts.length - (text.endsWith("\n") ? 1 : 0)
  return {
    policy: policyName,
    fingerprint: fingerprintOf(policy),
    input,
    lines,
    findings,
    unscanned: spans === undefined
  }
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`

/** The report for a person: one finding a line, then a summary. */
export const renderReport = (report: RedactReport): string => {
  const name = report.input === "-" ? "stdin" : report.input
  if (report.unscanned) return `${name}: too expensive to scan; the recorder would withhold all of it.\n`
  if (report.findings.length === 0) return `${name}: nothing to redact in ${plural(report.lines, "line")}.\n`
  const rows = report.findings.map(({ rule, line, column, endLine, endColumn }) => {
    const end = endLine === line ? `${endColumn}` : `${endLine}:${endColumn}`
    return `${name}:${line}:${column}-${end}  ${rule}\n`
  })
  const rules = new Set(report.findings.map(({ rule }) => rule)).size
  return `${rows.join("")}${plural(report.findings.length, "finding")} by ${plural(rules, "rule")} (${report.policy}, ${report.fingerprint}).\n`
}

/** The report for a program. */
export const reportJson = (report: RedactReport): string => JSON.stringify({ ok: true, ...report })

/** One line of JSONL, redacted. A line that is not JSON is redacted as text and comes back as a JSON string. */
export interface RedactedLine {
  readonly text: string
  readonly json: boolean
  readonly paths: ReadonlyArray<string>
  readonly rules: ReadonlyArray<string>
}

/** A function that redacts JSONL line by line, for streams. Blank lines stay blank; the number of lines stays. */
export const lineRedactor = (policy: RedactionPolicy): ((line: string) => RedactedLine) => {
  const user: UserRules | undefined = compileUserRules(policy)
  const setting = { deadline: unlimited, limits: wholeTextLimits, user }
  return (line) => {
    if (line.trim() === "") return { text: line, json: true, paths: [], rules: [] }
    let value: unknown
    let json = true
    try {
      value = JSON.parse(line)
    } catch {
      value = line
      json = false
    }
    const { value: redacted, paths, rules } = redactValue(value, "", setting)
    // Written anew also when nothing was found: a key that stands twice in an object keeps its last value only, and the first was not looked at.
    return { text: json ? withExactNumbers(redacted, line) : JSON.stringify(redacted), json, paths, rules }
  }
}

/** How `lint-ai redact` was called. */
export interface RedactOptions {
  /** The name to show: a file, or `-`. */
  readonly input: string
  readonly json: boolean
  readonly lines: boolean
  readonly policy: RedactionPolicy
}

/** What the command prints and how it ends. */
export interface RedactOutput {
  readonly stdout: string
  readonly stderr: string
  /** 0 also when secrets were found: the command reports, it does not judge. 1 when `--lines` met a line that is not JSON. */
  readonly exitCode: 0 | 1
}

const redactAllLines = (text: string, { policy, input }: RedactOptions): RedactOutput => {
  const redact = lineRedactor(policy)
  const bad: Array<number> = []
  const ended = text.endsWith("\n")
  const lines = (ended ? text.slice(0, -1) : text).split("\n")
  const out = lines.map((line, index) => {
    const redacted = redact(line.endsWith("\r") ? line.slice(0, -1) : line)
    if (!redacted.json) bad.push(index + 1)
    return redacted.text
  })
  const name = input === "-" ? "stdin" : input
  const shown = bad.slice(0, 10).join(", ") + (bad.length > 10 ? ", …" : "")
  return {
    stdout: text === "" ? "" : `${out.join("\n")}\n`,
    stderr:
      bad.length === 0 ? "" : `${name}: not JSON, redacted as text: ${bad.length === 1 ? "line" : "lines"} ${shown}\n`,
    exitCode: bad.length === 0 ? 0 : 1
  }
}

/** Does `lint-ai redact [FILE|-]` on text that was read already: a report, its JSON, or redacted lines. */
export const redactCommand = Effect.fnUntraced(function* (text: string, options: RedactOptions) {
  return yield* Effect.sync((): RedactOutput => {
    if (options.lines) return redactAllLines(text, options)
    const report = inspectText(text, options.input, options.policy)
    return { stdout: options.json ? `${reportJson(report)}\n` : renderReport(report), stderr: "", exitCode: 0 }
  })
})
