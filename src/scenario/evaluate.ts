import type { Evaluation, Scenario, Verdict } from "../domain/scenario.ts"
import type { SessionMetrics } from "../replay/metrics.ts"
import { type Answer, judgeFacts } from "./facts.ts"
import { type HeldLimit, judgeLimits } from "./limits.ts"

export type ValidatorFinding = Evaluation["validators"][number]

/** What a session left behind to judge it by. `readEvidence` (evidence.ts) takes it from an archive. */
export interface Evidence {
  readonly role: "recorded" | "replay"
  readonly metrics: SessionMetrics
  /** What the agent answered to its last prompt; undefined when nothing of it was recorded. */
  readonly answer: Answer | undefined
  /** Validators that were run in the session's workspace (validators.ts). One that was not is unknown, for `validatorsWhy`. */
  readonly validators: ReadonlyArray<ValidatorFinding>
  /** Why validators were not run, as a clause. */
  readonly validatorsWhy?: string | undefined
  /** Limits at which the run was ended. */
  readonly reached?: ReadonlyArray<HeldLimit> | undefined
}

/** Which file a scenario is from, and when it is evaluated. */
export interface Occasion {
  /** SHA-256 of the scenario file's bytes. */
  readonly scenarioDigest: string
  /** RFC 3339. */
  readonly evaluatedAt: string
}

/** Holds a session against a scenario: every fact, validator and limit by itself, and all of them together. Pure; changes nothing. */
export const evaluate = (scenario: Scenario, evidence: Evidence, occasion: Occasion): Evaluation => {
  const facts = judgeFacts(scenario.expected_facts, scenario.forbidden_facts ?? [], evidence.answer)
  const validators = scenario.validators.map(
    ({ name }): ValidatorFinding =>
      evidence.validators.find((finding) => finding.name === name) ?? {
        name,
        verdict: "unknown",
        exit_code: null,
        duration_ms: 0,
        output: "",
        why: evidence.validatorsWhy ?? "it was not run"
      }
  )
  const limits = judgeLimits(scenario.limits, evidence.metrics, evidence.reached)
  return {
    schema_version: 1,
    scenario_id: scenario.id,
    scenario_digest: occasion.scenarioDigest,
    session_id: evidence.metrics.session_id,
    role: evidence.role,
    evaluated_at: occasion.evaluatedAt,
    verdict: together([...facts, ...validators, ...limits].map(({ verdict }) => verdict)),
    facts,
    validators,
    limits
  }
}

/** `fail` when anything failed, else `unknown` when anything is unknown or nothing was judged, else `pass`. */
export const together = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  verdicts.includes("fail") ? "fail" : verdicts.length === 0 || verdicts.includes("unknown") ? "unknown" : "pass"
