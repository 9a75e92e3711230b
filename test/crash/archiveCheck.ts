import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { readManifest } from "../../src/archive/manifestFile.ts"
import { readEvents } from "../../src/archive/readArchive.ts"
import { type ArchiveFiles, archiveFiles, sessionDirectory, sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../../src/domain/event.ts"
import type { Provider } from "../../src/domain/provider.ts"
import { type Verification, verifyArchive } from "../../src/evidence/verify.ts"
import type { TestUser } from "../support/recording.ts"

export const archiveOf = (user: Pick<TestUser, "project">, provider: Provider, id: string): ArchiveFiles =>
  archiveFiles(path.join(sessionsRoot(user.project, provider), sessionDirectory(`${provider}:${id}`)))

/** What an archive holds, as its readers see it. */
export interface Held {
  readonly verification: Verification | undefined
  /** In the log, then in the spool. */
  readonly events: ReadonlyArray<ArchivedEvent>
  readonly inLog: number
  readonly damage: ReadonlyArray<string>
  /** What an archive must not leave behind for good: locks and temporary files. */
  readonly leftovers: ReadonlyArray<string>
}

/** Reads an archive and changes nothing; an archive that does not exist holds nothing. */
export const heldBy = Effect.fnUntraced(function* (files: ArchiveFiles) {
  const events: Array<ArchivedEvent> = []
  const damage: Array<string> = []
  let inLog = 0
  const reading = yield* readManifest(files.manifest)
  if (reading._tag === "Manifest") {
    yield* readEvents(files.directory, reading.manifest, {
      record: (record) => {
        if (record._tag === "Damage") damage.push(record.problem)
        else {
          events.push(record.event)
          inLog++
        }
      },
      spooled: (event) => events.push(event)
    })
  }
  const verification = yield* verifyArchive(files.directory)
  const names = fs.existsSync(files.directory)
    ? fs.readdirSync(files.directory, { recursive: true, encoding: "utf8" })
    : []
  const leftovers = names.filter((name) => /(^|[/\\])lock|\.tmp$/.test(name))
  return { verification, events, inLog, damage, leftovers } satisfies Held
})

/** How often a mark stands in the events of one kind: a call and its result are two events of one delivery. */
export const timesOf = (held: Pick<Held, "events">, mark: string): number => {
  const kinds = held.events.filter((event) => JSON.stringify(event.payload).includes(mark)).map((event) => event.kind)
  return Math.max(0, ...[...new Set(kinds)].map((kind) => kinds.filter((one) => one === kind).length))
}

/**
 * What is wrong with an archive after kills; nothing should be. `acknowledged` are the marks of deliveries whose hook exited 0 without a diagnostic,
 * `sent` those of all. `settled`: a hook has run to its end since.
 */
export const faultsOf = (
  held: Held,
  told: { readonly acknowledged: Iterable<string>; readonly sent: Iterable<string>; readonly settled: boolean }
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  for (const mark of told.acknowledged) {
    if (timesOf(held, mark) === 0) faults.push(`${mark} was acknowledged and is not there`)
  }
  for (const mark of told.sent) {
    const times = timesOf(held, mark)
    if (times > 1) faults.push(`${mark} is there ${times} times`)
  }
  const ids = new Set(held.events.map((event) => event.event_id))
  if (ids.size !== held.events.length) faults.push("an event id is there twice")
  const inLog = held.events.slice(0, held.inLog)
  if (inLog.some((event, index) => event.sequence !== index + 1)) faults.push("the sequences have a gap")
  const verdict = held.verification?.verdict
  if (verdict === "broken" || verdict === "unkeyed") {
    faults.push(`verdict ${verdict}: ${held.verification?.reasons.join("; ")}`)
  }
  if (told.settled) {
    if (held.damage.length > 0) faults.push(`damage: ${held.damage.join(", ")}`)
    if (verdict !== "complete") faults.push(`settled as ${verdict}: ${held.verification?.reasons.join("; ")}`)
    if (held.leftovers.some((name) => /^lock$/.test(name))) faults.push("the lock was left behind")
  } else if (held.damage.some((problem) => problem !== "torn-tail")) {
    faults.push(`damage: ${held.damage.join(", ")}`)
  }
  return faults
}
