import * as Schema from "effect/Schema"
import { Arm, ArmMemory, ArmProfile } from "./arm.ts"
import { Provider } from "./provider.ts"
import { Limits } from "./scenario.ts"

const said = (description: string) => ({ description })

const Id = Schema.String.pipe(Schema.check(Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,119}$/u)))
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
  preset: ArmPreset.annotate(
    said("native: the agent's own memory. lint-ai: lint-ai, with the agent's own memory off. both: both.")
  ),
  provider: Provider,
  name: Schema.optionalKey(Arm.fields.name.annotate(said("The preset's when absent."))),
  model: Schema.optionalKey(Schema.NonEmptyString.annotate(said("The agent's own choice when absent."))),
  instruction_files: Schema.optionalKey(
    Schema.Boolean.annotate(
      said("Whether CLAUDE.md, AGENTS.md or GEMINI.md of the project are read; true when absent.")
    )
  ),
  memory: Schema.optionalKey(ArmMemory),
  profile: Schema.optionalKey(ArmProfile),
  args: Schema.optionalKey(
    Schema.Array(Schema.String).annotate(said("Arguments for the agent's program: permissions and the like."))
  )
})
export type PresetArm = typeof PresetArm.Type

/** What is compared. */
export const ComparedMetrics = Schema.Struct({
  primary: Metric.annotate(said("Chosen before anything runs; the report begins with it.")),
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
  arms: Schema.NonEmptyArray(Schema.Union([PresetArm, Arm])).annotate(
    said("By a preset, or with every field. Their names differ.")
  ),
  baseline: Schema.optionalKey(
    Schema.String.annotate(said("Name of the arm that the others are compared with; the first when absent."))
  ),
  variable: Schema.Array(Variable).annotate(
    said("Fields in which the arms are meant to differ. Any other difference stops the run.")
  ),
  scenarios: Schema.NonEmptyArray(Schema.NonEmptyString).annotate(said("Scenario files, from the experiment's file.")),
  repetitions: within(1, 1000).annotate(said("How often each arm does each scenario.")),
  order: Schema.optionalKey(
    Schema.Literals(["abba", "random"]).annotate(
      said("abba: arms forward, then backward, in turns; when absent. random: shuffled in each round.")
    )
  ),
  seed: Schema.optionalKey(Schema.Natural.annotate(said("Of the schedule and of the statistics; 1 when absent."))),
  parallelism: Schema.optionalKey(within(1, 32).annotate(said("Cells that run at the same time; 1 when absent."))),
  profile: Schema.optionalKey(ArmProfile.annotate(said("For arms that name none; hooks-common when absent."))),
  memory: Schema.optionalKey(
    ArmMemory.annotate(
      said(
        "The memory of lint-ai that every arm begins with, for arms that name none. Setup messages of a scenario add to it. Directories are named from the experiment's file."
      )
    )
  ),
  aa_lane: Schema.optionalKey(
    Schema.Boolean.annotate(said("Runs the baseline a second time beside itself, to show how much differs by chance."))
  ),
  limits: Schema.optionalKey(Limits.annotate(said("For limits that a scenario does not set."))),
  metrics: Schema.optionalKey(
    ComparedMetrics.annotate(said("quality, and beside it working time, tokens and cost, when absent."))
  ),
  repository: Schema.optionalKey(
    Schema.Struct({
      path: Schema.NonEmptyString.annotate(said("The project of the scenarios, from the experiment's file.")),
      revision: Schema.optionalKey(
        Schema.NonEmptyString.annotate(said("For scenarios that name none; HEAD of the first run when absent."))
      )
    }).annotate(said("The project around the working directory when absent."))
  )
})
export type Experiment = typeof Experiment.Type
