import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { frozenMark } from "./opening.ts"
import type { SessionSummary } from "./readArchive.ts"

/** Which sessions may go. Absent rules ask for nothing. */
export interface RetentionRules {
  /** Sessions whose end is longer ago. */
  readonly olderThanMs?: number | undefined
  /** This many of the newest always stay; without another rule, all others go. */
  readonly keep?: number | undefined
  /** Together they may be this large: the oldest go until they are. */
  readonly maxBytes?: number | undefined
}

export interface PruneCandidate {
  readonly session: SessionSummary
  readonly bytes: number
  readonly reason: "age" | "number" | "size"
}

export interface PrunePlan {
  readonly remove: ReadonlyArray<PruneCandidate>
  readonly kept: ReadonlyArray<{ readonly session: SessionSummary; readonly bytes: number }>
  /** Sessions that no rule may take: still running, or the baseline of a replay or experiment. */
  readonly spared: ReadonlyArray<{ readonly session: SessionSummary; readonly because: "active" | "frozen" }>
}

/** Bytes of all files of an archive. */
export const archiveBytes = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<number, DiskError, Disk> {
  const disk = yield* Disk
  let bytes = 0
  for (const name of yield* disk.list(directory)) {
    const file = path.join(directory, name)
    const status = yield* disk.status(file)
    if (status?.kind === "file") bytes += status.size
    if (status?.kind === "directory") bytes += yield* archiveBytes(file)
  }
  return bytes
})

const timeOf = ({ manifest }: SessionSummary): number => Date.parse(manifest.ended_at ?? manifest.started_at)

/** What the rules would remove now. Changes nothing. */
export const planPrune = Effect.fn("planPrune")(function* (
  sessions: ReadonlyArray<SessionSummary>,
  rules: RetentionRules,
  nowMs: number
) {
  const disk = yield* Disk
  const spared: Array<PrunePlan["spared"][number]> = []
  const ended: Array<{ readonly session: SessionSummary; readonly bytes: number }> = []
  for (const session of sessions) {
    if (session.status === "active") spared.push({ session, because: "active" })
    else if ((yield* disk.status(frozenMark(session.directory))) !== undefined)
      spared.push({ session, because: "frozen" })
    else ended.push({ session, bytes: yield* archiveBytes(session.directory) })
  }
  ended.sort((left, right) => timeOf(right.session) - timeOf(left.session))
  const { olderThanMs, keep, maxBytes } = rules
  const isAlone = keep !== undefined && olderThanMs === undefined && maxBytes === undefined
  const remove: Array<PruneCandidate> = []
  const kept: Array<{ readonly session: SessionSummary; readonly bytes: number }> = []
  let total = 0
  for (const [place, one] of ended.entries()) {
    const isOld = olderThanMs !== undefined && nowMs - timeOf(one.session) > olderThanMs
    const isOver = maxBytes !== undefined && total + one.bytes > maxBytes
    const reason = isAlone ? ("number" as const) : isOld ? ("age" as const) : isOver ? ("size" as const) : undefined
    if (reason === undefined || place < (keep ?? 0)) {
      total += one.bytes
      kept.push(one)
    } else remove.push({ ...one, reason })
  }
  return { remove, kept, spared } satisfies PrunePlan
})

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
/** `90m`, `12h`, `30d`, `2w` in milliseconds; undefined for anything else. */
export const parseAge = (text: string): number | undefined => {
  const [, count, unit = ""] = /^(\d{1,6})\s*([mhdw])$/.exec(text.trim()) ?? []
  const factor = units[unit]
  return count === undefined || factor === undefined ? undefined : Number(count) * factor
}

const sizes: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40
}
/** `800 MB`, `2GiB`, `1.5gb` in bytes; undefined for anything else. */
export const parseSize = (text: string): number | undefined => {
  const [, count, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]*)$/.exec(text.trim().toLowerCase()) ?? []
  const factor = sizes[unit]
  return count === undefined || factor === undefined ? undefined : Math.floor(Number(count) * factor)
}
