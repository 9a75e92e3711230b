import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SessionStatus } from "../../src/domain/manifest.ts"
import { type FakeMessagesApi, type Sent, type TokenCounts, usageOfAll } from "../support/fakeMessagesApi.ts"
import { type Archive, filesUnder, openCalls } from "./archive.ts"
import { dummyKey, type Sandbox } from "./claude.ts"
import { lintAi, lintAiJson } from "./lintAi.ts"

/** A user who has turned recording on. */
export interface RecordingUser {
  readonly api: FakeMessagesApi
  readonly sandbox: Sandbox
  /** Path of the compiled binary. */
  readonly lintAi: string
}

/**
 * What must hold of every recorded session, whatever happened in it: the events have no gap; list, inspect, verify and export agree with
 * the file and change nothing in it; the usage is what the API sent; no diagnostic was written; the environment is nowhere in it.
 *
 * @param counted the messages whose usage is known: all that were sent whole, unless said otherwise
 */
export const assertSound = Effect.fnUntraced(function* (
  user: RecordingUser,
  archive: Archive,
  status: SessionStatus,
  counted: ReadonlyArray<Sent> = user.api.sent.filter((message) => message.whole)
) {
  const { events, directory, manifest } = archive
  const count = events.length
  const before = fs.readFileSync(path.join(directory, "events.jsonl"))
  const ask = (...args: ReadonlyArray<string>) => lintAiJson(user.sandbox, user.lintAi, ...args)

  const sequences = events.map((event) => event.sequence)
  assert.deepStrictEqual(
    sequences,
    events.map((_, index) => index + 1)
  )

  const list = yield* ask("sessions", "list")
  assert.deepStrictEqual(
    list.sessions.map((session: typeof manifest) => [session.session_id, session.status, session.event_count]),
    [[manifest.session_id, status, count]]
  )

  const inspected = yield* ask("sessions", "inspect", manifest.session_id)
  assert.strictEqual(inspected.event_count, count)
  assert.deepStrictEqual(inspected.counts, countByKind(archive))
  assert.strictEqual(inspected.unresolved_tool_calls.length, openCalls(events).length)
  assert.deepStrictEqual(
    [inspected.damaged_count, inspected.finding_count, inspected.spooled_count, inspected.dropped_count],
    [0, 0, 0, 0]
  )
  // A message that was interrupted counts with its beginning, when the agent had read that much and wrote it down before it ended.
  const interrupted = user.api.sent.filter((message) => !message.whole)
  assert.include(
    [fourKinds(usageOfAll(counted)), fourKinds(usageOfAll([...counted, ...interrupted]))],
    fourKinds(inspected.usage["claude-transcript"])
  )

  const verified = yield* ask("sessions", "verify", manifest.session_id)
  assert.deepStrictEqual(
    [verified.verdict, verified.event_count, verified.anchored_through, verified.reasons],
    ["complete", count, count, []]
  )

  const exported = yield* lintAi(user.sandbox, user.lintAi, "sessions", "export", manifest.session_id)
  const [first = "", ...lines] = exported.stdout.trimEnd().split("\n")
  assert.strictEqual(JSON.parse(first).manifest.event_count, count)
  assert.strictEqual(`${lines.join("\n")}\n`, before.toString("utf8"))

  const told = yield* ask("status")
  assert.deepStrictEqual(told.diagnostics, [])
  assert.isTrue(before.equals(fs.readFileSync(path.join(directory, "events.jsonl"))))
  for (const { file, text } of filesOfLintAi(user)) assert.notInclude(text, dummyKey, file)
})

/** Everything that lint-ai wrote: in the project, and in the user's own directories. */
export const filesOfLintAi = ({ sandbox }: RecordingUser): ReturnType<typeof filesUnder> =>
  [
    path.join(sandbox.project, ".lint-ai"),
    sandbox.env.LINT_AI_STATE_DIR ?? "",
    sandbox.env.LINT_AI_CONFIG_DIR ?? ""
  ].flatMap(filesUnder)

const countByKind = ({ events }: Archive): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind } of events) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** The kinds of tokens that the API counts, as text; none of a kind and not observed are the same here. */
const fourKinds = (tokens: Partial<TokenCounts> | undefined): string =>
  (["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const)
    .map((kind) => `${kind} ${tokens?.[kind] ?? 0}`)
    .join(", ")
