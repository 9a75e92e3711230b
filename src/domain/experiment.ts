import * as Schema from "effect/Schema"
import { Arm, ArmMemory, ArmProfile } from "./arm.ts"
import { Provider } from "./provider.ts"
import { Limits } from "./scenario.ts"

const Id = Schema.String.pipe(Schema.check(Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,119}$/)))
const within = (least: number, most: number) =>
  Schema.Finite.pipe(Schema.check(Schema.isInt(), Schema.isBetween({ minimum: least, maximum: most })))

/**
 * What two arms are compared by. `quality` is the verdict of the scenario; the others are read from the archive of the scored session, in the units
 * of `SessionMetrics`.
 */
export const Metric = Schema.Literals([
  "quality",
  "working_ms",
  "duration_ms",
  "first_response_ms",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cost_usd",
  "turns",
  "tool_calls",
  "tool_errors",
  "repeated_exploration",
  "injected_bytes"
])
export type Metric = typeof Metric.Type

/** Fields in which arms may be declared to differ. What is not declared must be equal. */
export const Variable = Schema.Literals([
  "provider",
  "model",
  "lint_ai",
  "native_memory",
  "instruction_files",
  "memory",
  "profile",
  "args"
])
export type Variable = typeof Variable.Type
export const variables: ReadonlyArray<Variable> = Variable.literals

/** `native`: the agent's own memory. `lint-ai`: lint-ai, with the agent's own memory off. `both`: both. */
export const ArmPreset = Schema.Literals(["native", "lint-ai", "both"])
export type ArmPreset = typeof ArmPreset.Type

/** An arm by its preset; the rest is taken from the experiment. Its name is the preset's unless it has one. */
export const PresetArm = Schema.Struct({
  preset: ArmPreset,
  provider: Provider,
  name: Schema.optionalKey(Arm.fields.name),
  model: Schema.optionalKey(Schema.NonEmptyString),
  instruction_files: Schema.optionalKey(Schema.Boolean),
  memory: Schema.optionalKey(ArmMemory),
  profile: Schema.optionalKey(ArmProfile),
  args: Schema.optionalKey(Schema.Array(Schema.String))
})
export type PresetArm = typeof PresetArm.Type

/** What is compared. The primary metric is chosen before anything runs, and decides what the report says first. */
export const ComparedMetrics = Schema.Struct({
  primary: Metric,
  others: Schema.optionalKey(Schema.Array(Metric))
})
export type ComparedMetrics = typeof ComparedMetrics.Type

/**
 * An experiment: scenarios x arms x repetitions. Paths are relative to the file. Prompts, revision, model and permissions are the same in all arms but
 * for what `variable` declares.
 */
export const Experiment = Schema.Struct({
  schema_version: Schema.Literal(1),
  id: Id,
  description: Schema.optionalKey(Schema.String),
  arms: Schema.NonEmptyArray(Schema.Union([PresetArm, Arm])),
  /** The arm that the others are compared with; else the first. */
  baseline: Schema.optionalKey(Schema.String),
  /** Fields in which the arms are meant to differ. */
  variable: Schema.Array(Variable),
  /** Scenario files. */
  scenarios: Schema.NonEmptyArray(Schema.NonEmptyString),
  repetitions: within(1, 1000),
  /** `abba` (the default): arms forward, then backward, in turns. `random`: shuffled in each round. */
  order: Schema.optionalKey(Schema.Literals(["abba", "random"])),
  /** Of the schedule and of the statistics; 1 when absent. */
  seed: Schema.optionalKey(Schema.Natural),
  /** Cells that run at the same time; 1 when absent. */
  parallelism: Schema.optionalKey(within(1, 32)),
  /** For arms that name none; `hooks-common` when absent. */
  profile: Schema.optionalKey(ArmProfile),
  /** The memory that every arm begins with, for arms that name none. Setup messages of a scenario add to it. */
  memory: Schema.optionalKey(ArmMemory),
  /** Runs the baseline arm a second time beside itself, to show how much differs by chance. */
  aa_lane: Schema.optionalKey(Schema.Boolean),
  /** For limits that a scenario does not set. */
  limits: Schema.optionalKey(Limits),
  /** `quality`, and beside it working time, tokens and cost, when absent. */
  metrics: Schema.optionalKey(ComparedMetrics),
  /** For scenarios that name no repository and come from no session. */
  repository: Schema.optionalKey(
    Schema.Struct({ path: Schema.NonEmptyString, revision: Schema.optionalKey(Schema.NonEmptyString) })
  )
})
export type Experiment = typeof Experiment.Type
