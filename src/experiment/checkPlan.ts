import * as Effect from "effect/Effect"
import { counted } from "../domain/counted.ts"
import { countMemories, remembersSession } from "../replay/memorySeed.ts"
import { expectsNothing } from "../scenario/expectsNothing.ts"
import { metricsOf } from "./analyze.ts"
import { ArmWithoutMemory } from "./errors.ts"
import { checkRoot, type OpenedExperiment } from "./openExperiment.ts"
import { alpha, detectableRateDifference } from "./statistics/detectable.ts"
import { leastPairs } from "./statistics/pairedBootstrap.ts"

/** What a person should know before the money is spent, as sentences. Fails where the root cannot be one, and where an arm has nothing to find. */
export const checkPlan = Effect.fnUntraced(function* (opened: OpenedExperiment, root: string) {
  yield* checkRoot(
    root,
    opened.tasks.map(({ source }) => source.projectRoot)
  )
  const { arms, experiment, tasks } = opened
  for (const { lint_ai, memory, name, provider } of arms.all) {
    if (!lint_ai || memory.from === "empty") continue
    for (const projectRoot of new Set(tasks.map(({ source }) => source.projectRoot))) {
      if ((yield* countMemories(memory, provider, projectRoot)) > 0) continue
      const directory = memory.from === "named" ? memory.directory : projectRoot
      return yield* new ArmWithoutMemory({ arm: name, directory })
    }
  }
  const pairs = tasks.length * experiment.repetitions
  const tests =
    metricsOf(experiment.metrics).length * Math.max(1, arms.all.length - 1 - (arms.lane === undefined ? 0 : 1))
  const least = detectableRateDifference(pairs, 0, alpha / tests)
  const cautions: Array<string> = []
  if (least === undefined) {
    cautions.push(
      `${counted(pairs, "pair")} cannot show a difference of quality of any size, with ${counted(tests, "test")}. Add scenarios or repetitions.`
    )
  } else if (pairs < leastPairs) {
    cautions.push(
      `${counted(pairs, "pair")}: at best a difference of quality of ${Math.ceil(least * 100)} points shows 80 times in 100, and there are no intervals, which take ${leastPairs} pairs.`
    )
  }
  for (const arm of arms.all) {
    if (!arm.lint_ai) continue
    for (const { scenario, source } of tasks) {
      const session = scenario.source_session?.session_id
      if (session === undefined) continue
      if (!(yield* remembersSession(arm.memory, arm.provider, source.projectRoot, session))) continue
      cautions.push(
        `${arm.name} begins with memories of ${session}, of which ${scenario.id} is made: it may be given the answer. "as_of" in "memory", the time at which that session began, leaves them out.`
      )
    }
  }
  const idle = tasks.filter(({ scenario }) => expectsNothing(scenario)).map(({ scenario }) => scenario.id)
  if (idle.length > 0) {
    cautions.push(
      `${idle.join(", ")} ${idle.length === 1 ? "has" : "have"} no facts and no validators: every arm passes that keeps the limits, so quality tells nothing.`
    )
  }
  const forgetful = arms.all.filter(({ lint_ai, memory }) => lint_ai && memory.from === "empty")
  const bare = tasks.filter(({ scenario }) => scenario.setup_messages.length === 0)
  if (forgetful.length > 0 && bare.length > 0) {
    const arms = `${forgetful.map(({ name }) => name).join(", ")} ${forgetful.length === 1 ? "begins" : "begin"}`
    const scenarios = `${bare.map(({ scenario }) => scenario.id).join(", ")} ${bare.length === 1 ? "has" : "have"}`
    cautions.push(
      `${arms} with an empty memory, and ${scenarios} no setup messages: there is nothing to find, so nothing is measured.`
    )
  }
  return cautions
})
