import * as Schema from "effect/Schema"
import { count, document, flag, list, maybe, oneOf, orNull, struct, text } from "./CommandDocument.ts"

const reference = Schema.Union([
  struct({
    intact: flag,
    total_records: count,
    verified_records: count,
    first_break_at: orNull(count),
    first_break_run_id: orNull(text),
    records_with_hash: count
  }),
  struct({ exception: text })
])

export const evidenceDocuments = [
  document(
    "redact",
    "What would be redacted in a text: places and rules, never the secret. With --lines the redacted values are printed, one a line",
    struct({
      ok: Schema.Literal(true),
      policy: text,
      fingerprint: text,
      input: text,
      lines: count,
      findings: list(struct({ rule: text, line: count, column: count, endLine: count, endColumn: count })),
      unscanned: flag
    })
  ),
  document(
    "redact check",
    "The redaction that holds in a project, and what is wrong with its settings",
    struct({
      ok: flag,
      policy: text,
      fingerprint: text,
      rules: list(text),
      allowed: count,
      problems: list(struct({ source: text, problem: text }))
    })
  ),
  document(
    "evidence key show",
    "Fingerprints of your keys, never the keys",
    struct({ path: text, keys: list(struct({ id: text, created_at: text, current: flag })) })
  ),
  document(
    "evidence key rotate",
    "The key before and the one from now on",
    struct({ previous: orNull(text), current: text, created_at: text })
  ),
  document(
    "air export",
    "The records that were written of a session",
    struct({
      session_id: text,
      directory: text,
      resumed_at: orNull(count),
      written: count,
      known: count,
      turns: count
    })
  ),
  document(
    "air verify",
    "Whether records, or a bundle of them, are as they were written",
    Schema.Union([
      struct({
        path: text,
        verdict: oneOf(["complete", "chained", "partial", "unkeyed", "broken"]),
        reasons: list(text),
        reference,
        head: orNull(text)
      }),
      struct({
        path: text,
        verified: flag,
        check: maybe(count),
        message: maybe(text),
        bundle_id: maybe(text),
        records: maybe(count),
        fingerprint: maybe(text),
        counts: maybe(Schema.Unknown),
        anchor: maybe(text),
        chain_recomputed: flag,
        notes: list(text),
        strict: flag
      })
    ])
  ),
  document(
    "air bundle",
    "The bundle that was written",
    struct({ path: text, bundle_id: text, records: count, signer: text })
  ),
  document(
    "air load",
    "One AIR record, its numbers as they were written",
    Schema.Record(Schema.String, Schema.Unknown)
  ),
  document(
    "air config-hash",
    "What a configuration is made of, and the digest of it all",
    struct({ version: text, files: list(Schema.Unknown), config_hash: text })
  )
]
