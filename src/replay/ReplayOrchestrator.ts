import * as path from "node:path"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FrozenArchive, KeyMissing, NoArchive } from "../archive/existingArchive.ts"
import type { Keyring } from "../archive/Keyring.ts"
import type { LockTimeout } from "../archive/LockService.ts"
import type { UnsafePath } from "../archive/privateDirectory.ts"
import { readEvents, type SessionSummary } from "../archive/readArchive.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { sessionDirectory } from "../archive/sessionDirectory.ts"
import type { Arm, ArmMemory, ArmProfile } from "../domain/arm.ts"
import { counted } from "../domain/counted.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { type Provider, providerTitles } from "../domain/provider.ts"
import { sessionId } from "../domain/sessionId.ts"
import type { Disk, DiskError } from "../platform/Disk.ts"
import type { Git } from "../platform/Git.ts"
import { Host } from "../platform/Host.ts"
import type { Processes } from "../platform/Processes.ts"
import type { WorktreeFailed, Worktrees } from "../platform/Worktrees.ts"
import { isolationFor } from "../providers/isolations.ts"
import { type ConversationOutcome, IsolatedAgent, PlaceError } from "./IsolatedAgent.ts"
import { checkMemory } from "./memorySeed.ts"
import { checkPatch, type NoPatch, readPatch, type WantedPatch } from "./patch.ts"
import { type RecordedPrompt, recordedModel, recordedPermissions, userPrompts } from "./prompts.ts"

/** The session holds nothing that could be sent again. */
export class NoPrompts extends Data.TaggedError("NoPrompts")<{ readonly session: string }> {
  override get message(): string {
    return `${this.session} holds no prompt of the user, so there is nothing to replay.`
  }
}

/** Prompts are not what the user wrote any more. */
export class PromptsAltered extends Data.TaggedError("PromptsAltered")<{
  readonly session: string
  /** Their numbers, from 1. */
  readonly redacted: ReadonlyArray<number>
  readonly cut: ReadonlyArray<number>
}> {
  override get message(): string {
    const some = (numbers: ReadonlyArray<number>, what: string) =>
      numbers.length === 0
        ? []
        : [numbers.length === 1 ? `prompt ${numbers[0]} was ${what}` : `prompts ${numbers.join(", ")} were ${what}`]
    const told = [...some(this.redacted, "redacted"), ...some(this.cut, "cut")].join(", and ")
    return `In ${this.session} ${told} by the recording, so a replay would send another text than the user did. --allow-redacted sends what is recorded.`
  }
}

/** The session still goes on. */
export class BaselineRuns extends Data.TaggedError("BaselineRuns")<{ readonly session: string }> {
  override get message(): string {
    return `${this.session} still runs. End it in the agent, then replay it.`
  }
}

/** What is to be replayed, and how. */
export interface ReplayRequest {
  readonly baseline: SessionSummary
  readonly lintAi: boolean
  /** Instead of the recorded one. */
  readonly model?: string | undefined
  /** Instead of the project's as of the baseline's start. */
  readonly memory?: ArmMemory | undefined
  readonly nativeMemory: boolean
  readonly instructionFiles: boolean
  readonly profile: ArmProfile
  /** More arguments for the agent's program. */
  readonly args: ReadonlyArray<string>
  readonly patch?: WantedPatch["patch"]
  readonly allowRedacted: boolean
  readonly timeout: Duration.Input
  /** How many replays, one after another, each in a place of its own. */
  readonly repeat: number
  readonly keep: boolean
}

/** What a replay will do. Making it writes nothing. */
export interface ReplayPlan {
  readonly request: ReplayRequest
  readonly arm: Arm
  readonly prompts: ReadonlyArray<RecordedPrompt>
  readonly projectRoot: string
  readonly revision: string | undefined
  /** The replays' archives go here, beside the baseline. */
  readonly sessionsRoot: string
  /** Sentences for a person: in what the replay differs from what was recorded. */
  readonly notes: ReadonlyArray<string>
  /** Those of them that are about the arm, and hold for other prompts than the recorded ones too. */
  readonly armNotes: ReadonlyArray<string>
}

/** One replay that was made, in whatever way it ended. */
export interface Replayed extends ConversationOutcome {
  /** What its place differs in from the user's. */
  readonly notes: ReadonlyArray<string>
}

export type ReplayError =
  | NoPrompts
  | PromptsAltered
  | BaselineRuns
  | NoPatch
  | PlaceError
  | WorktreeFailed
  | DiskError
  | UnsafePath
  | LockTimeout
  | NoArchive
  | FrozenArchive
  | KeyMissing

