import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scenario } from "../../src/domain/scenario.ts"
import { reportOf } from "../../src/experiment/asRun.ts"
import { openExperiment } from "../../src/experiment/openExperiment.ts"
import { type RunOptions, runExperiment } from "../../src/experiment/runExperiment.ts"
import { Git } from "../../src/platform/Git.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"
import { type Acted, actedAgent, newStage, type Part, type Stage } from "./actedAgent.ts"

type Act = Parameters<typeof actedAgent>[1]

/** A user with a project, scenarios, and an experiment on them. */
export interface Laboratory {
  readonly user: TestUser
  readonly file: string
  readonly root: string
  readonly stage: Stage
}

export const scenario = (id: string, more: Partial<Scenario> = {}): Scenario => ({
  schema_version: 1,
  id,
  category: "decision-recall",
  setup_messages: [{ prompt: `Remember that ${id} listens on 6380.` }],
  continuation_prompt: `Where does ${id} listen?`,
  expected_facts: [{ id: "port", match_any: ["6380"] }],
  validators: [],
  limits: {},
  ...more
})

/** Two arms that differ in lint-ai, three scenarios, five repetitions. */
export const twoArms = {
  schema_version: 1,
  id: "ports",
  arms: [
    { preset: "native", provider: "claude" },
    { preset: "lint-ai", provider: "claude" }
  ],
  variable: ["lint_ai", "native_memory"],
  scenarios: ["scenarios/a.json", "scenarios/b.json", "scenarios/c.json"],
  repetitions: 5,
  memory: { from: "empty" }
}

export const writeJson = (file: string, value: unknown): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, JSON.stringify(value))
}

export const laboratory = (
  experiment: object = twoArms,
  scenarios: ReadonlyArray<Scenario> = ["a", "b", "c"].map((id) => scenario(id))
) =>
  Effect.map(newUser, (user): Laboratory => {
    const file = path.join(user.directory, "lab", "experiment.json")
    writeJson(file, experiment)
    for (const one of scenarios) writeJson(path.join(path.dirname(file), "scenarios", `${one.id}.json`), one)
    return { user, file, root: path.join(user.directory, "root"), stage: newStage() }
  })

/** Answers what it has been told before, where it can remember. */
export const remembers = ({ memory, prompts }: Part): Acted => {
  const asked = prompts.at(-1) ?? ""
  const said = memory.find((text) => text.includes("listens on"))
  return asked.startsWith("Remember")
    ? { answer: "Noted." }
    : { answer: said === undefined ? "I do not know." : `It ${said.slice(said.indexOf("listens"))}` }
}

export const layersOf = (
  { stage, user }: Laboratory,
  act: Act = remembers,
  versionOf?: Parameters<typeof actedAgent>[2]
) =>
  actedAgent(stage, act, versionOf).pipe(
    Layer.provideMerge(Layer.mergeAll(machineOf(user), NodeServices.layer)),
    Layer.provideMerge(Git.layerTest(undefined))
  )

/** Runs the experiment as the CLI does. */
export const runIn = (lab: Laboratory, act: Act = remembers, options: Partial<RunOptions> = {}) =>
  Effect.gen(function* () {
    const opened = yield* openExperiment(lab.file, lab.user.project)
    return yield* runExperiment(opened, {
      root: lab.root,
      parallelism: 1,
      keep: false,
      retryFailed: false,
      agreed: new Set(),
      began: () => Effect.void,
      ended: () => Effect.void,
      ...options
    })
  }).pipe(Effect.provide(layersOf(lab, act)))

export const reportIn = (lab: Laboratory) => reportOf(lab.root).pipe(Effect.provide(machineOf(lab.user)))
