import { seededRandom, shuffled } from "./statistics/seededRandom.ts"

/** One run of one arm on one scenario. */
export interface Cell {
  /** `scenario/arm/repetition`. */
  readonly id: string
  readonly scenario: string
  readonly arm: string
  /** From 1. */
  readonly repetition: number
}

export const cellId = (scenario: string, arm: string, repetition: number): string => `${scenario}/${arm}/${repetition}`

/**
 * All cells in the order in which they run.
 *
 * Repetitions are the outer rounds, so that what drifts with time (a service, a machine) is shared by all scenarios. Within a round each scenario is
 * a block that holds every arm once. `abba`: arms forward in one block and backward in the next, so that none is always first. `random`: the arms of a
 * block and the blocks of a round are shuffled.
 */
export const schedule = (design: {
  readonly scenarios: ReadonlyArray<string>
  readonly arms: ReadonlyArray<string>
  readonly repetitions: number
  readonly order: "abba" | "random"
  readonly seed: number
}): ReadonlyArray<Cell> => {
  const random = seededRandom(design.seed, "schedule")
  const cells: Array<Cell> = []
  for (let repetition = 1; repetition <= design.repetitions; repetition++) {
    const scenarios = design.order === "random" ? shuffled(design.scenarios, random) : design.scenarios
    for (const scenario of scenarios) {
      const turn = (repetition + design.scenarios.indexOf(scenario)) % 2
      const arms =
        design.order === "random"
          ? shuffled(design.arms, random)
          : turn === 1
            ? design.arms
            : [...design.arms].reverse()
      for (const arm of arms) cells.push({ id: cellId(scenario, arm, repetition), scenario, arm, repetition })
    }
  }
  return cells
}
