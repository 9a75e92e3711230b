import * as Schema from "effect/Schema"
import { ReadableProvider } from "./provider.ts"

const said = (description: string) => ({ description })

const Id = Schema.String.pipe(Schema.check(Schema.isPattern(/^[a-z0-9][a-z0-9._-]{0,119}$/u)))
const Positive = Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))

/** Something that an answer contains or must not contain. It is there when one of `match_any` is. */
export const Fact = Schema.Struct({
  id: Id,
  description: Schema.optionalKey(Schema.String),
  match_any: Schema.NonEmptyArray(Schema.NonEmptyString).annotate(
    said(
      "The fact is in an answer when one of these is. Case, white space, kinds of quotes and dashes, and marks of Markdown do not count."
    )
  ),
  regex: Schema.optionalKey(
    Schema.Boolean.annotate(
      said("Takes match_any as regular expressions (RE2: no look-around, no back-references); case does not count.")
    )
  )
})
export type Fact = typeof Fact.Type

/** A command that is run in the workspace when the agent is done; exit code 0 is a pass. Never a shell line: an argument vector. */
export const Validator = Schema.Struct({
  name: Id,
  command: Schema.NonEmptyArray(Schema.String).annotate(
    said("A program and its arguments, run in the workspace without a shell. Exit code 0 is a pass.")
  ),
  timeout_seconds: Schema.optionalKey(Positive.annotate(said("120 when absent; after it the command fails.")))
})
export type Validator = typeof Validator.Type

/** Budgets of the scored session. One that is absent is not judged. */
export const Limits = Schema.Struct({
  max_duration_seconds: Schema.optionalKey(
    Positive.annotate(
      said("Time that the agent worked, without what the person took between prompts. A run is ended after it.")
    )
  ),
  max_output_tokens: Schema.optionalKey(Positive),
  max_turns: Schema.optionalKey(
    Positive.annotate(said("How often the model is asked in the session, as agents count turns for their own limits."))
  ),
  max_budget_usd: Schema.optionalKey(Positive),
  max_injected_context_bytes: Schema.optionalKey(Schema.Natural),
  max_tool_calls: Schema.optionalKey(Schema.Natural)
})
export type Limits = typeof Limits.Type

/** A task, what a good answer contains, and the limits it keeps. A scenario refers to the session it comes from and copies nothing but prompts. */
export const Scenario = Schema.Struct({
  schema_version: Schema.Literal(1),
  id: Id,
  category: Schema.String,
  description: Schema.optionalKey(Schema.String),
  /** A right answer holds none of the project's memory. */
  negative_control: Schema.optionalKey(
    Schema.Boolean.annotate(said("A right answer holds none of the project's memory."))
  ),
  source_session: Schema.optionalKey(
    Schema.Struct({
      provider: ReadableProvider,
      session_id: Schema.NonEmptyString,
      archive: Schema.NonEmptyString.annotate(said("Its directory, from the root of the project.")),
      repository_revision: Schema.optionalKey(Schema.NullOr(Schema.String)),
      events_sha256: Schema.optionalKey(
        Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/u))).annotate(
          said("Of its events.jsonl when the scenario was made: the archive has not changed since.")
        )
      )
    })
  ),
  repository: Schema.optionalKey(
    Schema.Struct({
      path: Schema.NonEmptyString.annotate(said("From the root of the project; it must be in it.")),
      revision: Schema.optionalKey(Schema.NonEmptyString)
    })
  ),
  setup_messages: Schema.Array(
    Schema.Struct({
      prompt: Schema.NonEmptyString,
      establishes_fact_ids: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ).annotate(said("Prompts that come before the one that is scored.")),
  continuation_prompt: Schema.NonEmptyString.annotate(said("The prompt whose answer is scored.")),
  expected_facts: Schema.Array(Fact),
  forbidden_facts: Schema.optionalKey(Schema.Array(Fact)),
  validators: Schema.Array(Validator),
  limits: Limits
})
export type Scenario = typeof Scenario.Type

/** `unknown`: the text that would tell was cut, redacted or not recorded. */
export const Verdict = Schema.Literals(["pass", "fail", "unknown"])
export type Verdict = typeof Verdict.Type

/** What an evaluation found: a separate artifact, which changes neither the archive nor the scenario. */
export const Evaluation = Schema.Struct({
  schema_version: Schema.Literal(1),
  scenario_id: Schema.String,
  /** SHA-256 of the scenario file's bytes. */
  scenario_digest: Schema.String,
  session_id: Schema.String,
  role: Schema.Literals(["recorded", "replay"]),
  evaluated_at: Schema.String,
  /** `fail` when anything failed; else `unknown` when anything is unknown. */
  verdict: Verdict,
  facts: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.Literals(["expected", "forbidden"]),
      verdict: Verdict,
      why: Schema.String
    })
  ),
  validators: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      verdict: Verdict,
      exit_code: Schema.NullOr(Schema.Finite),
      duration_ms: Schema.Finite,
      output: Schema.String,
      why: Schema.String
    })
  ),
  limits: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      limit: Schema.Finite,
      /** Null when it was not observed. */
      observed: Schema.NullOr(Schema.Finite),
      verdict: Verdict
    })
  )
})
export type Evaluation = typeof Evaluation.Type
