import * as Schema from "effect/Schema"
import type { Metric } from "../domain/experiment.ts"
import { Evaluation } from "../domain/scenario.ts"
import { allTokens, type SessionMetrics } from "../replay/metrics.ts"

/** What a cell really ran on, as it was seen and not as it was asked for. */
export const CellFingerprint = Schema.Struct({
  agent_version: Schema.String,
  models: Schema.Array(Schema.String),
  revision: Schema.NullOr(Schema.String),
  /** SHA-256 over the settings that its place was given. */
  settings: Schema.String,
  /** Arguments of the agent's program, and the permission modes that it reported. */
  permissions: Schema.Array(Schema.String),
  lint_ai_version: Schema.String,
  redaction: Schema.NullOr(Schema.String)
})
export type CellFingerprint = typeof CellFingerprint.Type

/** What a completed cell found: one file below `results`, written once. */
export const CellScore = Schema.Struct({
  schema_version: Schema.Literal(1),
  cell: Schema.String,
  scenario: Schema.String,
  arm: Schema.String,
  repetition: Schema.Natural,
  attempt: Schema.Natural,
  /** The scored session. */
  session_id: Schema.String,
  directory: Schema.String,
  /** The session of the setup messages; null where there are none. */
  setup: Schema.NullOr(Schema.Struct({ session_id: Schema.String, directory: Schema.String })),
  evaluation: Evaluation,
  /** By metric; null was not observed. */
  values: Schema.Record(Schema.String, Schema.NullOr(Schema.Finite)),
  recording_complete: Schema.Boolean,
  fingerprint: CellFingerprint,
  /** What the person should know of the place. */
  notes: Schema.Array(Schema.String)
})
export type CellScore = typeof CellScore.Type

/** The metrics of a session that arms are compared by; quality is the evaluation's. */
export const valuesOf = (
  metrics: SessionMetrics,
  costUsd: number | undefined
): Readonly<Record<Exclude<Metric, "quality">, number | null>> => ({
  working_ms: metrics.working_ms,
  duration_ms: metrics.duration_ms,
  first_response_ms: metrics.first_response_ms,
  input_tokens: metrics.tokens?.input_tokens ?? null,
  output_tokens: metrics.tokens?.output_tokens ?? null,
  total_tokens: allTokens(metrics.tokens),
  cost_usd: metrics.cost_usd ?? costUsd ?? null,
  turns: metrics.model_turns ?? metrics.turns,
  tool_calls: metrics.tool_calls,
  tool_errors: metrics.tool_errors,
  repeated_exploration: metrics.repeated_exploration,
  injected_bytes: metrics.injected_bytes
})
