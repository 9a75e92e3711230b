import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent, TranscriptCursor } from "../../../src/domain/event.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { codexAdapter } from "../../../src/providers/codex/adapter.ts"
import type { Delivery } from "../../../src/providers/ProviderAdapter.ts"
import { type Moment, rolloutLines } from "./fixtures.ts"

export const read = (payload: unknown, parentPid?: number): Delivery =>
  Effect.runSync(
    codexAdapter.read({ payload, event: undefined, env: {}, ...(parentPid === undefined ? {} : { parentPid }) })
  )

/** What the archive of one session keeps: the archive's rules in their shortest form. */
export class Recording {
  readonly kept: Array<DraftEvent> = []
  cursors: ReadonlyArray<TranscriptCursor> = []
  #known: ReadonlyArray<string> = []
  #ends = 0
  readonly #sinceMs: number

  constructor(sinceMs = 0) {
    this.#sinceMs = sinceMs
  }

  deliver(delivery: Delivery): void {
    const { events, transcript, retold } = delivery
    const told =
      transcript === undefined
        ? events
        : Effect.runSync(Effect.provide(transcript({ cursors: this.cursors, sinceMs: this.#sinceMs }), Disk.layer))
    for (const event of retold === true || transcript === undefined ? told : [...events, ...told]) {
      const id = JSON.stringify([event.identity, event.scope === "run" ? this.#ends : undefined])
      const known = event.scope === "recent" ? this.#known.slice(-8) : this.#known
      // An end right after an end is that end again.
      if (known.includes(id) || (event.kind === "session_end" && this.kept.at(-1)?.kind === "session_end")) continue
      this.#known = [...this.#known, id]
      this.kept.push(event)
      if (event.kind === "session_end") this.#ends++
      if (event.kind === "turn_usage" && event.payload.cursors !== undefined) this.cursors = event.payload.cursors
    }
  }
}

const fieldsWithPaths = ["transcript_path", "agent_transcript_path"] as const

/**
 * Delivers a captured session as it happened: at each delivery the rollout has the lines that it had then.
 *
 * @param directory where the rollouts are laid, in place of the sessions directory of Codex
 */
export const replay = (
  directory: string,
  moments: ReadonlyArray<Moment>,
  recording = new Recording(),
  parentPid = 1
): Recording => {
  for (const { lines, payload } of moments) {
    const moved: Record<string, unknown> = { ...payload }
    for (const field of fieldsWithPaths) {
      const given = payload[field]
      if (typeof given === "string") moved[field] = path.join(directory, given.slice(given.indexOf("sessions/")))
    }
    const file = moved.agent_transcript_path ?? moved.transcript_path
    if (typeof file === "string") {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, rolloutLines(path.basename(file)).slice(0, lines).join(""))
    }
    recording.deliver(read(moved, parentPid))
  }
  return recording
}

/** One word for an event. */
const word = (event: DraftEvent): string => {
  const agent = event.providerIds?.agent_id === undefined ? "" : "~"
  switch (event.kind) {
    case "session_start":
      return `start:${event.payload.source}`
    case "session_end":
      return `end:${event.payload.reason}`
    case "user_prompt":
      return event.payload.origin === "user" ? "prompt" : `prompt:${event.payload.origin}`
    case "assistant_message":
      return event.payload.error === undefined ? "answer" : "answer:failed"
    case "tool_call":
      return `${agent}${event.payload.tool_name}?`
    case "tool_result":
      return `${agent}${event.payload.tool_name}`
    case "tool_error":
      return `${agent}${event.payload.tool_name}:${event.payload.outcome}`
    case "compaction":
      return `compaction:${event.payload.phase}`
    case "provider_event":
      return event.payload.name
    default:
      return event.kind
  }
}

/** What happened in words. Model requests and usage are left out: they come between all else. */
export const summary = (events: ReadonlyArray<DraftEvent>): string =>
  events
    .filter((event) => event.kind !== "turn_usage")
    .map(word)
    .filter((one) => one !== "PreModelRequest")
    .join(" ")
