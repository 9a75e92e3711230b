import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Keyring } from "../archive/Keyring.ts"
import type { Opening } from "../archive/opening.ts"
import { type AppendRequest, ArchivePolicy, SessionArchive } from "../archive/SessionArchive.ts"
import { Configuration } from "../control/Configuration.ts"
import { issueTicket, replayVariable } from "../control/replayTicket.ts"
import { Toggles } from "../control/Toggles.ts"
import type { Arm } from "../domain/arm.ts"
import type { DraftEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { providerTitles } from "../domain/provider.ts"
import type { SessionId } from "../domain/sessionId.ts"
import { timestampOf } from "../domain/timestamp.ts"
import type { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { type ChangedFiles, Worktrees } from "../platform/Worktrees.ts"
import type { AgentAnswer } from "../providers/ProviderCli.ts"
import { adapterFor } from "../providers/registry.ts"
import { prepare } from "../recorder/prepare.ts"
import { readRepository } from "../recorder/repository.ts"
import { recorderVersion } from "../recorder/version.ts"
import { defaultPolicy } from "../redaction/policy.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { type Conversation, type ConversationOutcome, type Place, PlaceError } from "./IsolatedAgent.ts"
import type { Launch } from "./isolatedPlace.ts"
import { replayEventName } from "./replayEvent.ts"
import { newReplayId } from "./replayId.ts"

const lockWaitMs = 20_000

/** What is known while a conversation runs. */
interface Progress {
  sessionId: string | undefined
  answered: number
  alone: number
  last: AgentAnswer | undefined
  costUsd: number | undefined
  /** Why it stopped before its end. */
  reason: string | undefined
  changed: ChangedFiles | undefined
}

/**
 * Holds one conversation with an isolated agent and records it: opens the archive, lets the agent's hooks write into it, sends the prompts one after another,
 * and closes it with what the agent's program said at its end. What the agent does is an outcome; only what keeps lint-ai from recording is an error.
 */
export const converse = (place: Place, launch: Launch, conversation: Conversation) =>
  hold(place, launch, conversation).pipe(
    Effect.mapError((error) => new PlaceError({ arm: place.arm.name, reason: error.message.replace(/\.$/, "") }))
  )

const hold = Effect.fn("converse")(function* (place: Place, launch: Launch, conversation: Conversation) {
  const host = yield* Host
  const id = yield* newReplayId(place.arm.provider)
  const began = host.monotonicMs()
  const write = yield* writerOf(place, launch, conversation, id)
  const progress: Progress = {
    sessionId: undefined,
    answered: 0,
    alone: 0,
    last: undefined,
    costUsd: undefined,
    reason: undefined,
    changed: undefined
  }
  const talk = Effect.gen(function* () {
    yield* issueTicket({
      session_id: id,
      provider: place.arm.provider,
      project_root: launch.projectRoot,
      sessions_root: place.sessionsRoot,
      workspace: place.workspace,
      recording_mode: modeOf(place.arm),
      memory_root: launch.memoryRoot,
      memory_hooks: place.arm.lint_ai && place.arm.profile !== "mcp-only",
      memory_mcp: place.arm.lint_ai
    })
    yield* sendAll(place, launch, conversation, id, progress)
  }).pipe(Effect.scoped)
  // Whatever happens, an archive that was opened is closed.
  const directory = yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const opened = yield* write.open
      const exit = yield* Effect.exit(restore(talk))
      if (Exit.isFailure(exit)) {
        progress.reason ??= Cause.hasInterrupts(exit.cause) ? "It was interrupted." : "lint-ai could not go on."
      }
      const durationMs = Math.round(host.monotonicMs() - began)
      // Nobody waits for numbers who has interrupted it.
      if (Exit.isSuccess(exit)) progress.changed = yield* changedIn(place, launch)
      const closed = write.close({ progress, durationMs, prompts: conversation.prompts.length })
      if (Exit.isFailure(exit)) {
        yield* Effect.ignore(closed)
        return yield* Effect.failCause(exit.cause)
      }
      yield* closed
      return opened
    })
  )
  return {
    sessionId: id,
    directory,
    status: progress.reason === undefined ? "completed" : "failed",
    ...(progress.reason === undefined ? undefined : { reason: progress.reason }),
    exitCode: progress.last?.exitCode,
    promptCount: progress.answered,
    answer: progress.last?.text,
    costUsd: progress.costUsd,
    durationMs: Math.round(host.monotonicMs() - began),
    ...(progress.changed === undefined ? undefined : { changed: progress.changed }),
    alone: progress.alone
  } satisfies ConversationOutcome
})

