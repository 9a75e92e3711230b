import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readManifest } from "../archive/manifestFile.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { Arm } from "../domain/arm.ts"
import type { Scenario } from "../domain/scenario.ts"
import { providerOf, SessionId, sessionId } from "../domain/sessionId.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { recorderVersion } from "../recorder/version.ts"
import { IsolatedAgent, type Place } from "../replay/IsolatedAgent.ts"
import { evaluate } from "../scenario/evaluate.ts"
import { readEvidence } from "../scenario/evidence.ts"
import { reachedLimits, scoredAnswer } from "../scenario/runner.ts"
import { runValidators } from "../scenario/validators.ts"
import { type CellFingerprint, type CellScore, valuesOf } from "./cell.ts"
import type { Task } from "./openExperiment.ts"
import type { Cell } from "./schedule.ts"
import { treeDigest } from "./treeDigest.ts"

/** A cell has no score: its place could not be made, its agent failed, or its recording cannot be read. `reason` is a clause. */
export class CellFailed extends Schema.TaggedError<CellFailed>()("CellFailed", { reason: Schema.String }) {
  override get message(): string {
    return `The cell failed: ${this.reason}.`
  }
}

/** For a conversation whose scenario sets no limit. */
const usualTimeout = Duration.minutes(30)

export interface CellRequest {
  readonly cell: Cell
  readonly attempt: number
  readonly arm: Arm
  readonly task: Task
  readonly root: string
  /** Whether the user agreed to the scenario's commands. */
  readonly mayValidate: boolean
  readonly keep: boolean
}

/** Where the archives of an attempt are: kept, whatever becomes of it. */
export const attemptDirectory = (root: string, { arm, repetition, scenario }: Cell, attempt: number): string =>
  path.join(root, "sessions", arm, `${scenario}-${repetition}-${attempt}`)

/**
 * Runs one cell in a place of its own: the setup messages in one session, then the scored prompt in a new one. Everything of the place is gone when it
 * returns, but the archives stay.
 */
export const runCell = (request: CellRequest) =>
  converseAndScore(request).pipe(
    Effect.scoped,
    Effect.mapError((error) =>
      error._tag === "CellFailed" ? error : new CellFailed({ reason: error.message.replace(/\.$/, "") })
    )
  )

const converseAndScore = Effect.fn("runCell")(function* (request: CellRequest) {
  const { arm, attempt, cell, root, task } = request
  const { scenario } = task
  const agent = yield* IsolatedAgent
  const directory = attemptDirectory(root, cell, attempt)
  const place = yield* agent.place({
    arm,
    source: task.source,
    below: path.join(root, "places"),
    sessionsRoot: directory,
    keep: request.keep
  })
  const settings = yield* settingsDigest(place, directory)
  const setup = yield* setUp(place, scenario, usualTimeout)
  const { limits } = scenario
  const timeout =
    limits.max_duration_seconds === undefined ? usualTimeout : Duration.seconds(limits.max_duration_seconds)
  const outcome = yield* agent.converse(place, {
    prompts: [scenario.continuation_prompt],
    replayOf: replayedBy(scenario),
    timeout,
    limits: { turns: limits.max_turns, usd: limits.max_budget_usd }
  })
  // One that was ended at a limit of the scenario has a score: it did not keep it.
  const reached = reachedLimits(outcome, limits)
  if (outcome.status === "failed" && reached.length === 0) {
    return yield* new CellFailed({ reason: clauseOf(outcome.reason ?? "the agent failed") })
  }
  const evidence = yield* readEvidence(outcome.directory, "replay")
  const answer = scoredAnswer(evidence.answer, outcome)
  const validators = request.mayValidate ? yield* runValidators(scenario.validators, place.workspace) : []
  const evaluation = evaluate(
    scenario,
    { ...evidence, answer, validators, validatorsWhy: "nobody agreed to the scenario's commands", reached },
    {
      scenarioDigest: task.file.digest,
      evaluatedAt: timestampOf(yield* Clock.currentTimeMillis)
    }
  )
  const { metrics } = evidence
  return {
    schema_version: 1,
    cell: cell.id,
    scenario: cell.scenario,
    arm: cell.arm,
    repetition: cell.repetition,
    attempt,
    session_id: outcome.sessionId,
    directory: outcome.directory,
    setup: setup === undefined ? null : { session_id: setup.sessionId, directory: setup.directory },
    evaluation,
    values: valuesOf(metrics, outcome.costUsd),
    recording_complete: metrics.recording_complete,
    fingerprint: {
      agent_version: place.agentVersion,
      models: metrics.models,
      revision: task.source.revision ?? null,
      settings,
      permissions: [...arm.args, ...metrics.permission_modes],
      lint_ai_version: recorderVersion,
      redaction: yield* redactionOf(outcome.directory)
    } satisfies CellFingerprint,
    notes: place.notes
  } satisfies CellScore
})

/** The session that a scenario comes from. */
const replayedBy = ({ source_session: source }: Scenario): SessionId | undefined => {
  if (source === undefined) return undefined
  const { provider, session_id: id } = source
  return providerOf(id) === undefined ? sessionId(provider, id) : SessionId.make(id)
}

const setUp = Effect.fnUntraced(function* (place: Place, scenario: Scenario, timeout: Duration.Duration) {
  if (scenario.setup_messages.length === 0) return undefined
  const agent = yield* IsolatedAgent
  const prompts = scenario.setup_messages.map(({ prompt }) => prompt)
  const outcome = yield* agent.converse(place, {
    prompts,
    timeout: Duration.times(timeout, prompts.length)
  })
  if (outcome.status === "completed") return outcome
  return yield* new CellFailed({
    reason: `the session of the setup messages failed: ${clauseOf(outcome.reason ?? "the agent failed")}`
  })
})

const clauseOf = (sentence: string): string => sentence.replace(/\.$/, "")

/** Of the settings that a place was given; where it lies does not count. */
const settingsDigest = (place: Place, sessions: string) =>
  treeDigest(place.settingsRoot, {
    neutral: [place.settingsRoot, path.dirname(place.settingsRoot), place.workspace, sessions],
    include: (name) => /\.(json|toml)$/.test(name)
  })

const redactionOf = Effect.fnUntraced(function* (directory: string) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return null
  return reading.manifest.redaction_fingerprint ?? reading.manifest.redaction_policy ?? null
})
