import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentDeadline } from "../platform/Deadline.ts"
import { compileUserRules } from "./extraRules.ts"
import { defaultPolicy, fingerprintOf, policyName, type RedactionPolicy } from "./policy.ts"
import { redactValue } from "./redactValue.ts"

/** What a redaction made of a value. */
export interface Redaction {
  /** The same JSON shape, with secrets replaced by `[REDACTED:<rule>]`. */
  readonly value: unknown
  /** Where something was replaced, in order of the walk, each once: `payload.response.output`, `payload.env[3]`. */
  readonly paths: ReadonlyArray<string>
  /** The distinct ids of the rules that fired, sorted. */
  readonly rules: ReadonlyArray<string>
  /** How many leaves became `[REDACTED:unscanned]` because a budget or the deadline was spent. */
  readonly unscanned: number
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
>()("lint-ai/redaction/Redactor") {
  /** The built-in rules and what the policy adds. */
  static readonly make = (policy: RedactionPolicy): Context.Service.Shape<typeof Redactor> => {
    const user = compileUserRules(policy)
    let fingerprint: string | undefined
    return {
      policy: policyName,
      get fingerprint() {
        fingerprint ??= fingerprintOf(policy)
        return fingerprint
      },
      redact: Effect.fnUntraced(function* (value: unknown, root: string) {
        const deadline = yield* CurrentDeadline
        return yield* Effect.try({
          try: () => redactValue(value, root, { deadline, limits: policy.limits, user }),
          // Never the message: it may quote the value.
          catch: (error) => new RedactionFailed({ reason: error instanceof Error ? error.name : typeof error })
        })
      })
    }
  }

  static readonly layerWith = (policy: RedactionPolicy): Layer.Layer<Redactor> =>
    Layer.sync(Redactor, () => Redactor.make(policy))

  /** The built-in rules and nothing else. */
  static readonly layerDefault: Layer.Layer<Redactor> = Redactor.layerWith(defaultPolicy)

  /** Changes nothing, for tests of other parts. */
  static readonly layerTransparent = Layer.succeed(Redactor, {
    policy: "transparent",
    fingerprint: "0000000000000000",
    redact: (value) => Effect.succeed({ value, paths: [], rules: [], unscanned: 0 })
  })

  /** Fails every time, for tests of what happens then. */
  static readonly layerFailing = Layer.succeed(Redactor, {
    policy: "failing",
    fingerprint: "0000000000000000",
    redact: () => Effect.fail(new RedactionFailed({ reason: "test" }))
  })
}
