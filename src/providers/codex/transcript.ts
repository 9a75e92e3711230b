import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent, TranscriptCursor } from "../../domain/event.ts"
import { CurrentDeadline } from "../../platform/Deadline.ts"
import { Disk } from "../../platform/Disk.ts"
import type { TranscriptReading } from "../ProviderAdapter.ts"
import { type FileReading, isNews, isOver, readNewLines, unread, usageDrafts } from "../transcriptLines.ts"
import { type CallEnd, errorOf, type RolloutFindings, rolloutReader, threadOf } from "./rollout.ts"

/** One event with what its rollouts are read for. */
export interface RolloutQuestion {
  readonly event: DraftEvent
  readonly reads: "end" | "mark" | "thread" | "agent" | "all"
  readonly toolUseId: string | undefined
  readonly sessionId: string | undefined
  readonly turnId: string | undefined
  /** The rollout of the event's thread, and of the subagent that ended. From the payload, so any text. */
  readonly rollout: string
  readonly agentRollout: string | undefined
}

/**
 * Tells the event of a delivery with what its rollouts say, and the events that no hook tells of before it. Only rollouts by their usual name
 * and an absolute path are read; a link is not followed. What cannot be read changes nothing.
 *
 * Every thread is read from where the last reading of it ended, by events of that thread: then the hooks of its calls have been run.
 */
export const retell =
  (question: RolloutQuestion): TranscriptReading =>
  ({ cursors, sinceMs }) =>
    Effect.gen(function* () {
      const deadline = yield* CurrentDeadline
      const { event } = question
      const readings: Array<FileReading> = []
      const findings: Array<RolloutFindings> = []
      for (const file of yield* rolloutsOf(question, cursors)) {
        const name = path.basename(file)
        const thread = threadOf(file)
        if (thread === undefined) continue
        if (isOver(deadline)) {
          readings.push(...unread(name, readings, cursors))
          continue
        }
        const from = cursors.find((cursor) => cursor.file === name)?.offset ?? 0
        const reader = rolloutReader(thread, question.sessionId, sinceMs)
        const reading = yield* readNewLines(name, file, from, deadline, reader.visit)
        if (reading === undefined || !isNews(reading, cursors)) continue
        readings.push(reading)
        if (reader.found.messages.size === 0 && reader.found.counts.size > 0 && !(yield* hasRecords(file, reading))) {
          for (const [id, message] of reader.found.counts) reader.found.messages.set(id, message)
        }
        findings.push(reader.found)
      }
      if (question.reads === "end") return [withEnd(event, findings[0]?.ends.get(question.toolUseId ?? ""))]
      if (question.reads === "mark") return [withMark(withVersion(event, findings[0]?.version), findings[0]?.mark)]
      const usage = usageDrafts({
        source: "codex-transcript",
        messages: findings.flatMap((found) => [...found.messages.values()]),
        readings,
        before: cursors,
        turnId: question.turnId
      })
      const told = findings.flatMap((found) => found.events)
      return event.kind === "session_end" ? [...told, ...usage, event] : [...told, event, ...usage]
    })

const isRollout = (file: string | undefined): file is string =>
  file !== undefined && path.isAbsolute(file) && threadOf(file) !== undefined

/** The files to read for an event, the session's own first. */
const rolloutsOf = Effect.fnUntraced(function* (question: RolloutQuestion, cursors: ReadonlyArray<TranscriptCursor>) {
  const { reads, rollout, agentRollout } = question
  if (reads === "agent") return isRollout(agentRollout) ? [agentRollout] : []
  const own = isRollout(rollout) ? [rollout] : []
  if (reads !== "all" || own.length === 0) return own
  const disk = yield* Disk
  const others: Array<string> = []
  for (const { file: name } of cursors) {
    const file = placeOf(rollout, name)
    if (file === undefined || file === rollout) continue
    if ((yield* disk.status(file).pipe(Effect.orElseSucceed(() => undefined)))?.kind === "file") others.push(file)
  }
  return [...own, ...others]
})

/** Where a rollout of that name lies: `sessions/<year>/<month>/<day>/rollout-<year>-<month>-<day>T...`. */
const placeOf = (rollout: string, name: string): string | undefined => {
  const [, year, month, day] = /^rollout-(\d{4})-(\d\d)-(\d\d)T/.exec(name) ?? []
  if (year === undefined || month === undefined || day === undefined || threadOf(name) === undefined) return undefined
  return path.join(path.dirname(rollout), "..", "..", "..", year, month, day, name)
}

/** The end of a call: that of a command tells no exit code to its hook. */
const withEnd = (event: DraftEvent, ended: CallEnd | undefined): DraftEvent => {
  if (event.kind !== "tool_result" || ended === undefined) return event
  const { response, ...payload } = event.payload
  const duration = ended.durationMs === undefined ? {} : { duration_ms: ended.durationMs }
  return ended.outcome === undefined
    ? { ...event, payload: { ...event.payload, ...duration } }
    : {
        ...event,
        kind: "tool_error",
        payload: { ...payload, outcome: ended.outcome, ...errorOf(ended, response), ...duration }
      }
}

const withVersion = (event: DraftEvent, version: string | undefined): DraftEvent =>
  event.kind !== "session_start" || version === undefined
    ? event
    : { ...event, payload: { ...event.payload, agent_version: version } }

const withMark = (event: DraftEvent, mark: string | undefined): DraftEvent =>
  mark === undefined ? event : { ...event, identity: [...event.identity, mark] }

const lookedBackBytes = 256 * 1024

/** Whether this version writes a record for each response: if not in the lines that were read, then in those before. */
const hasRecords = Effect.fnUntraced(function* (file: string, { start }: FileReading) {
  if (start === 0) return false
  const disk = yield* Disk
  const from = Math.max(0, start - lookedBackBytes)
  return yield* disk
    .withFile(file, "read", (open) => open.read(from, start - from))
    .pipe(
      Effect.map((bytes) => bytes.includes('"token_usage_record"')),
      Effect.orElseSucceed(() => true)
    )
})
