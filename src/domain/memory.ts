import * as Schema from "effect/Schema"
import { Provider } from "./provider.ts"

/**
 * What a memory is. `checkpoint`: where a session stood before its context was compacted. `outcome`: what one turn was asked and came to.
 * `session-summary`: the same of a whole session. `recorded-session`: a part of a recording that the user promoted. `fact`: one thing learnt, as
 * extraction gives it.
 */
export const MemoryKind = Schema.Literals(["checkpoint", "outcome", "session-summary", "recorded-session", "fact"])
export type MemoryKind = typeof MemoryKind.Type

/** One line of a memory segment, without its MAC. */
export const MemoryRecord = Schema.Struct({
  schema_version: Schema.Literal(1),
  id: Schema.NonEmptyString,
  kind: MemoryKind,
  provider: Provider,
  session_id: Schema.NonEmptyString,
  turn_id: Schema.optionalKey(Schema.String),
  /** Redacted; at most `mostTextBytes`. */
  text: Schema.String,
  /** Where it comes from: `lint-ai://<provider>/session/<id>/<place>`. */
  source: Schema.String,
  /** Sequences of the recorded events that it was made of. */
  events: Schema.optionalKey(Schema.Array(Schema.Natural)),
  /** Commit and branch of the work tree when it was made; null where there was none. */
  revision: Schema.NullOr(Schema.String),
  branch: Schema.NullOr(Schema.String),
  /** RFC 3339. */
  created: Schema.String,
  /** Ids of memories that this one takes the place of. */
  supersedes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** SHA-256 of the text. */
  content_hash: Schema.String,
  /** The user's key that the MAC is made with. */
  key_id: Schema.String
})
export type MemoryRecord = typeof MemoryRecord.Type

/** What is given to the store: a record without what only the store can know. */
export interface MemoryDraft {
  readonly kind: MemoryKind
  /** With the provider in front: `claude:<id>`. */
  readonly sessionId: string
  readonly turnId?: string | undefined
  readonly text: string
  /** The last part of the source link: `events/3-17`, `turn/<id>`. */
  readonly place: string
  /**
   * What makes two drafts the same memory, with the provider and the session, and with the text as it is stored where it is not of recorded events.
   * Its digest is stored: nothing in it may be secret.
   */
  readonly identity: ReadonlyArray<string>
  readonly events?: ReadonlyArray<number> | undefined
  readonly revision: string | null
  readonly branch: string | null
  /** RFC 3339; now, when absent. */
  readonly created?: string | undefined
  readonly supersedes?: ReadonlyArray<string> | undefined
}

/** Bytes of text that one memory holds at most. */
export const mostTextBytes = 8 * 1024

/**
 * How the commit that a memory was made at stands to the one that is checked out. `exact`: the same. `ancestor`: ours has it in its history.
 * `diverged`: it has not. `unknown`: nobody has looked.
 */
export const RevisionStatus = Schema.Literals(["exact", "ancestor", "diverged", "unknown"])
export type RevisionStatus = typeof RevisionStatus.Type
