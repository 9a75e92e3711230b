import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RevisionStatus } from "../domain/memory.ts"
import { Disk } from "../platform/Disk.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"

/**
 * revisions.json: how the commits of memories stand to the commits that were checked out. Git is asked by the CLI and the MCP server, which have
 * the time; a hook reads the answers. They never change: a commit keeps its history.
 */
const Revisions = Schema.Struct({
  /** `<of the memory> <checked out>` and the answer. */
  known: Schema.Record(Schema.String, Schema.Literals(["ancestor", "diverged"]))
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Revisions))
export type KnownRevisions = (typeof Revisions.Type)["known"]

/** The answers that are known of a memory. */
export const readKnown = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(memoryFiles(place).revisions).pipe(Effect.orElseSucceed(() => undefined))
  const file = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
  return file?.known ?? ({} as KnownRevisions)
})

/** How the commits of memories stand to `head`, from what is known. Never starts Git. */
export const revisionStatuses = Effect.fnUntraced(function* (place: MemoryPlace, head: string | null) {
  const known: KnownRevisions = head === null ? {} : yield* readKnown(place)
  return (revision: string | null): RevisionStatus => {
    if (revision === null || head === null) return "unknown"
    return revision === head ? "exact" : (known[`${revision} ${head}`] ?? "unknown")
  }
})
