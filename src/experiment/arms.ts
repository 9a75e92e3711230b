import * as Effect from "effect/Effect"
import type { Arm, ArmMemory, ArmProfile } from "../domain/arm.ts"
import { type Experiment, type PresetArm, type Variable, variables } from "../domain/experiment.ts"
import { ArmsDiffer, ExperimentInvalid } from "./errors.ts"

/** The arms of an experiment with nothing left to be filled in. */
export interface Arms {
  /** In the order of the file; the A/A lane last. */
  readonly all: ReadonlyArray<Arm>
  readonly baseline: Arm
  /** The baseline under another name. */
  readonly lane: Arm | undefined
}

/** What an arm is when it says no more than its preset. */
const presets = {
  native: { lint_ai: false, native_memory: true },
  "lint-ai": { lint_ai: true, native_memory: false },
  both: { lint_ai: true, native_memory: true }
} as const

/**
 * Fills in the arms of an experiment and holds them against each other: in all that `variable` does not declare they must be equal.
 *
 * Fails with `ExperimentInvalid` for arms that cannot be, and with `ArmsDiffer` for a difference that is not declared.
 */
export const resolveArms = Effect.fnUntraced(function* (experiment: Experiment, file: string) {
  const problems: Array<string> = []
  const arms = experiment.arms.map((arm, at) => {
    if (!("preset" in arm)) return arm
    const memory = arm.memory ?? experiment.memory
    if (memory === undefined)
      problems.push(`arms[${at}]: neither the arm nor the experiment says which memory it begins with`)
    return fromPreset(arm, experiment.profile ?? "hooks-common", memory ?? { from: "empty" })
  })
  const names = arms.map(({ name }) => name)
  for (const name of new Set(names.filter((name, at) => names.indexOf(name) !== at))) {
    problems.push(`arms: two are named "${name}"`)
  }
  const baseline = arms.find(({ name }) => name === (experiment.baseline ?? names[0]))
  if (baseline === undefined) {
    problems.push(`baseline: no arm is named "${experiment.baseline}"; there are ${names.join(", ")}`)
  }
  if (arms.length < 2 && experiment.aa_lane !== true) {
    problems.push("arms: one alone compares with nothing; add another, or set aa_lane")
  }
  const lane =
    baseline !== undefined && experiment.aa_lane === true
      ? { ...baseline, name: laneName(baseline.name, names) }
      : undefined
  if (problems.length > 0 || baseline === undefined) return yield* new ExperimentInvalid({ file, problems })
  const undeclared = differencesOf(arms).filter(({ field }) => !experiment.variable.includes(field))
  if (undeclared.length > 0) {
    return yield* new ArmsDiffer({
      differences: undeclared.map(({ words }) => words),
      fields: [...experiment.variable, ...undeclared.map(({ field }) => field)]
    })
  }
  return { all: lane === undefined ? arms : [...arms, lane], baseline, lane } satisfies Arms
})

const fromPreset = (arm: PresetArm, profile: ArmProfile, memory: ArmMemory): Arm => ({
  name: arm.name ?? arm.preset,
  provider: arm.provider,
  ...(arm.model === undefined ? undefined : { model: arm.model }),
  ...presets[arm.preset],
  instruction_files: arm.instruction_files ?? true,
  memory: arm.memory ?? memory,
  profile: arm.profile ?? profile,
  args: arm.args ?? []
})

const laneName = (baseline: string, names: ReadonlyArray<string>): string => {
  const stem = baseline.slice(0, 34)
  for (let at = 0; ; at++) {
    const name = at === 0 ? `${stem}-again` : `${stem.slice(0, 30)}-again-${at + 1}`
    if (!names.includes(name)) return name
  }
}

/** The fields in which arms are not all equal, each with a clause that says how. */
const differencesOf = (arms: ReadonlyArray<Arm>): ReadonlyArray<{ readonly field: Variable; readonly words: string }> =>
  variables.flatMap((field) => {
    const values = arms.map((arm) => ({ name: arm.name, text: textOf(arm[field]) }))
    if (new Set(values.map(({ text }) => text)).size < 2) return []
    return [{ field, words: `${field} is ${values.map(({ name, text }) => `${text} in ${name}`).join(" and ")}` }]
  })

const textOf = (value: unknown): string => {
  if (value === undefined) return "not set"
  if (typeof value === "boolean") return value ? "on" : "off"
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(" ")
  return JSON.stringify(value)
}
