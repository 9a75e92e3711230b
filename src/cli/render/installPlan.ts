import type { AppliedChange, InstallPlan } from "../../providers/ProviderInstaller.ts"
import { shortPath } from "./sessions.ts"
import { wrapWords } from "./table.ts"

/** A plan for programs. Never the bytes: settings may hold keys. */
export const planData = (plan: InstallPlan) => ({
  provider: plan.provider,
  action: plan.action,
  files: plan.files.map((file) => ({
    path: file.path,
    target: file.target,
    changes: file.changes,
    backup: file.backup ?? null
  })),
  notes: plan.notes
})

/** `add Stop` and `add SessionEnd` as one line: a plan has one change for each hook event. */
const grouped = (changes: ReadonlyArray<string>): ReadonlyArray<string> => {
  const groups = new Map<string, Array<string>>()
  for (const change of changes) {
    const [, verb, event] = /^(\w+|correct the command of) ([A-Z]\w+)$/.exec(change) ?? []
    const key = verb === undefined ? change : verb.includes(" ") ? "correct the commands of" : `${verb} the hooks`
    groups.set(key, [...(groups.get(key) ?? []), ...(event === undefined ? [] : [event])])
  }
  return [...groups].map(([key, events]) => (events.length === 0 ? key : `${key} ${events.join(", ")}`))
}

/** A plan for a person: each file with what is changed in it, then the notes. */
export const renderPlan = (plan: InstallPlan, base: string, columns: number): string =>
  [
    ...plan.files.flatMap((file) => [
      shortPath(file.path, base),
      ...grouped(file.changes).flatMap((change) =>
        wrapWords(change, columns - 4).map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`))
      )
    ]),
    ...plan.notes.map((text) => `Note: ${text}`),
    ""
  ].join("\n")

/** What has been written, and where the copies are. */
export const appliedLines = (applied: ReadonlyArray<AppliedChange>, base: string): ReadonlyArray<string> =>
  applied.flatMap((file) => [
    `${capital(file.outcome)} ${shortPath(file.path, base)}`,
    ...(file.backup === undefined ? [] : [`  copy of what was there: ${file.backup}`])
  ])

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
