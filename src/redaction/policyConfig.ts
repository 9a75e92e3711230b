import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { defaultLimits } from "./limits.ts"
import { patternProblem } from "./patternSafety.ts"
import { defaultPolicy, type ExtraRule, type RedactionPolicy } from "./policy.ts"

const RuleId = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[a-z][a-z0-9-]{0,39}$/u, { message: "expected lower-case letters, digits and dashes" })
  )
)

const Texts = Schema.Array(
  Schema.String.pipe(Schema.check(Schema.isMinLength(4, { message: "expected at least four characters" })))
)

/** The `redaction` part of a configuration file. */
export const RedactionConfig = Schema.Struct({
  extra: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        id: RuleId,
        literals: Schema.optionalKey(Texts),
        prefixes: Schema.optionalKey(Texts),
        patterns: Schema.optionalKey(Schema.Array(Schema.String))
      })
    )
  ),
  allow: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        rule: Schema.String,
        sha256: Schema.String.pipe(
          Schema.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/u, { message: "expected 64 hex digits" }))
        )
      })
    )
  )
})

/** A policy, and what in its configuration could not be used. */
export interface DecodedPolicy {
  readonly policy: RedactionPolicy
  /** Sentences for a person; they name places in the configuration and never a value. */
  readonly problems: ReadonlyArray<string>
}

/** Whose configuration it is. One that a project brings along may add rules, not take the edge off them, until the user adopts it. */
export type ConfigOwner = "user" | "adopted-project" | "project"

const decode = Schema.decodeUnknownResult(RedactionConfig, { onExcessProperty: "error", errors: "all" })

const describe = (error: Schema.SchemaError): ReadonlyArray<string> =>
  SchemaIssue.makeFormatterStandardSchemaV1()(error.issue).issues.map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part))
    return `${["redaction", ...keys].join(".")}: ${wordings[message] ?? message}`
  })

/** What Schema says, for who writes JSON. */
const wordings: Readonly<Record<string, string>> = {
  "Expected no excess property": "there is no such setting",
  "Missing key": "it is missing",
  "Expected object": "expected an object in braces",
  "Expected array": "expected a list in brackets",
  "Expected string": "expected a text in quotes"
}

/**
 * Reads the `redaction` part of one configuration.
 *
 * What does not parse falls back to the built-in rules, never to none, and is reported. A pattern that is not safe is left out and reported.
 */
export const decodePolicy = (config: unknown, owner: ConfigOwner): DecodedPolicy => {
  if (config === undefined) return { policy: defaultPolicy, problems: [] }
  const decoded = decode(config)
  if (Result.isFailure(decoded)) return { policy: defaultPolicy, problems: describe(decoded.failure) }
  const problems: Array<string> = []
  const extra: Array<ExtraRule> = (decoded.success.extra ?? []).map((rule, index) => {
    const patterns = (rule.patterns ?? []).filter((source, place) => {
      const problem = patternProblem(source)
      if (problem !== undefined) problems.push(`redaction.extra.${index}.patterns.${place}: ${problem}`)
      return problem === undefined
    })
    if (isEmpty(rule)) problems.push(`redaction.extra.${index}: it names no literals, prefixes or patterns to find`)
    return { id: rule.id, literals: rule.literals, prefixes: rule.prefixes, patterns }
  })
  const allow = decoded.success.allow ?? []
  if (owner === "project" && allow.length > 0) {
    problems.push(
      "redaction.allow: ignored, because this project's configuration has not been adopted (`lint-ai adopt`)"
    )
  }
  return { policy: { extra, allow: owner === "project" ? [] : allow, limits: defaultLimits }, problems }
}

const isEmpty = ({ literals = [], prefixes = [], patterns = [] }: Partial<ExtraRule>): boolean =>
  literals.length + prefixes.length + patterns.length === 0

/** The rules of all, in order: a user's and a project's. */
export const joinPolicies = (policies: ReadonlyArray<RedactionPolicy>): RedactionPolicy => ({
  extra: policies.flatMap(({ extra }) => extra),
  allow: policies.flatMap(({ allow }) => allow),
  limits: policies.at(-1)?.limits ?? defaultLimits
})
