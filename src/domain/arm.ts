import * as Schema from "effect/Schema"
import { Provider } from "./provider.ts"

/**
 * Which ways into the agent an arm may use. `hooks-common`: only the hook events that all agents share, so that agents compare; `production`: what
 * `lint-ai install` registers; `mcp-only`: recording by hooks, memory by the MCP server alone.
 */
export const ArmProfile = Schema.Literals(["hooks-common", "production", "mcp-only"])
export type ArmProfile = typeof ArmProfile.Type

/**
 * The memory that an arm with lint-ai begins with. `project`: the project's, as it was when the baseline began; `named`: a copy of that directory;
 * `empty`: none, which must be asked for, since an enabled arm that can find nothing measures nothing.
 */
export const ArmMemory = Schema.Union([
  Schema.Struct({ from: Schema.Literal("project"), as_of: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ from: Schema.Literal("named"), directory: Schema.NonEmptyString }),
  Schema.Struct({ from: Schema.Literal("empty") })
])
export type ArmMemory = typeof ArmMemory.Type

/** One configuration of an agent in a replay or an experiment. What is not said is equal in all arms. */
export const Arm = Schema.Struct({
  name: Schema.String.pipe(Schema.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,39}$/u))),
  provider: Provider,
  model: Schema.optionalKey(Schema.NonEmptyString),
  /** Whether lint-ai retrieves and injects. Recording is on in every arm. */
  lint_ai: Schema.Boolean,
  /** Whether the agent's own memory is on. */
  native_memory: Schema.Boolean,
  /** Whether the instruction files of the project (CLAUDE.md, AGENTS.md, GEMINI.md) are read. */
  instruction_files: Schema.Boolean,
  memory: ArmMemory,
  profile: ArmProfile,
  /** Arguments for the agent's program: permissions and the like. */
  args: Schema.Array(Schema.String)
})
export type Arm = typeof Arm.Type
