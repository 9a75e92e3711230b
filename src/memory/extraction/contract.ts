import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Provider } from "../../domain/provider.ts"

/**
 * What extraction asks of an agent and what it takes for an answer, whichever agent it is. The agent proposes what a note says. Ids, source,
 * author, times and paths are never taken from it.
 */

/** The agents that can extract. */
export const extractorHosts = ["claude", "codex"] as const
export type ExtractorHost = (typeof extractorHosts)[number]

/** What a note is about. */
export const CandidateKind = Schema.Literals(["memory", "work-state", "decision", "person"])
export type CandidateKind = typeof CandidateKind.Type

const Said = Schema.String.check(Schema.isPattern(/\S/))

/** One note that an agent proposes. All four fields, and no other. */
export const Candidate = Schema.Struct({
  kind: CandidateKind,
  title: Said,
  body: Said,
  tags: Schema.Array(Schema.String)
})
export type Candidate = typeof Candidate.Type

const Reply = Schema.Struct({ candidates: Schema.Array(Candidate) })

/** The same for the agent, as JSON Schema. Both agents' APIs want every property required and none added. */
export const candidateSchema = {
  type: "object",
  additionalProperties: false,
  required: ["candidates"],
  properties: {
    candidates: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["kind", "title", "body", "tags"],
        properties: {
          kind: { type: "string", enum: CandidateKind.literals },
          title: { type: "string" },
          body: { type: "string" },
          tags: { type: "array", items: { type: "string" } }
        }
      }
    }
  }
} as const

/** What an agent is to extract from. */
export interface ExtractionRequest {
  readonly host: Provider
  /** Known from the archive, and not told to the agent. */
  readonly session: { readonly id: string; readonly cwd: string }
  /** Data that nobody vouches for, redacted and bounded. */
  readonly transcript: { readonly form: TranscriptForm; readonly text: string }
}

/** `provider-events`: nothing of the conversation was understood, so that what the agent reported is sent as it stands in the archive. */
export type TranscriptForm = "conversation" | "provider-events"

/**
 * Why nothing was extracted. `extractor-unavailable`: the agent's program is not there or cannot be started, or the agent is none of ours.
 * `extractor-timeout`: it took too long. `extractor-failed`: it ended badly, or says so. `malformed-output`: it ended well and did not keep to
 * the schema. `transcript-unavailable`: there is nothing to send.
 */
export const FailureReason = Schema.Literals([
  "extractor-unavailable",
  "extractor-timeout",
  "extractor-failed",
  "malformed-output",
  "transcript-unavailable"
])
export type FailureReason = typeof FailureReason.Type

export interface ExtractionFailure {
  readonly ok: false
  readonly reason: FailureReason
  readonly host: Provider
  /** The agent's program. */
  readonly runtime: string
  /** Its exit code; null when it has none. */
  readonly code: number | null
  /** What went wrong, in at most `mostErrorCharacters`. */
  readonly error: string
}

/** No candidates is an answer: the session holds nothing that lasts. */
export type ExtractionResult = { readonly ok: true; readonly candidates: ReadonlyArray<Candidate> } | ExtractionFailure

export const mostErrorCharacters = 500

/** A failure whose error is cut to its bound, on a code point; an empty error says that there was none. */
export const failure = (fields: Omit<ExtractionFailure, "ok">): ExtractionFailure => {
  const characters = Array.from(fields.error.trim())
  const error =
    characters.length === 0 ? "the agent said nothing about it" : characters.slice(0, mostErrorCharacters).join("")
  return { ok: false, ...fields, error }
}

const decode = Schema.decodeUnknownOption(Reply, { onExcessProperty: "error" })

/** The candidates of a decoded reply; undefined when anything in it is not as the schema wants it. One bad candidate rejects them all. */
export const candidatesIn = (reply: unknown): ReadonlyArray<Candidate> | undefined =>
  Option.getOrUndefined(Option.map(decode(reply), ({ candidates }) => candidates))

/** The same of a reply as text, which has to be the JSON document and nothing beside it. */
export const candidatesInText = (text: string): ReadonlyArray<Candidate> | undefined => {
  try {
    return candidatesIn(JSON.parse(text))
  } catch {
    return undefined
  }
}