/** What the agent left changed, before its workspace is gone. */
const changedIn = Effect.fnUntraced(function* (place: Place, { revision, scratch }: Launch) {
  const worktrees = yield* Worktrees
  return revision === undefined ? undefined : yield* worktrees.changedSince(place.workspace, revision, scratch)
})

/** The prompts in their order, each in a process of its own, until one of them fails or the time is over. */
const sendAll = Effect.fnUntraced(function* (
  place: Place,
  launch: Launch,
  conversation: Conversation,
  id: SessionId,
  progress: Progress
) {
  const host = yield* Host
  const { isolation, cli } = launch
  const limitMs = Duration.toMillis(Duration.fromInputUnsafe(conversation.timeout))
  const until = host.monotonicMs() + limitMs
  const resumes = isolation.resumes(place.agentVersion)
  const limits = isolation.limits(conversation.limits ?? {})
  for (const [index, prompt] of conversation.prompts.entries()) {
    const restMs = until - host.monotonicMs()
    if (restMs <= 0) {
      progress.reason = `The time of ${Math.round(limitMs / 1000)} s was over before prompt ${index + 1}.`
      return
    }
    const resume = resumes ? progress.sessionId : undefined
    const answer = yield* cli
      .run({
        prompt,
        cwd: place.workspace,
        env: { ...place.env, [replayVariable]: id },
        resume,
        model: place.arm.model,
        programArgs: launch.programArgs,
        args: [...launch.args, ...limits, ...place.arm.args],
        timeout: restMs
      })
      .pipe(Effect.catch((error) => Effect.succeed(error)))
    if ("_tag" in answer) {
      progress.last = undefined
      progress.reason =
        answer._tag === "AgentTooSlow"
          ? `${providerTitles[place.arm.provider]} was ended at prompt ${index + 1}: the time of ${Math.round(limitMs / 1000)} s was over.`
          : answer.message
      return
    }
    progress.last = answer
    if (index > 0 && (resume === undefined || (answer.sessionId !== undefined && !goesOn(place.arm, answer, resume)))) {
      progress.alone++
    }
    progress.sessionId = answer.sessionId ?? progress.sessionId
    if (answer.costUsd !== undefined) {
      const before = isolation.costs(place.agentVersion) === "run" || resume === undefined ? (progress.costUsd ?? 0) : 0
      progress.costUsd = before + answer.costUsd
    }
    // Codex tells of warnings as errors, too: with an answer they are no failure.
    if (answer.exitCode !== 0 || (answer.errors.length > 0 && answer.text === undefined)) {
      const said = answer.errors.length === 0 ? "" : `: ${oneLine(answer.errors.join("; "))}`
      progress.reason = `${providerTitles[place.arm.provider]} failed at prompt ${index + 1} with exit code ${answer.exitCode}${said}.`
      return
    }
    progress.answered++
  }
})

/** Whether an answer belongs to the conversation that was to go on. Antigravity CLI begins another one without a word when it does not know the id. */
const goesOn = (arm: Arm, answer: AgentAnswer, resume: string): boolean =>
  arm.provider !== "antigravity" || answer.sessionId === resume

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().replace(/\.$/, "").slice(0, 300)

const modeOf = (arm: Arm) => (arm.lint_ai ? ("assist" as const) : ("capture-only" as const))

