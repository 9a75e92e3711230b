import * as fs from "node:fs"
import * as path from "node:path"
import { Ajv } from "ajv"

const schema = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "../fixtures/atif-1.7.schema.json"), "utf8"))
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema)

export interface Trajectory {
  readonly trajectory_id?: string
  readonly session_id: string
  readonly steps: ReadonlyArray<TrajectoryStep>
  readonly final_metrics?: Readonly<Record<string, number>>
  readonly subagent_trajectories?: ReadonlyArray<Trajectory>
}
interface TrajectoryStep {
  readonly step_id: number
  readonly source: string
  readonly message: string
  readonly tool_calls?: ReadonlyArray<{ readonly tool_call_id: string; readonly function_name: string }>
  readonly observation?: {
    readonly results: ReadonlyArray<{
      readonly source_call_id?: string
      readonly content?: string
      readonly subagent_trajectory_ref?: ReadonlyArray<{
        readonly trajectory_id?: string
        readonly trajectory_path?: string
      }>
    }>
  }
  readonly metrics?: Readonly<Record<string, number>>
  readonly llm_call_count?: number
  readonly is_copied_context?: boolean
}

/** What is wrong with a trajectory: by the schema, and by the rules of ATIF v1.7 that go across fields. Empty when nothing is. */
export const problemsOf = (value: unknown): ReadonlyArray<string> => {
  if (!validate(value)) return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  return rulesBroken(value as Trajectory)
}

const agentOnly = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"]

const rulesBroken = (trajectory: Trajectory): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const subagents = trajectory.subagent_trajectories ?? []
  const ids = subagents.map((one) => one.trajectory_id)
  if (ids.includes(undefined) || new Set(ids).size < ids.length)
    problems.push("subagent trajectories need ids of their own")
  for (const [at, step] of trajectory.steps.entries()) {
    const say = (what: string) => problems.push(`step ${step.step_id}: ${what}`)
    if (step.step_id !== at + 1) say(`has the number ${step.step_id} and stands at ${at + 1}`)
    if (step.source !== "agent")
      for (const field of agentOnly) if (field in step) say(`${field} on a ${step.source} step`)
    const calls = (step.tool_calls ?? []).map((call) => call.tool_call_id)
    if (new Set(calls).size < calls.length) say("a tool call id is there twice")
    for (const result of step.observation?.results ?? []) {
      if (result.source_call_id !== undefined && !calls.includes(result.source_call_id)) {
        say(`a result answers ${result.source_call_id}, which it did not call`)
      }
      for (const ref of result.subagent_trajectory_ref ?? []) {
        if (ref.trajectory_path === undefined && !ids.includes(ref.trajectory_id))
          say(`${ref.trajectory_id} is not there`)
      }
    }
    if (step.llm_call_count === 0 && (step.metrics !== undefined || "reasoning_content" in step))
      say("metrics without a call")
    if ((step.metrics?.cached_tokens ?? 0) > (step.metrics?.prompt_tokens ?? Number.POSITIVE_INFINITY)) {
      say("more tokens were cached than prompted")
    }
  }
  const sums = [
    ["total_prompt_tokens", "prompt_tokens"],
    ["total_completion_tokens", "completion_tokens"],
    ["total_cached_tokens", "cached_tokens"]
  ] as const
  for (const [total, field] of sums) {
    const known = trajectory.steps.flatMap((step) => (step.metrics?.[field] === undefined ? [] : [step.metrics[field]]))
    const sum = known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0)
    if (trajectory.final_metrics?.[total] !== sum) problems.push(`${total} is not the sum of its steps`)
  }
  if (trajectory.final_metrics?.total_steps !== trajectory.steps.length) problems.push("total_steps is another number")
  return [
    ...problems,
    ...subagents.flatMap((one) => rulesBroken(one).map((problem) => `${one.trajectory_id}: ${problem}`))
  ]
}
