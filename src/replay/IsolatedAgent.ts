import * as path from "node:path"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { sessionDirectory } from "../archive/sessionDirectory.ts"
import type { Arm } from "../domain/arm.ts"
import { type SessionId, sessionId } from "../domain/sessionId.ts"
import type { ChangedFiles } from "../platform/Worktrees.ts"

/** Where the files come from that an agent works on. */
export interface Source {
  /** The project that is worked on; it is never written to. */
  readonly projectRoot: string
  /** The commit to check out; undefined where there is no git: then a bounded copy is made. */
  readonly revision: string | undefined
  /** A patch of uncommitted changes to apply on top. */
  readonly patch?: Uint8Array | undefined
}

/** What place is wanted. */
export interface PlaceRequest {
  readonly arm: Arm
  readonly source: Source
  /** The directory for everything that the place keeps while it lives. */
  readonly below: string
  /** Archives go here, and stay. */
  readonly sessionsRoot: string
  /** Leaves the place there when its scope ends. */
  readonly keep?: boolean | undefined
}

/** A place of its own for one arm: workspace, settings home and memory. Everything of it but the archives goes when its scope ends. */
export interface Place {
  readonly arm: Arm
  /** The agent's working directory: a detached worktree or a copy. */
  readonly workspace: string
  /** The agent's settings home. */
  readonly settingsRoot: string
  /** The directory that the archives of its sessions are in. */
  readonly sessionsRoot: string
  /** The environment of the agent, for validators to derive theirs from; holds no LINT_AI_REPLAY_SESSION_ID. */
  readonly env: Readonly<Record<string, string>>
  readonly agentVersion: string
  /** What the person should be told: whose login is used, what could not be switched off, what of the baseline's state is missing. */
  readonly notes: ReadonlyArray<string>
}

/** There is no place for an arm, or none that lint-ai can stand for. `reason` says what is wrong and what to do, as a clause. */
export class PlaceError extends Data.TaggedError("PlaceError")<{ readonly arm: string; readonly reason: string }> {
  override get message(): string {
    return `The arm "${this.arm}" cannot be set up: ${this.reason}.`
  }
}

/** One conversation in a place: a new provider session, recorded as one archive. */
export interface Conversation {
  /** Sent in order: the first begins the session, the others go on with it. */
  readonly prompts: ReadonlyArray<string>
  /** The session it is a replay of; undefined for a conversation that repeats none. */
  readonly replayOf?: SessionId | undefined
  /** For the whole conversation. */
  readonly timeout: Duration.Input
  /** Limits that the agent's program can hold itself; the rest is judged afterwards. */
  readonly limits?: { readonly turns?: number | undefined; readonly usd?: number | undefined } | undefined
}

/** How one conversation went. A provider that fails is an outcome, and its archive can be inspected. */
export interface ConversationOutcome {
  readonly sessionId: SessionId
  /** Its archive. */
  readonly directory: string
  readonly status: "completed" | "failed"
  /** Why it failed, as a sentence. */
  readonly reason?: string | undefined
  /** The exit code of the agent's last run; undefined when it was ended or never began. */
  readonly exitCode: number | undefined
  /** How many prompts were answered. */
  readonly promptCount: number
  /** What the agent answered last. */
  readonly answer: string | undefined
  /** US dollars, where the agent tells. */
  readonly costUsd: number | undefined
  readonly durationMs: number
  /**
   * How much of the workspace differs from the recorded revision now, committed there or not; absent where there is no revision or Git cannot tell. Earlier
   * conversations of the place, and a patch, count too.
   */
  readonly changed?: ChangedFiles | undefined
  /** Prompts that could not go on with the same conversation and were sent alone. */
  readonly alone: number
}

/**
 * Runs an agent where nothing of the user, the project or another run reaches it but what its arm names, and records it there. Replays, scenarios
 * and experiments all come here.
 */
export class IsolatedAgent extends Context.Service<
  IsolatedAgent,
  {
    /** Makes a place for an arm. */
    readonly place: (request: PlaceRequest) => Effect.Effect<Place, PlaceError, Scope.Scope>
    /**
     * Holds one conversation with the agent in a place, as a new provider session. When interrupted, the agent's process group is ended and the
     * archive is closed as failed.
     */
    readonly converse: (place: Place, conversation: Conversation) => Effect.Effect<ConversationOutcome, PlaceError>
  }
>()("lint-ai/replay/IsolatedAgent") {
  /**
   * An agent that runs nothing, in places that are names alone.
   *
   * @param pretended what a place, or an outcome, has besides a conversation that answered every prompt; or why there is none
   */
  static readonly layerTest = (
    pretended: {
      readonly place?: (request: PlaceRequest) => Effect.Effect<Partial<Place>, PlaceError, Scope.Scope>
      readonly converse?: (
        place: Place,
        conversation: Conversation
      ) => Effect.Effect<Partial<ConversationOutcome>, PlaceError>
    } = {}
  ): Layer.Layer<IsolatedAgent> => {
    let conversations = 0
    return Layer.succeed(IsolatedAgent, {
      place: (request) =>
        Effect.map(pretended.place?.(request) ?? Effect.succeed({}), (given) => ({
          arm: request.arm,
          workspace: path.join(request.below, "work"),
          settingsRoot: path.join(request.below, "settings"),
          sessionsRoot: request.sessionsRoot,
          env: {},
          agentVersion: "0.0.0",
          notes: [],
          ...given
        })),
      converse: (place, conversation) =>
        Effect.map(pretended.converse?.(place, conversation) ?? Effect.succeed({}), (given) => {
          const id = sessionId(place.arm.provider, `test-${++conversations}`)
          return {
            sessionId: id,
            directory: path.join(place.sessionsRoot, sessionDirectory(id)),
            status: "completed" as const,
            exitCode: 0,
            promptCount: conversation.prompts.length,
            answer: "yes",
            costUsd: undefined,
            durationMs: 1000,
            alone: 0,
            ...given
          }
        })
    })
  }
}
