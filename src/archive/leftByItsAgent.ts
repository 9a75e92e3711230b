import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { Manifest } from "../domain/manifest.ts"
import { Disk } from "../platform/Disk.ts"
import { readManifest } from "./manifestFile.ts"
import { archiveFiles } from "./sessionDirectory.ts"

/** Holds the last two events where these are an end and a beginning, which are short. */
const tailBytes = 16 * 1024

/** Kind and time of the last two events of a log, as far as they are in its last bytes. */
const lastEvents = Effect.fnUntraced(function* (events: string) {
  const disk = yield* Disk
  const bytes = yield* disk.withFile(events, "read", (file) =>
    Effect.flatMap(file.size, (size) => file.read(Math.max(0, size - tailBytes), Math.min(size, tailBytes)))
  )
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .slice(-2)
    .map((line) => {
      try {
        const { kind, timestamp } = JSON.parse(line)
        return { kind: String(kind), timestamp: String(timestamp) }
      } catch {
        return { kind: "", timestamp: "" }
      }
    })
})

/**
 * Whether a session that had ended was begun again only to be left at once: nothing follows its last beginning, and the process of its agent went on with another
 * session. So it is where the agent tells the start of a fork with the id of the session that was forked (Claude Code 2.1.197).
 *
 * @param known the manifests of its root, for a caller that has them all: there may be ten thousand
 */
export const isLeftByItsAgent = Effect.fn("isLeftByItsAgent")(function* (
  directory: string,
  manifest: Manifest,
  known: ReadonlyArray<Manifest> | undefined
) {
  const { agent_process: agent } = manifest
  if (agent === undefined || manifest.run_type === "replay") return false
  const [before, last] = yield* lastEvents(archiveFiles(directory).events)
  if (before?.kind !== "session_end" || last?.kind !== "session_start") return false
  const others = known ?? (yield* manifestsIn(path.dirname(directory)))
  return others.some(
    ({ session_id, started_at, agent_process: process }) =>
      session_id !== manifest.session_id &&
      started_at >= last.timestamp &&
      process !== undefined &&
      isSameProcess(process, agent)
  )
})

const manifestsIn = Effect.fnUntraced(function* (root: string) {
  const disk = yield* Disk
  const found: Array<Manifest> = []
  for (const name of yield* disk.directories(root)) {
    if (name.startsWith(".")) continue
    const reading = yield* readManifest(archiveFiles(path.join(root, name)).manifest)
    if (reading._tag === "Manifest") found.push(reading.manifest)
  }
  return found
})

const isSameProcess = (one: NonNullable<Manifest["agent_process"]>, other: NonNullable<Manifest["agent_process"]>) =>
  one.pid === other.pid &&
  one.start === other.start &&
  one.boot === other.boot &&
  one.namespace === other.namespace &&
  one.host === other.host
