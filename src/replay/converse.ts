import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { issueTicket, replayVariable } from "../control/replayTicket.ts"
import type { Arm } from "../domain/arm.ts"
import { providerTitles } from "../domain/provider.ts"
import type { SessionId } from "../domain/sessionId.ts"
import { Host } from "../platform/Host.ts"
import { Worktrees } from "../platform/Worktrees.ts"
import { AgentStarted } from "../providers/agentProcess.ts"
import type { AgentAnswer } from "../providers/ProviderCli.ts"
import { type Conversation, type ConversationOutcome, type Place, PlaceError } from "./IsolatedAgent.ts"
import type { Launch } from "./isolatedPlace.ts"
import { notingAgents } from "./leftAgents.ts"
import { modeOf, type Progress, replayWriter } from "./replayArchive.ts"
import { newReplayId } from "./replayId.ts"

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
  const write = yield* replayWriter(place, launch, conversation, id)
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
    yield* sendAll(place, launch, conversation, id, progress, write.redacted).pipe(
      Effect.provideService(AgentStarted, yield* notingAgents(launch.root))
    )
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
  progress: Progress,
  redacted: (text: string) => Effect.Effect<string>
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
      const said = answer.errors.length === 0 ? "" : `: ${oneLine(yield* redacted(answer.errors.join("; ")))}`
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
