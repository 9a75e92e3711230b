import type { Tokens, UsageSource } from "../domain/usage.ts"

/**
 * What one session cost and did, read from its archive. A value that was not observed is null, never 0. Milliseconds, bytes, US dollars and tokens.
 * Recording, retrieval and MCP time stand apart, so that the recorder's own cost is not taken for the agent's.
 */
export interface SessionMetrics {
  readonly session_id: string
  readonly directory: string
  readonly provider: string
  readonly provider_version: string | null
  readonly models: ReadonlyArray<string>
  readonly arm: string | null
  readonly repository_revision: string | null
  readonly outcome: "completed" | "failed" | "incomplete" | "active"
  readonly exit_code: number | null
  readonly duration_ms: number | null
  /** From the first prompt to the first answer or tool call. */
  readonly first_response_ms: number | null
  readonly tokens: Tokens | null
  readonly usage_source: UsageSource | null
  readonly cost_usd: number | null
  readonly turns: number
  readonly tool_calls: number
  readonly tool_errors: number
  /** Reads and searches that repeat an earlier one of the session, word for word. */
  readonly repeated_exploration: number
  readonly injected_bytes: number | null
  readonly memories_used: ReadonlyArray<string>
  readonly event_count: number
  readonly redaction_count: number
  readonly truncation_count: number
  /** Whether the recording has its start, its end, no gap and no damage. */
  readonly recording_complete: boolean
  readonly recording_ms: number | null
  readonly retrieval_ms: number | null
  readonly mcp_ms: number | null
}
