import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ChainKey } from "../archive/chain.ts"
import { identityDigest, type PreparedEvent } from "../archive/preparedEvent.ts"
import type { DraftEvent, EventKind, ProviderIds } from "../domain/event.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { cutUtf8 } from "../redaction/bound.ts"
import { type Redaction, Redactor } from "../redaction/Redactor.ts"
import { boundPayload } from "./boundEvent.ts"

/** What stands for content that the redactor could not look at. */
export const withheld = "[REDACTED:withheld]"

/**
 * Redacts a payload field by field: the names of its fields are ours, and stay whatever the redactor does.
 */
const redactPayload = Effect.fnUntraced(function* (draft: DraftEvent) {
  const redactor = yield* Redactor
  const value: Record<string, unknown> = {}
  const paths: Array<string> = []
  for (const [field, content] of Object.entries(draft.payload)) {
    const path = `payload.${field}`
    if (
      structural[draft.kind]?.includes(field) === true ||
      typeof content === "boolean" ||
      typeof content === "number"
    ) {
      value[field] = content
      continue
    }
    const redaction = yield* redactor
      .redact(content, path)
      .pipe(Effect.catchCause(() => Effect.succeed(withhold(content, path))))
    value[field] = redaction.value
    paths.push(...redaction.paths)
  }
  return { value, paths }
})

/** Content withheld: a list stays a list, so that the event keeps the shape of its kind. */
const withhold = (content: unknown, path: string): Pick<Redaction, "value" | "paths"> => ({
  value: Array.isArray(content) ? [] : withheld,
  paths: [path]
})

/**
 * Fields that decide what an event is, or that our own readers count by: they hold words of our tables and the provider's ids, not the text of
 * anybody. Two message ids behind one marker would be one message.
 */
const structural: { readonly [K in EventKind]?: ReadonlyArray<string> } = {
  user_prompt: ["origin"],
  tool_error: ["outcome"],
  compaction: ["phase"],
  turn_usage: ["source", "messages", "cursors"],
  context_injected: ["record_ids"]
}

/**
 * Makes a draft ready to be stored: redacts it, bounds it, replaces its identity by a keyed digest. In this order: what is cut first could hide
 * half of a secret from the redactor. Never fails: content that cannot be redacted is withheld.
 */
export const prepare = Effect.fnUntraced(function* (draft: DraftEvent, key: ChainKey) {
  const redacted = yield* redactPayload(draft)
  const { value } = redacted
  let markBytes = 0
  for (const path of redacted.paths) markBytes += Buffer.byteLength(path) + 3
  const bounded = boundPayload(draft.kind, value, markBytes)
  const event: PreparedEvent = {
    identity: identityDigest(key, draft.identity),
    ...(draft.scope === undefined ? undefined : { scope: draft.scope }),
    timestamp: draft.timestamp ?? timestampOf(yield* Clock.currentTimeMillis),
    kind: draft.kind,
    ...(draft.turnId === undefined ? undefined : { turn_id: boundId(draft.turnId) }),
    ...idsOf(draft, key),
    payload: bounded.payload,
    ...(draft.usage === undefined ? undefined : { usage: draft.usage }),
    redactions: redacted.paths.slice(0, mostPaths),
    ...(bounded.truncated.length === 0 ? undefined : { truncated: bounded.truncated.slice(0, mostPaths) }),
    ...(bounded.omitted.length === 0 ? undefined : { omitted: bounded.omitted })
  }
  return event
})

/** Paths that an event names at most; the markers in its payload show the rest. */
const mostPaths = 256

/** The ids that a reader may join events by: the provider's own, and that of a call which has none. */
const idsOf = ({ providerIds, call }: DraftEvent, key: ChainKey): Pick<PreparedEvent, "provider_ids"> => {
  const ids =
    call === undefined
      ? providerIds
      : { tool_use_id: `call:${identityDigest(key, [call]).slice(0, 16)}`, ...providerIds }
  return ids === undefined ? {} : { provider_ids: boundIds(ids) }
}

/** Ids come from outside and are not ours to trust with any length. */
const boundId = (id: string): string => cutUtf8(id, 256).kept
const boundIds = (ids: ProviderIds): ProviderIds =>
  Object.fromEntries(
    Object.entries(ids)
      .slice(0, 16)
      .map(([name, id]) => [name, boundId(id)])
  )