/**
 * Runs the prompts of a recorded session again, each replay as a new session of the agent with an archive of its own. A session that the agent forks is not a
 * replay: it takes the history along.
 */
export class ReplayOrchestrator extends Context.Service<
  ReplayOrchestrator,
  {
    readonly plan: (request: ReplayRequest) => Effect.Effect<ReplayPlan, ReplayError>
    /** Replays once. The baseline is frozen first: it never changes again. When interrupted, all of the replay but its archive, closed as failed, is gone. */
    readonly replay: (plan: ReplayPlan) => Effect.Effect<Replayed, ReplayError>
  }
>()("lint-ai/replay/ReplayOrchestrator") {
  static readonly layer = Layer.effect(
    ReplayOrchestrator,
    Effect.gen(function* () {
      const machine = yield* Effect.context<
        Disk | Host | Keyring | Processes | Git | Worktrees | SessionArchive | IsolatedAgent
      >()
      return ReplayOrchestrator.of({
        plan: (request) => Effect.provideContext(plan(request), machine),
        replay: (planned) => Effect.provideContext(replay(planned), machine)
      })
    })
  )

  /**
   * Replays that nobody makes: each plan has one prompt, and reads no archive.
   *
   * @param replay what a replay gives besides one that answered its prompt, by its number from 1; or why there is none
   */
  static readonly layerTest = (
    replay: (plan: ReplayPlan, number: number) => Effect.Effect<Partial<Replayed>, ReplayError>
  ): Layer.Layer<ReplayOrchestrator> => {
    let made = 0
    return Layer.succeed(ReplayOrchestrator, {
      plan: (request) => {
        const { manifest, directory } = request.baseline
        const plan: ReplayPlan = {
          request,
          arm: armFor(request, request.model, request.args),
          prompts: [{ sequence: 2, text: "a prompt", altered: [] }],
          projectRoot: manifest.project_root,
          revision: manifest.repository_revision ?? undefined,
          sessionsRoot: path.dirname(directory),
          notes: [],
          armNotes: []
        }
        return Effect.succeed(plan)
      },
      replay: (plan) =>
        Effect.suspend(() => {
          const number = ++made
          const id = sessionId(plan.arm.provider, `replay-${number}`)
          return Effect.map(replay(plan, number), (given) => ({
            sessionId: id,
            directory: path.join(plan.sessionsRoot, sessionDirectory(id)),
            status: "completed" as const,
            exitCode: 0,
            promptCount: plan.prompts.length,
            answer: "yes",
            costUsd: undefined,
            durationMs: 1000,
            alone: 0,
            notes: [],
            ...given
          }))
        })
    })
  }
}

const eventsOf = Effect.fnUntraced(function* ({ directory, manifest }: SessionSummary) {
  const events: Array<ArchivedEvent> = []
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event" && kinds.has(record.event.kind)) events.push(record.event)
    },
    spooled: (event) => {
      if (kinds.has(event.kind)) events.push(event)
    }
  })
  return events
})
const kinds: ReadonlySet<string> = new Set(["session_start", "user_prompt", "turn_usage"])

const plan = Effect.fn("ReplayOrchestrator.plan")(function* (request: ReplayRequest) {
  const { baseline } = request
  const { manifest } = baseline
  const session = manifest.session_id
  if (baseline.status === "active") return yield* new BaselineRuns({ session })
  const events = yield* eventsOf(baseline)
  const recorded = userPrompts(events)
  // Nothing can be asked without a text.
  const prompts = recorded.filter(({ text }) => text.trim() !== "")
  if (prompts.length === 0) return yield* new NoPrompts({ session })
  const altered = (how: "redacted" | "cut") =>
    recorded.flatMap((prompt, index) => (prompt.altered.includes(how) ? [index + 1] : []))
  const [redacted, cut] = [altered("redacted"), altered("cut")]
  if (!request.allowRedacted && redacted.length + cut.length > 0) {
    return yield* new PromptsAltered({ session, redacted, cut })
  }
  const provider: Provider = manifest.provider
  const permissions = isolationFor(provider)?.permissions(recordedPermissions(events))
  // Antigravity CLI takes no model, and the others the one that was recorded.
  const model = request.model ?? (provider === "antigravity" ? undefined : recordedModel(events))
  const revision = manifest.repository_revision ?? undefined
  yield* checkPatch({ patch: request.patch, projectRoot: manifest.project_root, revision })
  const armNotes = [
    ...(permissions?.notes ?? []),
    ...(model === undefined
      ? [`No model was recorded and none is given: ${providerTitles[provider]} takes its usual one.`]
      : [])
  ]
  const arm = armFor(request, model, [...(permissions?.args ?? []), ...request.args])
  if (arm.lint_ai) {
    yield* checkMemory(arm.memory, provider, manifest.project_root).pipe(
      Effect.catchTag("NothingToFind", ({ message }) => new PlaceError({ arm: arm.name, reason: message }))
    )
  }
  return {
    request,
    arm,
    prompts,
    projectRoot: manifest.project_root,
    revision,
    sessionsRoot: path.dirname(baseline.directory),
    notes: [
      ...alteredNotes(prompts),
      ...(recorded.length === prompts.length
        ? []
        : [
            `Not sent, since nothing of their text was recorded: ${recorded.length - prompts.length} of ${counted(recorded.length, "prompt")}.`
          ]),
      ...partNotes(manifest),
      ...armNotes,
      ...dirtyNotes(request, manifest.repository_dirty ?? null, revision)
    ],
    armNotes
  } satisfies ReplayPlan
})

