import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { replaceFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { lintAiDirectory } from "../control/projectRoot.ts"
import type { ArmMemory } from "../domain/arm.ts"
import type { Provider } from "../domain/provider.ts"
import { type MemoryPlace, memoryFiles, memoryPlace } from "../memory/memoryPlace.ts"
import { claimMemory } from "../memory/owner.ts"
import { appendLines, isAuthentic, listSegments, readSegment, recordOf } from "../memory/segments.ts"
import { Disk } from "../platform/Disk.ts"

/** An arm with lint-ai would find nothing in its memory, and so measure nothing. */
export class NothingToFind extends Data.TaggedError("NothingToFind")<{
  readonly directory: string
  readonly asOf: string | undefined
}> {
  override get message(): string {
    const when = this.asOf === undefined ? "" : ` from before ${this.asOf}`
    return `there is nothing for it to find: ${this.directory} holds no memory of yours${when}; name another one (--memory DIR), or ask for an empty one (--empty-memory)`
  }
}

/** How many lines are written at once. */
const batchLines = 500

/**
 * The memory that an arm begins with, as a memory of its own below `root`. Only what the user's keys have signed is taken, and only what is not younger
 * than `as_of`; a memory that was superseded later counts again. The memory that it comes from is read and nothing else.
 *
 * @returns how many memories there are
 */
export const seedMemory = Effect.fn("seedMemory")(function* (
  memory: ArmMemory,
  provider: Provider,
  projectRoot: string,
  root: string
) {
  const place: MemoryPlace = { provider, root, directory: path.join(lintAiDirectory(root), `${provider}-memory`) }
  const disk = yield* Disk
  const keyring = yield* Keyring
  yield* disk.makeDirectory(memoryFiles(place).segments)
  yield* claimMemory(place, yield* keyring.current)
  if (memory.from === "empty") return 0
  const source = yield* sourceOf(memory, provider, projectRoot)
  const asOf = asOfIn(memory)
  const count = yield* ownLines(source, asOf, (lines) => appendLines(memoryFiles(place).segments, lines))
  if (count === 0) return yield* new NothingToFind({ directory: source.directory, asOf })
  const revisions = yield* disk.readFile(memoryFiles(source).revisions).pipe(Effect.orElseSucceed(() => undefined))
  if (revisions !== undefined) yield* replaceFile(memoryFiles(place).revisions, revisions)
  return count
})

/** How many memories an arm would begin with. Writes nothing. */
export const countMemories = Effect.fn("countMemories")(function* (
  memory: ArmMemory,
  provider: Provider,
  projectRoot: string
) {
  if (memory.from === "empty") return 0
  return yield* ownLines(yield* sourceOf(memory, provider, projectRoot), asOfIn(memory), () => Effect.void)
})

/** Whether the memory that an arm would begin with holds anything of a session. Writes nothing. */
export const remembersSession = Effect.fn("remembersSession")(function* (
  memory: ArmMemory,
  provider: Provider,
  projectRoot: string,
  sessionId: string
) {
  if (memory.from === "empty") return false
  let found = false
  yield* ownLines(yield* sourceOf(memory, provider, projectRoot), asOfIn(memory), (lines) =>
    Effect.sync(() => {
      found ||= lines.some((line) => recordOf(line.toString("utf8"))?.session_id === sessionId)
    })
  )
  return found
})

const asOfIn = (memory: ArmMemory): string | undefined => (memory.from === "project" ? memory.as_of : undefined)

/** Refuses a memory that holds nothing, where one is asked for. Writes nothing. */
export const checkMemory = Effect.fn("checkMemory")(function* (
  memory: ArmMemory,
  provider: Provider,
  projectRoot: string
) {
  if (memory.from === "empty" || (yield* countMemories(memory, provider, projectRoot)) > 0) return
  const { directory } = yield* sourceOf(memory, provider, projectRoot)
  return yield* new NothingToFind({ directory, asOf: asOfIn(memory) })
})

/** A directory of memory may be named by itself, or by the project that it is in. */
const sourceOf = Effect.fnUntraced(function* (
  memory: Exclude<ArmMemory, { readonly from: "empty" }>,
  provider: Provider,
  projectRoot: string
) {
  if (memory.from === "project") return yield* memoryPlace(projectRoot, provider)
  const disk = yield* Disk
  const { directory } = memory
  const own: MemoryPlace = { provider, root: directory, directory }
  const itself = yield* disk.status(memoryFiles(own).segments).pipe(Effect.orElseSucceed(() => undefined))
  return itself?.kind === "directory" ? own : yield* memoryPlace(directory, provider)
})

/** Gives the lines of a memory that the user's keys have signed and that are not younger than `asOf`, many at a time. Returns how many there are. */
const ownLines = Effect.fnUntraced(function* <E, R>(
  source: MemoryPlace,
  asOf: string | undefined,
  take: (lines: ReadonlyArray<Buffer>) => Effect.Effect<void, E, R>
) {
  const keyring = yield* Keyring
  const disk = yield* Disk
  const keys = new Map<string, ChainKey | undefined>()
  const until = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf)
  let count = 0
  // A directory that is a link could lead to anybody's.
  if ((yield* disk.status(source.directory))?.kind !== "directory") return 0
  for (const { file } of yield* listSegments(memoryFiles(source).segments)) {
    const lines: Array<string> = []
    yield* readSegment(file, 0, (line) => {
      lines.push(line.text)
      return "go on"
    })
    const kept: Array<Buffer> = []
    for (const line of lines) {
      const record = recordOf(line)
      if (record === undefined || record.provider !== source.provider || Date.parse(record.created) >= until) continue
      if (!keys.has(record.key_id)) keys.set(record.key_id, yield* keyring.byId(record.key_id))
      const key = keys.get(record.key_id)
      if (key !== undefined && isAuthentic(key, line)) kept.push(Buffer.from(`${line}\n`))
    }
    for (let at = 0; at < kept.length; at += batchLines) {
      yield* take(kept.slice(at, at + batchLines))
    }
    count += kept.length
  }
  return count
})
