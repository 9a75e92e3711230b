import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ArchivePolicy } from "../archive/ArchivePolicy.ts"
import type { AppendRequest } from "../archive/appendSession.ts"
import { Keyring } from "../archive/Keyring.ts"
import type { Opening } from "../archive/opening.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { projectSettings } from "../control/projectSettings.ts"
import type { Arm } from "../domain/arm.ts"
import type { DraftEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { SessionId } from "../domain/sessionId.ts"
import { timestampOf } from "../domain/timestamp.ts"
import type { Disk } from "../platform/Disk.ts"
import { Processes } from "../platform/Processes.ts"
import type { ChangedFiles } from "../platform/Worktrees.ts"
import type { AgentAnswer } from "../providers/ProviderCli.ts"
import { adapterFor } from "../providers/registry.ts"
import { prepare } from "../recorder/prepare.ts"
import { readRepository } from "../recorder/repository.ts"
import { recorderVersion } from "../recorder/version.ts"
import { defaultPolicy } from "../redaction/policy.ts"
import { Redactor } from "../redaction/Redactor.ts"
import type { Conversation, Place } from "./IsolatedAgent.ts"
import type { Launch } from "./isolatedPlace.ts"
import { replayEventName } from "./replayEvent.ts"

const lockWaitMs = 20_000

/** What is known while a conversation runs. */
export interface Progress {
  sessionId: string | undefined
  answered: number
  alone: number
  last: AgentAnswer | undefined
  costUsd: number | undefined
  /** Why it stopped before its end. */
  reason: string | undefined
  changed: ChangedFiles | undefined
}

/** A replay records whatever retrieval is set to. */
export const modeOf = (arm: Arm) => (arm.lint_ai ? ("assist" as const) : ("capture-only" as const))

/** What opens and closes the archive of a replay, under the settings of the project that is replayed. */
export const replayWriter = Effect.fnUntraced(function* (
  place: Place,
  launch: Launch,
  conversation: Conversation,
  id: SessionId
) {
  const archive = yield* SessionArchive
  const keyring = yield* Keyring
  const processes = yield* Processes
  const settings = yield* projectSettings(launch.projectRoot)
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
    /** A text without its secrets, for what is told and kept outside of the log. */
    redacted: (text: string) =>
      redactor.redact(text, "output").pipe(
        Effect.map(({ value }) => String(value)),
        Effect.orElseSucceed(() => "[REDACTED:withheld]")
      ),
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

export interface End {
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
