import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile, writeAll } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { MemoryRecord } from "../domain/memory.ts"
import { Disk } from "../platform/Disk.ts"
import { hmacSha256, sameDigest } from "../platform/digest.ts"

/**
 * The truth of a memory: JSON lines in numbered files, each line with a MAC over its own bytes before it. Lines are only ever added; to forget one
 * rewrites its file without it. A line that is torn or damaged costs itself and no other.
 */

/** A file is not added to beyond this size: to forget something rewrites one. */
const segmentBytes = 8 * 1024 * 1024

const segmentFile = (directory: string, segment: number): string =>
  path.join(directory, `${String(segment).padStart(8, "0")}.jsonl`)

export interface SegmentStatus {
  readonly segment: number
  readonly file: string
  readonly size: number
  /** Changes when the file was rewritten. */
  readonly inode: number
}

/** The segments of a memory in their order. */
export const listSegments = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const found: Array<SegmentStatus> = []
  for (const name of yield* disk.list(directory)) {
    if (!/^\d{8}\.jsonl$/.test(name)) continue
    const file = path.join(directory, name)
    const status = yield* disk.status(file)
    if (status?.kind !== "file") continue
    found.push({ segment: Number.parseInt(name, 10), file, size: status.size, inode: status.inode })
  }
  return found
})

const macMark = ',"mac":"'

/** The line of a record, with its newline. */
export const segmentLine = (key: ChainKey, record: MemoryRecord): Buffer => {
  const body = JSON.stringify(record).slice(0, -1)
  return Buffer.from(`${body}${macMark}${hmacSha256(key.secret, "lint-ai memory 1\n", body)}"}\n`)
}

/** Whether a line was written by whoever holds the key. */
export const isAuthentic = (key: ChainKey, line: string): boolean => {
  const at = line.lastIndexOf(macMark)
  if (at < 0 || key.secret.length === 0) return false
  const mac = line.slice(at + macMark.length, at + macMark.length + 64)
  if (line.slice(at + macMark.length + 64) !== '"}') return false
  return sameDigest(mac, hmacSha256(key.secret, "lint-ai memory 1\n", line.slice(0, at)))
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(MemoryRecord))

/** The record of a line; undefined for a damaged one. */
export const recordOf = (line: string): MemoryRecord | undefined => Option.getOrUndefined(decode(line))

/** A line and where it stands. `length` is in bytes and without the newline. */
export interface SegmentLine {
  readonly offset: number
  readonly length: number
  readonly text: string
}

const chunkBytes = 1024 * 1024
const newline = 0x0a

/**
 * Hands every whole line from `from` on to `visit`, until that says stop.
 *
 * @returns the offset behind the last line that was handed out
 */
export const readSegment = Effect.fnUntraced(function* (
  file: string,
  from: number,
  visit: (line: SegmentLine) => "go on" | "stop"
) {
  const disk = yield* Disk
  return yield* disk.withFile(
    file,
    "read",
    Effect.fnUntraced(function* (open) {
      const size = yield* open.size
      let position = from
      let begun = Buffer.alloc(0)
      let done = from
      while (position < size) {
        const chunk = yield* open.read(position, Math.min(chunkBytes, size - position))
        if (chunk.length === 0) break
        const bytes = begun.length === 0 ? chunk : Buffer.concat([begun, chunk])
        const start = position - begun.length
        let at = 0
        for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, at)) {
          const line = { offset: start + at, length: end - at, text: bytes.toString("utf8", at, end) }
          at = end + 1
          done = start + at
          if (line.length > 0 && visit(line) === "stop") return done
        }
        begun = Buffer.from(bytes.subarray(at))
        position += chunk.length
      }
      return done
    })
  )
})

/** One line by its place. */
export const readLineAt = Effect.fnUntraced(function* (
  directory: string,
  at: { readonly segment: number; readonly offset: number; readonly length: number }
) {
  const disk = yield* Disk
  return yield* disk.withFile(segmentFile(directory, at.segment), "read", (open) =>
    Effect.map(open.read(at.offset, at.length), (bytes) => bytes.toString("utf8"))
  )
})

/**
 * Adds lines with one write. A line that a kill left without its end is closed first, so that it takes no other with it.
 *
 * @returns where each line stands now
 */
export const appendLines = Effect.fnUntraced(function* (directory: string, lines: ReadonlyArray<Buffer>) {
  const disk = yield* Disk
  const last = (yield* listSegments(directory)).at(-1)
  const segment = last === undefined ? 1 : last.size >= segmentBytes ? last.segment + 1 : last.segment
  const file = segmentFile(directory, segment)
  return yield* disk.withFile(
    file,
    "append",
    Effect.fnUntraced(function* (open) {
      const size = yield* open.size
      const torn = size > 0 && (yield* open.read(size - 1, 1))[0] !== newline
      const bytes = Buffer.concat([...(torn ? [Buffer.from("\n")] : []), ...lines])
      yield* writeAll(open, bytes, file)
      let offset = size + (torn ? 1 : 0)
      return lines.map((line) => {
        const place = { segment, offset, length: line.length - 1 }
        offset += line.length
        return place
      })
    })
  )
})

/** Rewrites a segment without the lines that `drop` says; everything else keeps its bytes. */
export const rewriteSegment = Effect.fnUntraced(function* (
  directory: string,
  segment: number,
  drop: (record: MemoryRecord) => boolean
) {
  const disk = yield* Disk
  const file = segmentFile(directory, segment)
  const bytes = yield* disk.readFile(file)
  const kept: Array<Buffer> = []
  let dropped = 0
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at)
    const next = end < 0 ? bytes.length : end + 1
    const record = recordOf(bytes.toString("utf8", at, end < 0 ? next : end))
    if (record !== undefined && drop(record)) dropped++
    else kept.push(bytes.subarray(at, next))
    at = next
  }
  yield* replaceFile(file, Buffer.concat(kept), { durable: true })
  return dropped
})
