import * as Schema from "effect/Schema"
import { ReadableProvider } from "./provider.ts"
import { SessionId } from "./sessionId.ts"
import { Timestamp } from "./timestamp.ts"
import { Tokens, Usage, UsageSource } from "./usage.ts"

/** Who wrote a prompt. Replays send only what came from the user. */
export const PromptOrigin = Schema.Literals(["user", "task-notification", "expansion", "subagent", "retry", "injected"])
export type PromptOrigin = typeof PromptOrigin.Type

/** Why a tool call has no result. */
export const ToolOutcome = Schema.Literals(["failed", "denied", "invalid", "interrupted"])
export type ToolOutcome = typeof ToolOutcome.Type

const text = Schema.optionalKey(Schema.String)
const integer = Schema.optionalKey(Schema.Natural)
const anything = Schema.optionalKey(Schema.Unknown)

/** The tokens of one model message, as a transcript tells them. */
export const MessageUsage = Schema.Struct({
  message_id: Schema.String,
  model: text,
  time: text,
  /** Set when a subagent sent it. */
  agent_id: text,
  stop_reason: text,
  ...Tokens.fields
})
export type MessageUsage = typeof MessageUsage.Type

/**
 * How far a transcript has been read: the next reading begins there. `more`: that reading ended before the file did, because of its bound or its deadline. Where
 * it stays the last one, the usage of the session is short of what the file holds.
 */
export const TranscriptCursor = Schema.Struct({
  file: Schema.String,
  offset: Schema.Natural,
  more: Schema.optionalKey(Schema.Literal(true))
})
export type TranscriptCursor = typeof TranscriptCursor.Type

/**
 * The payload of each kind. What is not optional here is never dropped when an event is over its bound. Fields that a later version adds
 * stay readable: a reader ignores what it does not know.
 */
export const payloads = {
  session_start: Schema.Struct({
    source: text,
    model: text,
    permission_mode: text,
    /** Version of the agent, where neither its hooks nor their environment tell it and its transcript does. */
    agent_version: text,
    config_hash: text
  }),
  session_end: Schema.Struct({ reason: text }),
  user_prompt: Schema.Struct({
    text: Schema.String,
    origin: PromptOrigin,
    permission_mode: text,
    command_name: text,
    command_args: text
  }),
  assistant_message: Schema.Struct({ text: Schema.String, final: Schema.Boolean, stop_reason: text, error: text }),
  tool_call: Schema.Struct({ tool_name: Schema.String, input: anything }),
  tool_result: Schema.Struct({ tool_name: Schema.String, input: anything, response: anything, duration_ms: integer }),
  tool_error: Schema.Struct({
    tool_name: Schema.String,
    outcome: ToolOutcome,
    input: anything,
    error: anything,
    duration_ms: integer
  }),
  compaction: Schema.Struct({
    phase: Schema.Literals(["before", "after"]),
    trigger: text,
    summary: text,
    instructions: text
  }),
  subagent_start: Schema.Struct({ agent_type: text, text }),
  subagent_stop: Schema.Struct({ agent_type: text, text }),
  turn_usage: Schema.Struct({
    source: UsageSource,
    messages: Schema.Array(MessageUsage),
    cursors: Schema.optionalKey(Schema.Array(TranscriptCursor))
  }),
  context_injected: Schema.Struct({
    record_ids: Schema.Array(Schema.String),
    bytes: Schema.Natural,
    milliseconds: Schema.Finite
  }),
  provider_event: Schema.Struct({ name: Schema.String, fields: anything })
} as const

export type EventKind = keyof typeof payloads
export const eventKinds = Object.keys(payloads) as ReadonlyArray<EventKind>
export type Payload<K extends EventKind> = (typeof payloads)[K]["Type"]

/** The provider's own ids, by name: tool_use_id, agent_id, prompt_id, thread_id, rollout, request_id, ... */
export const ProviderIds = Schema.Record(Schema.String, Schema.String)
export type ProviderIds = typeof ProviderIds.Type

const envelope = {
  schema_version: Schema.Literal(1),
  /** 1 for the first event of the archive, then without a gap. */
  sequence: Schema.Natural,
  event_id: Schema.NonEmptyString,
  timestamp: Timestamp,
  provider: ReadableProvider,
  session_id: SessionId,
  turn_id: text,
  provider_ids: Schema.optionalKey(ProviderIds),
  usage: Schema.optionalKey(Usage),
  /** Paths at which something was redacted; the rule is in the marker. */
  redactions: Schema.Array(Schema.String),
  /** Paths at which something was cut, and how many bytes (strings) or items (arrays) went. */
  truncated: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.Natural }))),
  /** Fields dropped because the event was over its bound. */
  omitted: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Absent in archives of older recorders. */
  chain_hash: text
}

const eventOf = <K extends EventKind>(kind: K) =>
  Schema.Struct({ ...envelope, kind: Schema.tag(kind), payload: payloads[kind] })

/** One line of events.jsonl. */
export const ArchivedEvent = Schema.Union([
  eventOf("session_start"),
  eventOf("session_end"),
  eventOf("user_prompt"),
  eventOf("assistant_message"),
  eventOf("tool_call"),
  eventOf("tool_result"),
  eventOf("tool_error"),
  eventOf("compaction"),
  eventOf("subagent_start"),
  eventOf("subagent_stop"),
  eventOf("turn_usage"),
  eventOf("context_injected"),
  eventOf("provider_event")
]).pipe(Schema.toTaggedUnion("kind"))
export type ArchivedEvent = typeof ArchivedEvent.Type

/**
 * How long an identity holds; for the whole archive when absent.
 *
 * `run`: within one run of the session, because every run sends the same again: the same payload is new after a session_end. `recent`: among the
 * last few events, for a payload without ids: the same again right away is a redelivery, later it is another event.
 */
export const IdentityScope = Schema.Literals(["run", "recent"])
export type IdentityScope = typeof IdentityScope.Type

/** What an adapter makes of a hook delivery: an event without what only the recorder and the archive can know. */
export type DraftEvent = {
  [K in EventKind]: {
    readonly kind: K
    readonly payload: Payload<K>
    /**
     * What makes two deliveries the same event: the provider's own ids with a word for what they name (a call and its end share a tool_use_id),
     * or the whole payload where there are none. The session id is added by the archive, which keeps a digest of it all.
     */
    readonly identity: ReadonlyArray<string>
    readonly scope?: IdentityScope
    readonly turnId?: string
    readonly providerIds?: ProviderIds
    /**
     * What a tool call is where the agent gives it no id: its beginning and its end have the same. The archive keeps a keyed digest of it as
     * `tool_use_id`, because it may hold secrets.
     */
    readonly call?: string
    readonly usage?: Usage
    /** The provider's own time of the event, where it has one. */
    readonly timestamp?: string
  }
}[EventKind]
