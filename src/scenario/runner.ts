import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SessionSummary } from "../archive/readArchive.ts"
import { sessionsRoot } from "../archive/sessionDirectory.ts"
import type { Arm } from "../domain/arm.ts"
import type { Evaluation, Limits } from "../domain/scenario.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { Git } from "../platform/Git.ts"
import { Host } from "../platform/Host.ts"
import { type ConversationOutcome, IsolatedAgent, type Place, type Source } from "../replay/IsolatedAgent.ts"
import { openPlace } from "../replay/placeRegistry.ts"
import type { RecordedPrompt } from "../replay/prompts.ts"
import { freezeBaseline } from "../replay/ReplayOrchestrator.ts"
import { makeWorkspace } from "../replay/workspace.ts"
import { evaluate } from "./evaluate.ts"
import { readEvidence } from "./evidence.ts"
import type { Answer } from "./facts.ts"
import { readPrompts } from "./fromSession.ts"
import type { HeldLimit } from "./limits.ts"
import type { ScenarioFile } from "./scenarioFile.ts"
import { runValidators } from "./validators.ts"

/** A scenario asks for work in a repository that is not the project's. */
export class ScenarioElsewhere extends Data.TaggedError("ScenarioElsewhere")<{
  readonly path: string
  readonly projectRoot: string
}> {
  override get message(): string {
    return `The scenario is about a repository at ${this.path}, which is not in ${this.projectRoot}. Run it in that project.`
  }
}

/** A revision that the repository does not have. */
export class RevisionUnknown extends Data.TaggedError("RevisionUnknown")<{
  readonly revision: string
  readonly projectRoot: string
}> {
  override get message(): string {
    return `${this.revision} is no commit of the repository in ${this.projectRoot}. Fetch it, or change the scenario.`
  }
}

/** A replay would send another text than the user did. */
export class ScenarioPromptsAltered extends Data.TaggedError("ScenarioPromptsAltered")<{
  readonly path: string
  /** Their numbers, from 1; the scored one is the last. */
  readonly prompts: ReadonlyArray<number>
}> {
  override get message(): string {
    const which = this.prompts.length === 1 ? "Prompt" : "Prompts"
    return `${which} ${this.prompts.join(", ")} of ${this.path}: not what the user wrote, but what is left of it where it was redacted or cut. Write it anew in the file, or send it as it is with --allow-redacted.`
  }
}

/** The prompts of a scenario that still are as a recording altered them, by their numbers from 1. Pure. */
export const alteredPrompts = (
  { setup_messages, continuation_prompt }: ScenarioFile["scenario"],
  recorded: ReadonlyArray<RecordedPrompt>
): ReadonlyArray<number> => {
  const altered = new Set(recorded.filter((prompt) => prompt.altered.length > 0).map(({ text }) => text))
  return [...setup_messages.map(({ prompt }) => prompt), continuation_prompt].flatMap((prompt, index) =>
    altered.has(prompt) || prompt.includes("[REDACTED:") ? [index + 1] : []
  )
}

/** What one evaluation gave, and of what. */
export interface ScenarioResult {
  readonly evaluation: Evaluation
  /** The archive that was judged. */
  readonly directory: string
  /** What the person should know, as sentences. */
  readonly notes: ReadonlyArray<string>
}

const notRun = "a recorded session has no workspace any more; --fresh-workspace runs them at its revision"

/**
 * Judges a recorded session. Its archive is not changed.
 *
 * @param freshWorkspace makes a workspace at the recorded revision for the validators, to whose commands the user has agreed; without it they are
 * unknown. What the agent changed is not in it.
 */