/** What opens and closes the archive of a replay, under the settings of the project that is replayed. */
const writerOf = Effect.fnUntraced(function* (place: Place, launch: Launch, conversation: Conversation, id: SessionId) {
  const archive = yield* SessionArchive
  const toggles = yield* Toggles
  const configuration = yield* Configuration
  const keyring = yield* Keyring
  const processes = yield* Processes
  const settings = yield* configuration.load(launch.projectRoot, yield* toggles.read(launch.projectRoot))
  const redactor = settings.redaction === defaultPolicy ? yield* Redactor : Redactor.make(settings.redaction)
  const key = yield* keyring.identity
  const disk = yield* Effect.context<Disk>()
  const { arm } = place
  const opening: Opening & Partial<Manifest> = {
    provider: arm.provider,
    provider_version: place.agentVersion,
    identity: "provider",
    project_root: launch.projectRoot,
    recording_mode: modeOf(arm),
    ...(yield* readRepository(place.workspace)),
    redaction_policy: redactor.policy,
    redaction_fingerprint: redactor.fingerprint,
    ...capabilitiesOf(arm),
    recorder_version: recorderVersion,
    provider_session_ids: [],
    // Of the one who replays: the replay is over when that one says so, or has gone.
    agent_process: yield* processes.self,
    run_type: "replay",
    ...(conversation.replayOf === undefined ? undefined : { replay_of_session_id: conversation.replayOf }),
    arm: arm.name,
    lint_ai_enabled: arm.lint_ai,
    recording_enabled: true,
    prompt_count: 0
  }
  const append = Effect.fnUntraced(
    function* (drafts: ReadonlyArray<DraftEvent>, changes: NonNullable<AppendRequest["changes"]>) {
      const events = yield* Effect.forEach(drafts, (draft) => prepare(draft, key))
      const result = yield* archive.append({
        sessionsRoot: place.sessionsRoot,
        id,
        events,
        opens: true,
        opening: Effect.succeed(opening),
        changes,
        lockWaitMs
      })
      return result._tag === "NotOpened" ? place.sessionsRoot : result.directory
    },
    Effect.provideService(Redactor, redactor),
    Effect.provideService(ArchivePolicy, settings.archive),
    Effect.provideContext(disk)
  )

  return {
    open: append([begun(place, conversation)], {}),
    close: Effect.fnUntraced(function* (end: End) {
      const now = timestampOf(yield* Clock.currentTimeMillis)
      const { progress } = end
      yield* append([ended(progress), closing(end)], {
        status: progress.reason === undefined ? "completed" : "failed",
        ended_at: now,
        end_reason: progress.reason ?? "replayed",
        prompt_count: progress.answered
      })
    })
  }
})

const capabilitiesOf = (arm: Arm) => {
  const adapter = adapterFor(arm.provider)
  return adapter === undefined ? undefined : { capabilities: adapter.capabilities }
}

/** What was going to happen: the settings of the arm and how many prompts there are. */
const begun = (place: Place, conversation: Conversation): DraftEvent => ({
  kind: "provider_event",
  payload: {
    name: replayEventName,
    fields: {
      phase: "begin",
      ...(conversation.replayOf === undefined ? undefined : { replay_of_session_id: conversation.replayOf }),
      arm: place.arm,
      prompts: conversation.prompts.length,
      workspace: place.workspace,
      settings_root: place.settingsRoot
    }
  },
  identity: ["replay", "begin"]
})

/** For an agent that did not say itself that its session is over; a second end right after one is none. */
const ended = (progress: Progress): DraftEvent => ({
  kind: "session_end",
  payload: { reason: progress.reason === undefined ? "replayed" : "replay-failed" },
  identity: ["replay", "end"],
  scope: "run"
})

interface End {
  readonly progress: Progress
  readonly durationMs: number
  readonly prompts: number
}

/** What the agent's program said at its end, which no hook tells. */
const closing = ({ progress, durationMs, prompts }: End): DraftEvent => ({
  kind: "provider_event",
  payload: {
    name: replayEventName,
    fields: {
      phase: "end",
      status: progress.reason === undefined ? "completed" : "failed",
      ...(progress.reason === undefined ? undefined : { reason: progress.reason }),
      exit_code: progress.last?.exitCode ?? null,
      prompts,
      prompts_answered: progress.answered,
      prompts_alone: progress.alone,
      duration_ms: durationMs,
      cost_usd: progress.costUsd ?? null,
      changed_since_revision: progress.changed ?? null,
      errors: progress.last?.errors ?? [],
      stdout: progress.last?.stdout ?? "",
      stderr: progress.last?.stderr ?? ""
    }
  },
  identity: ["replay", "closed"]
})
