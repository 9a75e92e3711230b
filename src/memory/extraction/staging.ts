import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createFile, replaceFile } from "../../archive/atomicFile.ts"
import { ensurePrivateDirectory } from "../../archive/privateDirectory.ts"
import { sessionDirectory } from "../../archive/sessionDirectory.ts"
import { Provider } from "../../domain/provider.ts"
import { Disk } from "../../platform/Disk.ts"
import { sha256 } from "../../platform/digest.ts"
import { type MemoryPlace, receiptsDirectory } from "../memoryPlace.ts"
import { Candidate, extractorHosts } from "./contract.ts"

/** Where candidates wait for a person, how far each session has been extracted, and what is still to be told. */
const stagingFiles = (place: MemoryPlace) => {
  const staging = path.join(place.directory, "staging")
  return {
    staging,
    candidates: path.join(staging, "candidates"),
    sessions: path.join(staging, "sessions"),
    receipts: receiptsDirectory(place)
  }
}

const Status = Schema.Literals(["staged", "accepted", "rejected"])

/** A candidate with what lint-ai knows about it: nothing but its four fields came from an agent. */
export const StagedCandidate = Schema.Struct({
  schema_version: Schema.Literal(1),
  id: Schema.NonEmptyString,
  /** `rejected` ones are kept, so that the same is not proposed again. */
  status: Status,
  ...Candidate.fields,
  provider: Provider,
  session_id: Schema.NonEmptyString,
  project_root: Schema.String,
  /** Who extracted it. */
  host: Schema.Literals(extractorHosts),
  /** Sequences of the recorded events that it comes from. */
  events: Schema.Array(Schema.Natural),
  /** Whether these events hold its words. Else they are all that the agent was shown: it said something in words of its own, or made it up. */
  grounded: Schema.Boolean,
  revision: Schema.NullOr(Schema.String),
  branch: Schema.NullOr(Schema.String),
  /** Time of the last of its events, RFC 3339. */
  created: Schema.String,
  staged: Schema.String,
  memory_id: Schema.optionalKey(Schema.String)
})
export type StagedCandidate = typeof StagedCandidate.Type

const decodeCandidate = Schema.decodeUnknownOption(Schema.fromJsonString(StagedCandidate))

/** The same note of the same session has the same id. */
export const candidateId = (sessionId: string, { kind, title, body }: Candidate): string =>
  `cand_${sha256(JSON.stringify([sessionId, kind, title, body])).slice(0, 12)}`

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

const candidateFile = (place: MemoryPlace, id: string): string =>
  path.join(stagingFiles(place).candidates, `${id}.json`)

/** Makes the directories of the staging area, and what is above them, for their owner alone. */
export const ensureStaging = Effect.fnUntraced(function* (place: MemoryPlace) {
  const { staging, candidates, sessions, receipts } = stagingFiles(place)
  const lintAi = path.dirname(place.directory)
  for (const directory of [lintAi, place.directory, staging, candidates, sessions, receipts]) {
    yield* ensurePrivateDirectory(directory)
  }
  yield* createFile(path.join(lintAi, ".gitignore"), Buffer.from("*\n"))
})

/** Keeps a candidate that is new; false when it was there before, whatever was decided about it. */
export const stage = (place: MemoryPlace, candidate: StagedCandidate) =>
  createFile(candidateFile(place, candidate.id), json(candidate))

/** All candidates in the order in which they were staged. A file that cannot be read is none. */
export const listCandidates = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  const { candidates } = stagingFiles(place)
  const found: Array<StagedCandidate> = []
  for (const name of yield* disk.list(candidates)) {
    if (!name.endsWith(".json")) continue
    const bytes = yield* disk.readFile(path.join(candidates, name)).pipe(Effect.orElseSucceed(() => undefined))
    const candidate = bytes === undefined ? undefined : Option.getOrUndefined(decodeCandidate(bytes.toString("utf8")))
    if (candidate !== undefined && name === `${candidate.id}.json`) found.push(candidate)
  }
  return found.sort((a, b) => (a.staged === b.staged ? (a.id < b.id ? -1 : 1) : a.staged < b.staged ? -1 : 1))
})

/** Writes down what was decided about a candidate. */
export const decide = (
  place: MemoryPlace,
  candidate: StagedCandidate,
  decision: { readonly status: "accepted"; readonly memory_id: string } | { readonly status: "rejected" }
) => replaceFile(candidateFile(place, candidate.id), json({ ...candidate, ...decision }))

/** Takes out the candidates that became these memories: they hold the same words. Nothing is removed through a link. */
export const forgetCandidates = Effect.fnUntraced(function* (place: MemoryPlace, memoryIds: ReadonlyArray<string>) {
  const disk = yield* Disk
  const { staging, candidates } = stagingFiles(place)
  for (const directory of [place.directory, staging, candidates]) {
    if ((yield* disk.status(directory))?.kind !== "directory") return
  }
  for (const { id, memory_id } of yield* listCandidates(place)) {
    if (memory_id !== undefined && memoryIds.includes(memory_id)) yield* disk.remove(candidateFile(place, id))
  }
})

/** How far a session has been extracted. */
const Progress = Schema.Struct({
  schema_version: Schema.Literal(1),
  session_id: Schema.String,
  /** Sequence of the last event that was dealt with. */
  through: Schema.Natural
})
const decodeProgress = Schema.decodeUnknownOption(Schema.fromJsonString(Progress))

export const progressFiles = (place: MemoryPlace, sessionId: string) => {
  const file = path.join(stagingFiles(place).sessions, sessionDirectory(sessionId))
  return { progress: `${file}.json`, lock: `${file}.lock` }
}

/** The last event that was dealt with; 0 before the first. */
export const readProgress = Effect.fnUntraced(function* (place: MemoryPlace, sessionId: string) {
  const disk = yield* Disk
  const bytes = yield* disk
    .readFile(progressFiles(place, sessionId).progress)
    .pipe(Effect.orElseSucceed(() => undefined))
  const progress = bytes === undefined ? undefined : Option.getOrUndefined(decodeProgress(bytes.toString("utf8")))
  return progress?.session_id === sessionId ? progress.through : 0
})

export const writeProgress = (place: MemoryPlace, sessionId: string, through: number) =>
  replaceFile(
    progressFiles(place, sessionId).progress,
    json({ schema_version: 1, session_id: sessionId, through } satisfies typeof Progress.Type)
  )
