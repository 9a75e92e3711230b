import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createFile } from "../../archive/atomicFile.ts"
import type { ChainKey } from "../../archive/chain.ts"
import { Keyring } from "../../archive/Keyring.ts"
import { counted } from "../../domain/counted.ts"
import { Provider } from "../../domain/provider.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { Disk } from "../../platform/Disk.ts"
import { hmacSha256, sameDigest } from "../../platform/digest.ts"
import { Host } from "../../platform/Host.ts"
import { type MemoryPlace, receiptsDirectory } from "../memoryPlace.ts"

/**
 * What extraction owes its user a word about: a queue of small files, each shown once at the next start of a session in the project. The hook
 * reads it, so nothing here may need more than a disk and the keys.
 *
 * Each is signed: what is told to the user in the name of lint-ai must not be what somebody has put into the repository.
 */

/**
 * Why a candidate was not kept. `duplicate-semantic`: the same words in another form or order; nothing here understands what a text means.
 * `invalid`: it broke the schema, and its whole reply with it.
 */
export const DropCategory = Schema.Literals([
  "secret-detected",
  "too-thin",
  "duplicate-lexical",
  "duplicate-semantic",
  "trivia",
  "invalid"
])
export type DropCategory = typeof DropCategory.Type

/** A candidate that was not kept, without its text. */
export const Drop = Schema.Struct({
  category: DropCategory,
  /** Whether another run can bring it back. */
  recoverable: Schema.Boolean,
  cause: Schema.String,
  next_action: Schema.String
})
export type Drop = typeof Drop.Type

/** One thing to be told. */
export const Receipt = Schema.Union([
  Schema.Struct({
    _tag: Schema.tag("failure"),
    provider: Provider,
    session_id: Schema.String,
    host: Schema.String,
    reason: Schema.String,
    /** Redacted. */
    error: Schema.String
  }),
  Schema.Struct({
    _tag: Schema.tag("dropped"),
    provider: Provider,
    session_id: Schema.String,
    drops: Schema.Array(Drop)
  })
])
export type Receipt = typeof Receipt.Type

/** One file of the queue. */
export const SignedReceipt = Schema.Struct({ receipt: Receipt, key_id: Schema.String, mac: Schema.String })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SignedReceipt))

const macOf = (key: ChainKey, receipt: Receipt): string =>
  hmacSha256(key.secret, "lint-ai receipt 1\n", JSON.stringify(receipt))

/** The receipt of a file; undefined where it is damaged, or none of the user's keys signed it. */
const authentic = Effect.fnUntraced(function* (text: string) {
  const keyring = yield* Keyring
  const signed = Option.getOrUndefined(decode(text))
  const key = signed === undefined ? undefined : yield* keyring.byId(signed.key_id)
  if (signed === undefined || key === undefined || key.secret.length === 0) return undefined
  return sameDigest(signed.mac, macOf(key, signed.receipt)) ? signed.receipt : undefined
})

/** As many wait at most; the oldest of more goes unread, and its notice with it. */
const mostReceipts = 100

/** Puts a receipt at the end of the queue. The staging area has to be there. */
export const queueReceipt = Effect.fnUntraced(function* (place: MemoryPlace, receipt: Receipt) {
  const disk = yield* Disk
  const host = yield* Host
  const directory = receiptsDirectory(place)
  const key = yield* Effect.flatMap(Keyring, ({ current }) => current)
  const signed: typeof SignedReceipt.Type = { receipt, key_id: key.id, mac: macOf(key, receipt) }
  const time = String(yield* Clock.currentTimeMillis).padStart(15, "0")
  yield* createFile(
    path.join(directory, `${time}-${host.randomHex(4)}.json`),
    Buffer.from(`${JSON.stringify(signed)}\n`)
  )
  const names = (yield* disk.list(directory)).filter(isReceipt)
  for (const name of names.slice(0, Math.max(0, names.length - mostReceipts))) {
    yield* disk.remove(path.join(directory, name))
  }
})

const isReceipt = (name: string): boolean => /^\d{15}-[0-9a-f]+\.json$/.test(name)

/** The receipts that wait, oldest first, as their files. A link in the place of one of the directories would lead a removal elsewhere. */
const waitingReceipts = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  const directory = receiptsDirectory(place)
  for (const one of [place.directory, path.dirname(directory), directory]) {
    if ((yield* disk.status(one))?.kind !== "directory") return []
  }
  return (yield* disk.list(directory)).filter(isReceipt).map((name) => path.join(directory, name))
})

/** Takes out that the extraction of a session failed, once another run has done it: nobody is to be told to do it again. */
export const settleFailures = Effect.fnUntraced(function* (place: MemoryPlace, sessionId: string) {
  const disk = yield* Disk
  for (const file of yield* waitingReceipts(place)) {
    const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
    const receipt = bytes === undefined ? undefined : yield* authentic(bytes.toString("utf8"))
    if (receipt?._tag === "failure" && receipt.session_id === sessionId) yield* Effect.ignore(disk.remove(file))
  }
})

/** Empties the queue and gives what was in it, oldest first. Two sessions that start at once do not get the same receipt. */
export const takeReceipts = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  const host = yield* Host
  const taken: Array<Receipt> = []
  for (const file of yield* waitingReceipts(place)) {
    // Whoever can rename it has it.
    const mine = `${file}.${host.pid}-${host.randomHex(4)}.taken`
    const got = yield* disk.rename(file, mine).pipe(
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )
    if (!got) continue
    const bytes = yield* disk.readFile(mine).pipe(Effect.orElseSucceed(() => undefined))
    yield* Effect.ignore(disk.remove(mine))
    const receipt = bytes === undefined ? undefined : yield* authentic(bytes.toString("utf8"))
    if (receipt !== undefined) taken.push(receipt)
  }
  return taken
})

/** Characters of one notice at most. */
const noticeCharacters = 2_000
/** Failures that are told one by one. */
const mostTold = 5

/** What the user is told of receipts: a sentence each; undefined when there is nothing to tell. It never says that a session held nothing. */
export const noticeOf = (receipts: ReadonlyArray<Receipt>): string | undefined => {
  if (receipts.length === 0) return undefined
  // Who tries in vain again and again is told the last of it.
  const failures = [
    ...new Map(
      receipts.flatMap((receipt) =>
        receipt._tag === "failure" ? [[`${receipt.session_id} ${receipt.host}`, receipt] as const] : []
      )
    ).values()
  ]
  const drops = receipts.flatMap((receipt) => (receipt._tag === "dropped" ? receipt.drops : []))
  const sentences = failures
    .slice(-mostTold)
    .map(
      ({ session_id, host, reason, error }) =>
        `lint-ai could NOT extract memories from ${session_id} with ${host} (${reason}: ${error}). Nothing of it is lost: run \`lint-ai extract ${shellWord(session_id)} --host ${host}\` again.`
    )
  if (failures.length > mostTold) sentences.push(`${failures.length - mostTold} earlier extractions failed too.`)
  const counts = new Map<string, { count: number; drop: Drop }>()
  for (const drop of drops) counts.set(drop.category, { count: (counts.get(drop.category)?.count ?? 0) + 1, drop })
  for (const [category, { count, drop }] of counts) {
    sentences.push(
      `lint-ai did not keep ${counted(count, "extracted note")} (${category}${drop.recoverable ? ", recoverable" : ""}): ${drop.cause} ${drop.next_action}`
    )
  }
  return Array.from(sentences.join("\n").replace(unprintable, "\ufffd")).slice(0, noticeCharacters).join("")
}

/** What could move the cursor of a terminal, or turn the direction of writing. */
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
