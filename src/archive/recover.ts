import * as Effect from "effect/Effect"
import type { Manifest } from "../domain/manifest.ts"
import { Disk } from "../platform/Disk.ts"
import { keepBookkeeping, overGap } from "./append.ts"
import { type ChainKey, genesis } from "./chain.ts"
import { scanLog } from "./eventLog.ts"
import { removeLeftTemporaries } from "./leftTemporaries.ts"
import { afterLine, afterRecord, emptyState, type LogState } from "./logState.ts"
import { countersOf, statusAfter } from "./manifestFile.ts"
import { type Finding, findingOf, noteFindings, readFindings } from "./recoveryRecord.ts"
import type { ArchiveFiles } from "./sessionDirectory.ts"

/** What recovery did with one archive. */
export interface RecoveryReport {
  readonly directory: string
  readonly event_count: number
  /** Deliveries that waited in the spool and are in the log now. */
  readonly drained: number
  /** Everything that is in recovery.json, of this run and of earlier ones. */
  readonly findings: ReadonlyArray<Finding>
  readonly status: Manifest["status"]
}

/** Damage and disorder of a log, told while it is read. */
const orderFindings = () => {
  const findings: Array<Omit<Finding, "found_at">> = []
  const ids = new Set<string>()
  let last = 0
  return {
    findings,
    event: (event: { readonly sequence: number; readonly event_id: string }, offset: number) => {
      const note = (detail: string) => findings.push({ problem: "order", offset, detail })
      if (ids.has(event.event_id)) note(`event ${event.event_id} is there twice`)
      else if (event.sequence <= last) note(`sequence ${event.sequence} follows ${last}`)
      else if (event.sequence === last + 2) note(`event ${last + 1} is missing`)
      else if (event.sequence > last + 1) note(`events ${last + 1} to ${event.sequence - 1} are missing`)
      ids.add(event.event_id)
      last = Math.max(last, event.sequence)
    }
  }
}

/**
 * Makes everything that is derived from a log again from all of it: checkpoint, counters, status, checksums. What is wrong in the log is noted
 * and left where it is. The caller holds the lock and has mended the tail.
 */
export const rebuild = Effect.fnUntraced(function* (
  files: ArchiveFiles,
  manifest: Manifest,
  key: ChainKey,
  drained: number
) {
  const disk = yield* Disk
  let state: LogState = emptyState(genesis(manifest.session_id, manifest.started_at))
  let status: Partial<Manifest> = {}
  const order = orderFindings()
  yield* disk.withFile(files.events, "read", (file) =>
    scanLog(file, 0, {
      record: (record) => {
        state = afterRecord(state, record)
        if (record._tag === "Damage") order.findings.push(findingOf(record, false))
        else {
          order.event(record.event, record.offset)
          status = { ...status, ...statusAfter(manifest, record.event) }
        }
      },
      line: (line) => {
        state = afterLine(state, line)
      }
    })
  )
  yield* noteFindings(files.recovery, order.findings)
  // A status that somebody gave on purpose (incomplete, failed) is not made better by reading the log.
  const kept = manifest.status === "incomplete" || manifest.status === "failed" ? {} : status
  const rebuilt: Manifest = { ...manifest, ...kept, ...countersOf(state) }
  yield* keepBookkeeping(files, rebuilt, yield* overGap(files, rebuilt, state), key)
  yield* removeLeftTemporaries(files.directory)
  yield* removeLeftTemporaries(files.spool)
  return {
    directory: files.directory,
    event_count: state.event_count,
    drained,
    findings: yield* readFindings(files.recovery),
    status: rebuilt.status
  } satisfies RecoveryReport
})
