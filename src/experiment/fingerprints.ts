import type { Variable } from "../domain/experiment.ts"
import type { CellFingerprint, CellScore } from "./cell.ts"
import type { ArmFingerprint, FingerprintDifference } from "./report.ts"

type Field = FingerprintDifference["field"]

const titles: Readonly<Record<Field, string>> = {
  agent_version: "version of the agent",
  models: "model",
  revision: "revision of the project",
  settings: "settings",
  permissions: "permissions",
  lint_ai_version: "version of lint-ai",
  redaction: "redaction policy"
}

/** What the arms really ran on, each value once, in the order in which they came up. */
export const fingerprintsOf = (
  arms: ReadonlyArray<string>,
  scores: ReadonlyArray<CellScore>
): ReadonlyArray<ArmFingerprint> =>
  arms.map((arm) => {
    const seen = (text: (fingerprint: CellFingerprint) => string) => [
      ...new Set(scores.filter((score) => score.arm === arm).map((score) => text(score.fingerprint)))
    ]
    return {
      arm,
      agent_version: seen((print) => print.agent_version),
      models: seen((print) => [...print.models].sort().join(", ") || "not observed"),
      revision: seen((print) => print.revision ?? "not observed"),
      settings: seen((print) => print.settings),
      permissions: seen((print) => print.permissions.join(" ") || "none"),
      lint_ai_version: seen((print) => print.lint_ai_version),
      redaction: seen((print) => print.redaction ?? "not observed")
    }
  })

/** Settings hold what the arms are meant to differ in; what is left to compare there is whether an arm's own stay the same. */
const acrossArms: ReadonlyArray<Field> = [
  "agent_version",
  "models",
  "revision",
  "permissions",
  "lint_ai_version",
  "redaction"
]
const fields: ReadonlyArray<Field> = [...acrossArms, "settings"]

/** What a declared variable is expected to change. */
const declaredBy: Readonly<Partial<Record<Field, ReadonlyArray<Variable>>>> = {
  agent_version: ["provider"],
  models: ["provider", "model"],
  permissions: ["provider", "args"]
}

/**
 * Differences that nobody declared: a field that changed in the course of one arm, and one that arms do not share. `revisions` is how many revisions the
 * scenarios name: an arm that runs them all sees each.
 */
export const differencesBetween = (
  fingerprints: ReadonlyArray<ArmFingerprint>,
  variable: ReadonlyArray<Variable>,
  revisions: number
): ReadonlyArray<FingerprintDifference> => {
  const ran = fingerprints.filter(({ agent_version }) => agent_version.length > 0)
  const within = ran.flatMap((print) =>
    fields.flatMap((field): ReadonlyArray<FingerprintDifference> => {
      const allowed = field === "revision" ? revisions : 1
      if (print[field].length <= allowed) return []
      return [
        {
          field,
          within: print.arm,
          values: print[field].map((value) => ({ arm: print.arm, value })),
          words: `The ${titles[field]} of ${print.arm} changed in the course: ${print[field].map(short).join(", then ")}.`
        }
      ]
    })
  )
  const across = acrossArms.flatMap((field): ReadonlyArray<FingerprintDifference> => {
    if (declaredBy[field]?.some((name) => variable.includes(name)) === true) return []
    const values = ran.map((print) => ({ arm: print.arm, value: [...print[field]].sort().join(", ") }))
    if (new Set(values.map(({ value }) => value)).size < 2) return []
    return [
      {
        field,
        within: null,
        values,
        words: `The arms differ in the ${titles[field]}: ${values.map(({ arm, value }) => `${arm} has ${short(value)}`).join(", ")}.`
      }
    ]
  })
  return [...across, ...within]
}

/** Digests are told apart by their beginning. */
const short = (value: string): string => value.replace(/\b([0-9a-f]{12})[0-9a-f]{20,}\b/g, "$1")