const armFor = (
  { baseline: { manifest }, ...request }: ReplayRequest,
  model: string | undefined,
  args: ReadonlyArray<string>
): Arm => ({
  name: `${manifest.provider}-${request.lintAi ? "lint-ai" : "off"}`,
  provider: manifest.provider,
  ...(model === undefined ? undefined : { model }),
  lint_ai: request.lintAi,
  native_memory: request.nativeMemory,
  instruction_files: request.instructionFiles,
  memory: request.memory ?? { from: "project", as_of: manifest.started_at },
  profile: request.profile,
  args
})

const alteredNotes = (prompts: ReadonlyArray<RecordedPrompt>): ReadonlyArray<string> => {
  const told = (["redacted", "cut"] as const).flatMap((how) => {
    const count = prompts.filter(({ altered }) => altered.includes(how)).length
    return count === 0 ? [] : [`${count} ${how}`]
  })
  return told.length === 0
    ? []
    : [`Not what the user wrote: ${told.join(" and ")} of ${counted(prompts.length, "prompt")}.`]
}

/** Where the archive is a part of what happened, so is what is sent. */
const partNotes = (manifest: Manifest): ReadonlyArray<string> => [
  ...(manifest.joined === undefined
    ? []
    : ["Recording began in the middle of the session: what was asked before is not sent."]),
  ...(manifest.continues_session_id === undefined
    ? []
    : [`The session goes on from ${manifest.continues_session_id}, whose prompts are not sent.`]),
  ...((manifest.dropped_count ?? 0) === 0
    ? []
    : ["The session grew over its size bound: what was asked afterwards is not recorded and not sent."])
]

const dirtyNotes = (
  request: ReplayRequest,
  dirty: boolean | null,
  revision: string | undefined
): ReadonlyArray<string> => {
  if (revision === undefined || request.patch !== undefined || dirty === false) return []
  const state = dirty === true ? "had" : "may have had"
  return [
    `The project ${state} uncommitted changes when the baseline began, which its archive does not hold and the replay does not have. While nothing was committed since, --with-patch applies what is uncommitted now.`
  ]
}

const replay = Effect.fn("ReplayOrchestrator.replay")(function* (planned: ReplayPlan) {
  const { request, arm, prompts } = planned
  const agent = yield* IsolatedAgent
  const host = yield* Host
  yield* freezeBaseline(request.baseline)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const place = yield* agent.place({
        arm,
        source: {
          projectRoot: planned.projectRoot,
          revision: planned.revision,
          patch: yield* readPatch({
            patch: request.patch,
            projectRoot: planned.projectRoot,
            revision: planned.revision
          })
        },
        // Where no ancestor is a project or the user's home: agents read instructions from ancestors too.
        below: host.temporary,
        sessionsRoot: planned.sessionsRoot,
        keep: request.keep
      })
      const outcome = yield* agent.converse(place, {
        prompts: prompts.map((prompt) => prompt.text),
        replayOf: request.baseline.manifest.session_id,
        timeout: request.timeout
      })
      return { ...outcome, notes: place.notes } satisfies Replayed
    })
  )
})

/** A baseline never changes again: what still waits beside its log is taken in first. */
export const freezeBaseline = Effect.fn("freezeBaseline")(function* (baseline: SessionSummary) {
  const archive = yield* SessionArchive
  if (yield* archive.isUnsettled(baseline.directory, baseline.manifest)) yield* archive.recover(baseline.directory)
  yield* archive.freeze(baseline.directory)
})
