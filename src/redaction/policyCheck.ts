import { fingerprintOf, policyName } from "./policy.ts"
import { type ConfigOwner, decodePolicy, joinPolicies } from "./policyConfig.ts"

/** A configuration to check: where it came from, whose it is, and its `redaction` part. */
export interface CheckedSource {
  readonly name: string
  readonly owner: ConfigOwner
  readonly config: unknown
}

/** What `lint-ai redact check` says. */
export interface PolicyCheck {
  readonly ok: boolean
  readonly policy: string
  readonly fingerprint: string
  readonly rules: ReadonlyArray<string>
  readonly allowed: number
  readonly problems: ReadonlyArray<{ readonly source: string; readonly problem: string }>
}

/** Checks the configurations that are in force, and says what they add up to. */
export const checkPolicy = (sources: ReadonlyArray<CheckedSource>): PolicyCheck => {
  const decoded = sources.map(({ name, owner, config }) => ({ name, ...decodePolicy(config, owner) }))
  const policy = joinPolicies(decoded.map((one) => one.policy))
  const problems = decoded.flatMap(({ name, problems }) => problems.map((problem) => ({ source: name, problem })))
  return {
    ok: problems.length === 0,
    policy: policyName,
    fingerprint: fingerprintOf(policy),
    rules: policy.extra.map(({ id }) => id),
    allowed: policy.allow.length,
    problems
  }
}

/** The check for a person. */
export const renderPolicyCheck = (check: PolicyCheck): string => {
  const added = check.rules.length === 0 ? "no rules of your own" : `your rules: ${check.rules.join(", ")}`
  const problems = check.problems.map(({ source, problem }) => `${source}: ${problem}\n`).join("")
  const state = check.ok ? "" : "The built-in rules are in force; what is named above is not.\n"
  return `${problems}${state}${check.policy}, fingerprint ${check.fingerprint}; ${added}; ${check.allowed} allowed values.\n`
}
