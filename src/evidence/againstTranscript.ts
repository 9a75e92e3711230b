import * as Effect from "effect/Effect"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent, DraftEvent } from "../domain/event.ts"
import { eachLine } from "../providers/WholeTranscript.ts"
import {
  subagentEvents,
  type TranscriptProvider,
  transcriptProviders,
  wholeTranscript
} from "../providers/wholeTranscripts.ts"

/** One tool call that only one side has. Ids and names, nothing of what was said. */
export interface LoneCall {
  readonly tool_use_id: string
  readonly tool_name: string
  readonly timestamp?: string
}

/** How a record and the agent's own transcript of the same session compare. */
export interface TranscriptComparison {
  readonly transcript: string
  readonly agrees: boolean
  /** Calls of the transcript, without those from before the recording began. */
  readonly transcript_calls: number
  readonly recorded_calls: number
  readonly before_recording: number
  /** Calls of the transcript without an event. */
  readonly not_recorded: ReadonlyArray<LoneCall>
  /** Recorded calls that the transcript does not have. */
  readonly not_in_transcript: ReadonlyArray<LoneCall>
  /** Calls that both have, with an end in the transcript alone. */
  readonly end_not_recorded: ReadonlyArray<LoneCall>
}

type ToolEvent = Extract<DraftEvent | ArchivedEvent, { readonly kind: "tool_call" | "tool_result" | "tool_error" }>
const isTool = (event: DraftEvent | ArchivedEvent): event is ToolEvent =>
  event.kind === "tool_call" || event.kind === "tool_result" || event.kind === "tool_error"

interface Seen {
  readonly name: string
  readonly timestamp: string | undefined
  ended: boolean
}

/**
 * Holds a record against the agent's own transcript, call by call: every tool call that the transcript has must have its event, and the reverse.
 * Undefined for an agent whose transcripts lint-ai cannot read as a whole.
 */
export const compareWithTranscript = Effect.fn("compareWithTranscript")(function* (
  directory: string,
  transcript: string
) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  const { manifest } = reading
  const provider = transcriptProviders.find((known): known is TranscriptProvider => known === manifest.provider)
  if (provider === undefined) return undefined

  const recorded = new Map<string, Seen>()
  const note = (seen: Map<string, Seen>, event: ToolEvent, id: string | undefined): void => {
    if (id === undefined) return
    const known = seen.get(id) ?? { name: event.payload.tool_name, timestamp: event.timestamp, ended: false }
    known.ended ||= event.kind !== "tool_call"
    seen.set(id, known)
  }
  const see = (event: ArchivedEvent): void => {
    if (isTool(event)) note(recorded, event, (event as ArchivedEvent).provider_ids?.tool_use_id)
  }
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") see(record.event)
    },
    spooled: see
  })

  const told = new Map<string, Seen>()
  const tell = (drafts: ReadonlyArray<DraftEvent>): void => {
    for (const draft of drafts) if (isTool(draft)) note(told, draft, (draft as DraftEvent).providerIds?.tool_use_id)
  }
  const reader = wholeTranscript(provider, transcript)
  yield* eachLine(transcript, (line) => tell(reader.line(line)), Effect.void)
  tell(yield* subagentEvents(provider, transcript))

  // A recording that was turned on in the middle of a session knows nothing of what was before.
  const early = [...told].filter(
    ([id, { timestamp }]) => !recorded.has(id) && timestamp !== undefined && timestamp < manifest.started_at
  )
  for (const [id] of early) told.delete(id)
  const lone = (from: ReadonlyMap<string, Seen>, is: (id: string, seen: Seen) => boolean): ReadonlyArray<LoneCall> =>
    [...from]
      .filter(([id, seen]) => is(id, seen))
      .map(([tool_use_id, { name, timestamp }]) => ({
        tool_use_id,
        tool_name: name,
        ...(timestamp === undefined ? undefined : { timestamp })
      }))
  const not_recorded = lone(told, (id) => !recorded.has(id))
  const not_in_transcript = lone(recorded, (id) => !told.has(id))
  const end_not_recorded = lone(told, (id, { ended }) => ended && recorded.get(id)?.ended === false)
  return {
    transcript,
    agrees: not_recorded.length + not_in_transcript.length + end_not_recorded.length === 0,
    transcript_calls: told.size,
    recorded_calls: recorded.size,
    before_recording: early.length,
    not_recorded,
    not_in_transcript,
    end_not_recorded
  } satisfies TranscriptComparison
})
