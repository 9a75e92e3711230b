import type { ArchivedEvent, TranscriptCursor } from "../domain/event.ts"

/** The transcripts of a session that were not read to their end, by the names of their cursors: its usage is short of what they hold. */
export const unreadTranscripts = () => {
  const last = new Map<string, TranscriptCursor>()
  return {
    add: (event: Pick<ArchivedEvent, "kind" | "payload">): void => {
      if (event.kind !== "turn_usage" || !("cursors" in event.payload)) return
      for (const cursor of event.payload.cursors ?? []) last.set(cursor.file, cursor)
    },
    end: (): ReadonlyArray<string> => [...last.values()].flatMap(({ file, more }) => (more === true ? [file] : []))
  }
}
