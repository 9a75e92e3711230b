import type { LockTimeout } from "../archive/LockService.ts"
import type { UnsafePath } from "../archive/privateDirectory.ts"
import type { MemoryRecord } from "../domain/memory.ts"
import type { DiskError } from "../platform/Disk.ts"
import type { SqliteError, SqliteUnavailable } from "../platform/Sqlite.ts"
import type { MemoryNotOwned } from "./owner.ts"
import type { SegmentFaults } from "./segmentFaults.ts"

/** A memory as it is read back. */
export interface Memory extends MemoryRecord {
  /** Id of the memory that took its place. */
  readonly superseded_by: string | null
}

/** One answer to a question. */
export interface MemoryHit {
  readonly memory: Memory
  /** Compares the hits of one question; 1 is the best in every view, a named date can add to it. */
  readonly score: number
  /** Share of the question, by weight, that it holds together with its neighbours: 0 to 1. Compares across questions. */
  readonly coverage: number
  /** Stems and identifiers of the question that were found. */
  readonly matched: ReadonlyArray<string>
}

export interface Added {
  /** Ids of memories that are new. */
  readonly added: ReadonlyArray<string>
  /** Ids of those that were there already. */
  readonly known: ReadonlyArray<string>
}

export interface MemoryStats extends SegmentFaults {
  readonly records: number
  readonly sessions: number
  readonly superseded: number
  readonly kinds: ReadonlyArray<{ readonly kind: string; readonly count: number }>
  readonly segments: number
  readonly segment_bytes: number
  readonly index_bytes: number
  /** Bytes of the segments that the index has not taken in yet. */
  readonly unread_bytes: number
}

/** What reading a memory can fail with. */
export type MemoryReadError = DiskError | MemoryNotOwned | SqliteError | SqliteUnavailable
export type MemoryWriteError = DiskError | MemoryNotOwned | UnsafePath | LockTimeout
