import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { removeLeftTemporaries } from "../archive/leftTemporaries.ts"
import { Mode } from "../domain/mode.ts"
import { ProcessIdentity } from "../domain/processIdentity.ts"
import { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { hmacSha256, sameDigest, sha256 } from "../platform/digest.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { NoKey } from "./Toggles.ts"

/** Names the replay that an agent runs for. It is in the environment of that agent, and so of its hooks and MCP servers. */
export const replayVariable = "LINT_AI_REPLAY_SESSION_ID"

/** What a hook must know of the replay that it records. */
const TicketContent = Schema.Struct({
  /** Of the replay: what its agent does is recorded under this id, whatever the agent calls its sessions. */
  session_id: Schema.NonEmptyString,
  provider: Provider,
  /** The project that is replayed: its settings hold for the recording. */
  project_root: Schema.NonEmptyString,
  sessions_root: Schema.NonEmptyString,
  /** Where the agent works. */
  workspace: Schema.NonEmptyString,
  recording_mode: Mode,
  /** Stands for the project where memory is concerned, so that no memory of the user is read or written. */
  memory_root: Schema.NonEmptyString,
  /** Whether hooks retrieve and capture, and whether the MCP server searches. */
  memory_hooks: Schema.Boolean,
  memory_mcp: Schema.Boolean
})
export type ReplayTicket = typeof TicketContent.Type

const TicketFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  ticket: TicketContent,
  /** Who replays. Not signed: it only tells whether the ticket may be thrown away. */
  owner: ProcessIdentity,
  key_id: Schema.String,
  signature: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(TicketFile))

/**
 * The environment names a replay that this user does not run: it is over, its agent has outlived it, or somebody made the name up. Nothing is recorded,
 * since it belongs neither to that replay nor to a session of the user.
 */
export class ReplayUnknown extends Data.TaggedError("ReplayUnknown") {
  override get message(): string {
    return `${replayVariable} names no replay of this user that runs; nothing is recorded for it`
  }
}

const ticketFile = (id: string) =>
  Effect.map(userDirectories, ({ state }) => path.join(state, "replays", `${sha256(id).slice(0, 32)}.json`))

/** Over every field in one order. */
const signatureOf = (key: ChainKey, ticket: ReplayTicket): string => {
  const { session_id, provider, project_root, sessions_root, workspace, recording_mode } = ticket
  const content = [session_id, provider, project_root, sessions_root, workspace, recording_mode]
  const memory = [ticket.memory_root, ticket.memory_hooks, ticket.memory_mcp]
  return hmacSha256(key.secret, `lint-ai replay 1\n${JSON.stringify([...content, ...memory])}`)
}

/**
 * The replay that this process runs for; undefined outside of one. Only a ticket in the user's own state directory, signed with the user's key, counts:
 * an environment by itself leads no session anywhere.
 */
export const currentReplay = Effect.fnUntraced(function* (provider: Provider) {
  const host = yield* Host
  const id = host.env[replayVariable]
  if (id === undefined || id === "") return undefined
  const disk = yield* Disk
  const keyring = yield* Keyring
  const file = yield* ticketFile(id)
  const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
  const found = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
  const key = found === undefined ? undefined : yield* keyring.byId(found.key_id)
  const counts =
    found !== undefined &&
    key !== undefined &&
    key.secret.length > 0 &&
    sameDigest(found.signature, signatureOf(key, found.ticket)) &&
    found.ticket.session_id === id &&
    found.ticket.provider === provider
  return counts ? found.ticket : yield* new ReplayUnknown()
})

/** Opens a replay to the hooks of its agent, until the scope ends. */
export const issueTicket = Effect.fn("issueTicket")(function* (ticket: ReplayTicket) {
  const disk = yield* Disk
  const keyring = yield* Keyring
  const key = yield* keyring.current
  if (key.secret.length === 0) return yield* new NoKey()
  const file = yield* ticketFile(ticket.session_id)
  const processes = yield* Processes
  const owner = yield* processes.self
  const content = { schema_version: 1, ticket, owner, key_id: key.id, signature: signatureOf(key, ticket) }
  yield* disk.makeDirectory(path.dirname(file))
  yield* Effect.acquireRelease(replaceFile(file, Buffer.from(`${JSON.stringify(content)}\n`)), () =>
    Effect.ignore(disk.remove(file))
  )
})

/** Throws the tickets away whose replay was killed. */
export const removeStaleTickets = Effect.fn("removeStaleTickets")(function* () {
  const disk = yield* Disk
  const processes = yield* Processes
  const { state } = yield* userDirectories
  const directory = path.join(state, "replays")
  yield* removeLeftTemporaries(directory)
  for (const name of yield* disk.list(directory)) {
    if (!name.endsWith(".json")) continue
    const file = path.join(directory, name)
    const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => Buffer.from("")))
    const found = Option.getOrUndefined(decode(bytes.toString("utf8")))
    if (found === undefined || (yield* processes.liveness(found.owner)) === "dead") yield* disk.remove(file)
  }
})
