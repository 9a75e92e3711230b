import type { Styles } from "../render/text.ts"
import { plain } from "../render/text.ts"

/** One thing that the doctor looked at. A check that is not `ok` has a remedy: what to type or do next. */
export interface Check {
  readonly name: string
  /** `note`: nothing is wrong, but worth knowing. `warn`: something works less well. `fail`: something does not work. */
  readonly state: "ok" | "note" | "warn" | "fail"
  readonly found: string
  readonly remedy?: string
}

export const ok = (name: string, found: string): Check => ({ name, state: "ok", found })
export const noted = (name: string, found: string, remedy?: string): Check => ({
  name,
  state: "note",
  found,
  ...(remedy === undefined ? undefined : { remedy })
})
export const warn = (name: string, found: string, remedy: string): Check => ({ name, state: "warn", found, remedy })
export const fail = (name: string, found: string, remedy: string): Check => ({ name, state: "fail", found, remedy })

/** One line a check, and one below it for the remedy. */
export const renderChecks = (checks: ReadonlyArray<Check>, style: Styles): string => {
  const marks = {
    ok: style.green("ok  "),
    note: style.cyan("note"),
    warn: style.yellow("warn"),
    fail: style.red("FAIL")
  }
  const troubles = checks.filter((check) => check.state === "fail" || check.state === "warn").length
  return [
    ...checks.flatMap((check) => [
      `${marks[check.state]}  ${check.name}: ${plain(check.found)}`,
      ...(check.remedy === undefined ? [] : [`      ${style.dim("→")} ${plain(check.remedy)}`])
    ]),
    "",
    troubles === 0 ? "Nothing to mend." : `${troubles} to mend.`,
    ""
  ].join("\n")
}
