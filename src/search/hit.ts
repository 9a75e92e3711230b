import * as Schema from "effect/Schema"
import { eventKinds } from "../domain/event.ts"
import { Provider } from "../domain/provider.ts"
import { Excerpt } from "./excerpt.ts"

/** What is told of an event that was found, in the terminal and in the page. */
export const hitFields = {
  session_id: Schema.String,
  provider: Provider,
  /** Null while the event waits in the spool. */
  sequence: Schema.NullOr(Schema.Natural),
  timestamp: Schema.String,
  kind: Schema.Literals(eventKinds),
  tool_name: Schema.NullOr(Schema.String),
  excerpt: Excerpt
} as const
