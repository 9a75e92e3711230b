import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SessionSummary } from "../archive/readArchive.ts"
import { Toggles } from "../control/Toggles.ts"
import type { Evaluation } from "../domain/scenario.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { type Comparison, compareSessions, type Measured } from "../replay/comparison.ts"
import { readTrace } from "../replay/firstDifference.ts"
import { measureSession } from "../replay/metrics.ts"
import { evaluate, together } from "./evaluate.ts"
import { commonEvaluations, readEvaluations } from "./evaluations.ts"
import { readEvidence } from "./evidence.ts"
import type { ScenarioFile } from "./scenarioFile.ts"

/**
 * Compares archives of a project, the first of which is the baseline. What they were judged by `scenario run` is told with it; with `scenario` they are
 * judged by that one now. Changes nothing.
 */
export const compareArchives = Effect.fn("compareArchives")(function* (
  chosen: ReadonlyArray<SessionSummary>,
  projectRoot: string,
  scenario?: ScenarioFile
) {
  const now = timestampOf(yield* Clock.currentTimeMillis)
  const known = yield* knownEvaluations(projectRoot)
  const common = commonEvaluations(
    known,
    chosen.map(({ manifest }) => manifest.session_id)
  )
  const measured = yield* Effect.forEach(
    chosen,
    Effect.fnUntraced(function* ({ directory, manifest }) {
      const metrics = yield* measureSession(directory)
      const trace = yield* readTrace(directory)
      const evaluation =
        scenario === undefined
          ? common.get(manifest.session_id)
          : yield* inPassing(scenario, directory, manifest.run_type === "replay" ? "replay" : "recorded", known, now)
      return { metrics, trace, evaluation } satisfies Measured
    })
  )
  const [baseline, ...replays] = measured
  // The argument has at least one.
  if (baseline === undefined) return yield* Effect.die(new Error("nothing to compare"))
  return compareSessions(baseline, replays, now) satisfies Comparison
})

/** Those of a project that is not this user's judge nothing. */
const knownEvaluations = Effect.fnUntraced(function* (projectRoot: string) {
  const toggles = yield* Toggles
  const consent = yield* toggles.read(projectRoot)
  return consent._tag === "inert" ? [] : yield* readEvaluations(projectRoot)
})

/** Judges one session without running anything: validators count where `scenario run` ran them for this very scenario and session. */
const inPassing = Effect.fnUntraced(function* (
  { scenario, digest }: ScenarioFile,
  directory: string,
  role: Evaluation["role"],
  known: ReadonlyArray<Evaluation>,
  evaluatedAt: string
) {
  const evidence = yield* readEvidence(directory, role)
  const { session_id } = evidence.metrics
  const earlier = known.findLast((one) => one.scenario_digest === digest && one.session_id === session_id)
  const now = evaluate(
    scenario,
    {
      ...evidence,
      validators: earlier?.validators ?? [],
      validatorsWhy: "comparing runs no commands; `lint-ai scenario run` does"
    },
    { scenarioDigest: digest, evaluatedAt }
  )
  // `scenario run` saw the whole answer of a replay, and the limits at which it was ended.
  return role === "replay" && earlier !== undefined ? filledIn(now, earlier) : now
})

/** An evaluation with what an earlier one of the same session knew and this one does not. Pure. */
export const filledIn = (now: Evaluation, earlier: Evaluation): Evaluation => {
  const facts = now.facts.map((fact) =>
    fact.verdict === "unknown"
      ? (earlier.facts.find(({ id, kind }) => id === fact.id && kind === fact.kind) ?? fact)
      : fact
  )
  const limits = now.limits.map((limit) => {
    const before = earlier.limits.find(({ name }) => name === limit.name)
    return before?.verdict === "fail" || (limit.verdict === "unknown" && before !== undefined) ? before : limit
  })
  const verdict = together([...facts, ...now.validators, ...limits].map((one) => one.verdict))
  return { ...now, facts, limits, verdict }
}
