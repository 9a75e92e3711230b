import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type MemoryDraft, type MemoryRecord, mostTextBytes } from "../domain/memory.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { sha256 } from "../platform/digest.ts"
import { cutUtf8 } from "../redaction/bound.ts"
import { Redactor } from "../redaction/Redactor.ts"
import type { MemoryPlace } from "./memoryPlace.ts"

/** What a record holds of a draft: redacted first, then bounded, so that no half of a secret is left at a cut. */
export const recordFor = Effect.fnUntraced(function* (place: MemoryPlace, draft: MemoryDraft, keyId: string) {
  const redactor = yield* Redactor
  const redacted = yield* redactor.redact(draft.text, "text").pipe(
    Effect.map(({ value }) => (typeof value === "string" ? value : "")),
    Effect.orElseSucceed(() => "[REDACTED:withheld]")
  )
  const text = cutUtf8(redacted, mostTextBytes).kept
  // Of the redacted text: the digest of a known text with a short unknown in it can be guessed.
  const told = draft.events === undefined ? [sha256(redacted)] : []
  const identity = JSON.stringify([place.provider, draft.sessionId, draft.kind, ...draft.identity, ...told])
  const record: MemoryRecord = {
    schema_version: 1,
    id: `mem_${sha256(identity).slice(0, 20)}`,
    kind: draft.kind,
    provider: place.provider,
    session_id: draft.sessionId,
    ...(draft.turnId === undefined ? undefined : { turn_id: draft.turnId }),
    text,
    source: `lint-ai://${place.provider}/session/${encodeURIComponent(draft.sessionId.slice(draft.sessionId.indexOf(":") + 1))}/${draft.place}`,
    ...(draft.events === undefined ? undefined : { events: draft.events }),
    revision: draft.revision,
    branch: draft.branch,
    created: draft.created ?? timestampOf(yield* Clock.currentTimeMillis),
    ...(draft.supersedes === undefined || draft.supersedes.length === 0 ? undefined : { supersedes: draft.supersedes }),
    content_hash: sha256(text),
    key_id: keyId
  }
  return record
})
