import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** What a redaction made of a value. */
export interface Redaction {
  /** The same JSON shape, with secrets replaced by `[REDACTED:<rule>]`. */
  readonly value: unknown
  /** Where something was replaced, in order of the walk, each once: `payload.response.output`, `payload.env[3]`. */
  readonly paths: ReadonlyArray<string>
  /** The distinct ids of the rules that fired, sorted. */
  readonly rules: ReadonlyArray<string>
}

/** The redactor could not do its work. The caller withholds the content and keeps the event. */
export class RedactionFailed extends Data.TaggedError("RedactionFailed")<{ readonly reason: string }> {}

/** Finds secrets in JSON values before they are stored. */
export class Redactor extends Context.Service<
  Redactor,
  {
    /** Redacts string leaves, keyed values and object keys. `root` is the path prefix of what is reported. Linear in the size of `value`. */
    readonly redact: (value: unknown, root: string) => Effect.Effect<Redaction, RedactionFailed>
    /** Name of the policy, for the manifest. */
    readonly policy: string
    /** 16 hex digits over the rules and token formats in force: equal fingerprints redact alike. */
    readonly fingerprint: string
  }
>()("lint-ai/redaction/Redactor") {}
