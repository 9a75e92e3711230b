import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { DraftEvent, TranscriptCursor } from "../domain/event.ts"
import type { Capabilities } from "../domain/manifest.ts"
import type { Provider } from "../domain/provider.ts"
import type { Disk } from "../platform/Disk.ts"

/** What a hook was given does not have the shape that this provider sends. Carries field names and problems, never values. */
export class PayloadInvalid extends Data.TaggedError("PayloadInvalid")<{
  readonly provider: Provider
  readonly problem: string
}> {}

/** One hook delivery as it came: the decoded JSON of stdin, the event name from argv where the provider gives it there, and the environment. */
export interface HookInput {
  readonly payload: unknown
  readonly event: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The process that started the hook. Tells two runs of one session apart where the provider does not. */
  readonly parentPid?: number
}

/** What a delivery means. */
export interface Delivery {
  readonly provider: Provider
  /** The provider's name of the hook event. */
  readonly event: string
  /** The provider's session id; undefined when it gave none. */
  readonly sessionId: string | undefined
  /** Where the provider keeps its own transcript of the session. */
  readonly transcriptPath: string | undefined
  /** Working directory of the agent when the event happened. */
  readonly cwd: string | undefined
  /** The provider's own word for the project directory. */
  readonly projectDirectory: string | undefined
  /** Pid of the agent, where the provider tells it. */
  readonly agentPid: number | undefined
  /** Version of the agent, where the provider tells it. */
  readonly providerVersion?: string
  readonly events: ReadonlyArray<DraftEvent>
  /** `start`: the session begins or goes on. `end`: it is over. `none`: anything between. */
  readonly boundary: "start" | "end" | "none"
  /** Whether a session may begin with this event: what follows a session that nobody recorded opens no archive. */
  readonly opens: boolean
  /** Reads what the hook itself cannot give (usage) from the provider's files; absent when there is nothing to read at this event. */
  readonly transcript?: TranscriptReading
  /**
   * Set when the reading tells the events of the delivery again, better than the hook could, in the order that they belong in: what it
   * gives then stands in place of `events`. They hold where the reading cannot be done, because the session's lock was not to be had.
   */
  readonly retold?: true
}

/**
 * Reads new lines of the session's transcripts from where the last reading ended. `since` is the start of the recording in milliseconds:
 * what is older belongs to another archive (a fork's copied history, a session recorded from its middle). A file that is missing or
 * unreadable gives no events.
 */
export type TranscriptReading = (from: {
  readonly cursors: ReadonlyArray<TranscriptCursor>
  readonly sinceMs: number
}) => Effect.Effect<ReadonlyArray<DraftEvent>, never, Disk>

/** Everything that the recorder needs to know of one provider. */
export interface ProviderAdapter {
  readonly provider: Provider
  readonly capabilities: Capabilities
  /** Maps one hook delivery. Pure and total but for a payload that is not this provider's. */
  readonly read: (input: HookInput) => Effect.Effect<Delivery, PayloadInvalid>
  /** What the agent expects on stdout when the hook has nothing to say to it. */
  readonly answer: (event: string) => string
}