export const evaluateRecorded = Effect.fn("evaluateRecorded")(function* (
  { scenario, digest }: ScenarioFile,
  session: SessionSummary,
  projectRoot: string,
  freshWorkspace: boolean
) {
  const host = yield* Host
  const evidence = yield* readEvidence(session.directory, "recorded")
  const fresh = freshWorkspace && scenario.validators.length > 0
  const validators = fresh
    ? yield* Effect.scoped(
        Effect.gen(function* () {
          const source = yield* sourceOf({ scenario, session, projectRoot })
          const root = yield* openPlace(host.temporary, false)
          const workspace = yield* makeWorkspace(source, path.join(root, "work"))
          return yield* runValidators(scenario.validators, workspace.directory)
        })
      )
    : []
  const evaluation = evaluate(
    scenario,
    { ...evidence, validators, validatorsWhy: notRun },
    { scenarioDigest: digest, evaluatedAt: timestampOf(yield* Clock.currentTimeMillis) }
  )
  const asked = (yield* readPrompts(session)).at(-1)?.text
  const notes = [
    ...(asked === scenario.continuation_prompt
      ? []
      : ["The last prompt of the recording is another one than that of the scenario; the answer to it was judged."]),
    ...(fresh
      ? ["The validators ran in a fresh workspace, without what the agent changed in the recorded session."]
      : [])
  ]
  return { evaluation, directory: session.directory, notes } satisfies ScenarioResult
})

/** A scenario's replay: what an agent is asked to do, in which configuration. */
export interface ScenarioReplay {
  readonly file: ScenarioFile
  /** The session that is replayed; undefined for a scenario that repeats none. */
  readonly session: SessionSummary | undefined
  readonly projectRoot: string
  readonly arm: Arm
  /** Where its archives go; undefined for beside that of the session. */
  readonly sessionsRoot: string | undefined
  readonly keep: boolean
}

/** No agent is waited for longer. */
const longestRun = Duration.hours(24)
const usualRun = Duration.minutes(30)

/**
 * Lets an agent do the scenario's task in a place of its own, and judges what it did there, with the validators in its workspace. The user has agreed to
 * their commands. The source session's archive is frozen and not changed.
 *
 * A scenario of a session is one conversation, as that was. One without a session has its setup in a conversation of its own: what the scored one knows of
 * it, it knows by the memory of the arm.
 */
export const evaluateReplay = Effect.fn("evaluateReplay")(function* (replay: ScenarioReplay) {
  const { file, session, projectRoot, arm } = replay
  const { scenario } = file
  const agents = yield* IsolatedAgent
  const host = yield* Host
  if (session !== undefined) yield* freezeBaseline(session)
  const source = yield* sourceOf({ scenario, session, projectRoot })
  const besideSession = session?.manifest.provider === arm.provider ? path.dirname(session.directory) : undefined
  const place = yield* agents.place({
    arm,
    source,
    // Where no ancestor is a project or the user's home: agents read instructions from ancestors too.
    below: host.temporary,
    sessionsRoot: replay.sessionsRoot ?? besideSession ?? sessionsRoot(projectRoot, arm.provider),
    keep: replay.keep
  })
  const setup = scenario.setup_messages.map(({ prompt }) => prompt)
  const timeout = timeoutOf(scenario.limits)
  if (session === undefined && setup.length > 0) {
    // The limits are those of the scored conversation.
    const prepared = yield* agents.converse(place, { prompts: setup, timeout: Duration.max(timeout, usualRun) })
    if (prepared.status === "failed") return yield* judge(replay, place, prepared, [])
  }
  const outcome = yield* agents.converse(place, {
    prompts: [...(session === undefined ? [] : setup), scenario.continuation_prompt],
    ...(session === undefined ? undefined : { replayOf: session.manifest.session_id }),
    timeout,
    limits: { turns: scenario.limits.max_turns, usd: scenario.limits.max_budget_usd }
  })
  return yield* judge(replay, place, outcome, reachedLimits(outcome, scenario.limits))
}, Effect.scoped)

const timeoutOf = ({ max_duration_seconds: seconds }: Limits): Duration.Duration =>
  seconds === undefined ? usualRun : Duration.min(Duration.seconds(seconds), longestRun)

