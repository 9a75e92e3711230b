import * as Schema from "effect/Schema"
import { MemoryRecord, RevisionStatus } from "../../domain/memory.ts"
import { Provider } from "../../domain/provider.ts"
import { extractorHosts } from "../../memory/extraction/contract.ts"
import { StagedCandidate } from "../../memory/extraction/staging.ts"
import { count, document, flag, list, number, oneOf, orNull, struct, text } from "./CommandDocument.ts"

const memory = Schema.Struct({
  ...MemoryRecord.fields,
  superseded_by: orNull(text),
  revision_status: RevisionStatus
})
const promotedFields = { session_id: text, skipped_events: count }
const allStats = struct({
  memories: list(
    struct({
      provider: Provider,
      path: text,
      stats: struct({
        records: count,
        sessions: count,
        superseded: count,
        kinds: list(struct({ kind: text, count })),
        segments: count,
        segment_bytes: count,
        index_bytes: count,
        unread_bytes: count,
        damaged_lines: count,
        unsigned_records: count
      })
    })
  )
})

export const memoryDocuments = [
  document("memory list", "Memories, newest first", struct({ memories: list(memory) })),
  document(
    "memory search",
    "Memories in which words of the query are, best first",
    struct({
      query: text,
      results: list(struct({ memory, score: number, coverage: number, matched: list(text), excerpt: text }))
    })
  ),
  document("memory show", "One memory", memory),
  document("memory forget", "Ids of what was forgotten", struct({ forgotten: list(text) })),
  document("memory stats", "How many memories there are, and how large they are", allStats),
  document("memory rebuild", "The memories after their index was made again", allStats),
  document(
    "memory promote",
    "What was remembered of a recording, or would be with --preview",
    Schema.Union([
      struct({
        ...promotedFields,
        preview: Schema.Literal(true),
        memories: list(struct({ events: text, bytes: count, text }))
      }),
      struct({ ...promotedFields, preview: Schema.Literal(false), added: list(text), known: list(text) })
    ])
  ),
  document("memory adopt", "Directories of memories that were taken over", struct({ adopted: list(text) })),
  document(
    "extract",
    "What an agent proposed; or, with --preview, what would be sent to it",
    Schema.Union([
      struct({
        ok: Schema.Literal(true),
        session_id: text,
        host: oneOf(extractorHosts),
        form: text,
        chunks: count,
        events: orNull(struct({ from: count, to: count })),
        candidates: count,
        staged: list(StagedCandidate),
        dropped: list(Schema.Unknown),
        undecoded: count,
        unrecognized: count,
        more: flag
      }),
      struct({
        session_id: text,
        host: oneOf(extractorHosts),
        form: text,
        requests: list(text),
        undecoded: count,
        unrecognized: count,
        more: flag
      })
    ])
  ),
  document("extract review", "Candidates that wait for a decision", struct({ candidates: list(StagedCandidate) })),
  document(
    "extract review accept",
    "Candidates that are memories now",
    struct({ accepted: list(struct({ id: text, memory_id: text })) })
  ),
  document(
    "extract review reject",
    "Candidates that are not proposed again",
    struct({ rejected: list(struct({ id: text })) })
  )
]