const judge = Effect.fnUntraced(function* (
  { file, session }: ScenarioReplay,
  place: Place,
  outcome: ConversationOutcome,
  reached: ReadonlyArray<HeldLimit>
) {
  const { scenario, digest } = file
  const evidence = yield* readEvidence(outcome.directory, "replay")
  const answer = scoredAnswer(evidence.answer, outcome)
  const validators = scenario.validators.length === 0 ? [] : yield* runValidators(scenario.validators, place.workspace)
  const evaluation = evaluate(
    scenario,
    { ...evidence, answer, validators, reached },
    { scenarioDigest: digest, evaluatedAt: timestampOf(yield* Clock.currentTimeMillis) }
  )
  const notes = [
    ...place.notes,
    ...(session?.manifest.repository_dirty === true
      ? ["The recorded session began with uncommitted changes, which the replay does not have."]
      : []),
    ...(outcome.reason === undefined ? [] : [outcome.reason]),
    ...(outcome.alone === 0 ? [] : ["Prompts that could not go on with the conversation were sent alone."])
  ]
  return { evaluation, directory: outcome.directory, notes } satisfies ScenarioResult
})

/**
 * The answer to the scored prompt, of a run that came to its end: of any other, the last recorded one may be to an earlier prompt. What the agent's program
 * printed is whole where the recording is cut or redacted; none of it is kept.
 */
export const scoredAnswer = (
  recorded: Answer | undefined,
  { answer, status }: Pick<ConversationOutcome, "answer" | "status">
): Answer | undefined => {
  if (status !== "completed") return undefined
  const isWhole = recorded !== undefined && recorded.lacks === undefined
  return answer === undefined || isWhole ? recorded : { text: answer, lacks: undefined }
}

/** The limits at which a run that failed was ended. Claude Code ends with `error_max_turns` or `error_max_budget_usd`. */
export const reachedLimits = (
  { status, durationMs, reason = "" }: Pick<ConversationOutcome, "status" | "durationMs" | "reason">,
  limits: Limits
): ReadonlyArray<HeldLimit> => {
  if (status === "completed") return []
  const { max_duration_seconds: seconds } = limits
  return [
    ...(seconds !== undefined && durationMs >= seconds * 1000 ? (["max_duration_seconds"] as const) : []),
    ...(limits.max_turns !== undefined && /max_turns/.test(reason) ? (["max_turns"] as const) : []),
    ...(limits.max_budget_usd !== undefined && /max_budget/.test(reason) ? (["max_budget_usd"] as const) : [])
  ]
}

/** The files that a scenario is about: the project at the revision of its session, else at its own, else as it is committed now. */
const sourceOf = Effect.fn("sourceOf")(function* (of: {
  readonly scenario: ScenarioFile["scenario"]
  readonly session: SessionSummary | undefined
  readonly projectRoot: string
}) {
  const disk = yield* Disk
  const git = yield* Git
  const { scenario, session, projectRoot } = of
  const { repository } = scenario
  const project = yield* disk.realPath(projectRoot)
  const given = path.resolve(project, repository?.path ?? ".")
  const root = yield* disk.realPath(given).pipe(Effect.orElseSucceed(() => given))
  const inside = path.relative(project, root)
  if (inside.startsWith("..") || path.isAbsolute(inside)) {
    return yield* new ScenarioElsewhere({ path: repository?.path ?? ".", projectRoot: project })
  }
  const named =
    repository?.revision ??
    scenario.source_session?.repository_revision ??
    session?.manifest.repository_revision ??
    undefined
  const head = (yield* git.workTree(root))?.revision
  // Without Git there are no revisions: the files are copied.
  if (head === undefined) return { projectRoot: root, revision: undefined } satisfies Source
  const revision = named === undefined ? head : yield* git.commitOf(root, named)
  if (revision === undefined) return yield* new RevisionUnknown({ revision: named ?? "HEAD", projectRoot: root })
  return { projectRoot: root, revision } satisfies Source
})
