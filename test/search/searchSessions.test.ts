import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spool } from "../../src/archive/spool.ts"
import { findSessions } from "../../src/control/projectSessions.ts"
import { type SearchQuery, searchSessions } from "../../src/search/searchSessions.ts"
import { call, deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { claudeArchive, machineOf, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

const search = (user: TestUser, query: Partial<SearchQuery> & Pick<SearchQuery, "words">) =>
  Effect.flatMap(findSessions({ projectRoot: user.project }), ({ sessions }) =>
    searchSessions(sessions, { limit: 20, ...query })
  ).pipe(Effect.provide(machineOf(user)))

const places = (result: Effect.Success<ReturnType<typeof search>>) =>
  result.hits.map((hit) => `${hit.session_id}#${hit.sequence ?? "spool"}`)

const twoSessions = Effect.gen(function* () {
  const user = yield* recordingUser
  yield* deliver(user, "one", [
    start,
    prompt(1, 'Say "hello" to C:\\temp\nand to 日本'),
    call(1, "grep -rn needle ."),
    end
  ])
  yield* deliver(user, "two", [start, prompt(1, "HELLO again"), call(1, "npm test"), end])
  return user
})

describe("a search over sessions", () => {
  it.live("finds events by their content, newest session first, whatever JSON made of it", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      assert.deepStrictEqual(places(yield* search(user, { words: ["hello"] })), ["claude:two#2", "claude:one#2"])
      for (const word of ['"hello"', "C:\\temp", "日本", "temp\nand"]) {
        assert.deepStrictEqual(places(yield* search(user, { words: [word] })), ["claude:one#2"], word)
      }
      assert.deepStrictEqual(places(yield* search(user, { words: ["hello", "日本"] })), ["claude:one#2"])
      assert.deepStrictEqual(places(yield* search(user, { words: ["hello", "needle"] })), [], "all in one event")
    }).pipe(Effect.scoped)
  )

  it.live("finds nothing in what is no content: ids, kinds, names of fields, hashes", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      for (const word of ["session_id", "user_prompt", "chain_hash", "tool_use_id", "claude:one", "evt_"]) {
        assert.deepStrictEqual(places(yield* search(user, { words: [word] })), [], word)
      }
    }).pipe(Effect.scoped)
  )

  it.live("keeps to a kind and to a limit, and says when there is more", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      assert.deepStrictEqual(places(yield* search(user, { words: ["e"], kind: "tool_call" })), [
        "claude:two#3",
        "claude:one#3"
      ])
      const some = yield* search(user, { words: ["hello"], limit: 1 })
      assert.isTrue(some.more)
      assert.deepStrictEqual(places(some), ["claude:two#2"])
      assert.isFalse((yield* search(user, { words: ["hello"], limit: 2 })).more)
    }).pipe(Effect.scoped)
  )

  it.live("reads what is around damage and what waits in the spool, and changes nothing", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const files = claudeArchive(user, "one")
      const lines = fs.readFileSync(files.events, "utf8").split("\n")
      lines.splice(1, 0, "\u0000\u0000not json hello")
      fs.writeFileSync(files.events, lines.join("\n").trimEnd())
      yield* spool(files.spool, [
        {
          identity: "x",
          timestamp: "2026-01-01T00:00:00.000Z",
          kind: "user_prompt",
          payload: { text: "a late hello", origin: "user" },
          redactions: []
        }
      ]).pipe(Effect.provide(machineOf(user)))
      const before = snapshot(user.project)
      assert.deepStrictEqual(places(yield* search(user, { words: ["hello"] })), [
        "claude:two#2",
        "claude:one#2",
        "claude:one#spool"
      ])
      assert.deepStrictEqual(snapshot(user.project), before)
    }).pipe(Effect.scoped)
  )

  it.live("finds a word wherever it stands in a log that is read in pieces", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const files = claudeArchive(user, "one")
      const event = JSON.parse(fs.readFileSync(files.events, "utf8").split("\n")[1] ?? "")
      // Around each border of a piece of a megabyte.
      const lines = Array.from({ length: 5_000 }, (_, at) =>
        JSON.stringify({
          ...event,
          sequence: at + 1,
          event_id: `evt_${at}`,
          payload: { ...event.payload, text: `${"x".repeat(600 + (at % 7))} mark${at}é` }
        })
      )
      fs.writeFileSync(files.events, `${lines.join("\n")}\n`)
      for (const at of [0, 1, 1_499, 1_500, 1_501, 3_000, 4_998, 4_999]) {
        assert.deepStrictEqual(places(yield* search(user, { words: [`mark${at}é`] })), [`claude:one#${at + 1}`])
      }
    }).pipe(Effect.scoped)
  )

  it.live("shows each hit with its place and its surroundings, on lines that fit, without control characters", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const run = yield* runCommand(user, ["sessions", "search", "needle"], { columns: 40 })
      assert.match(run.out, /^claude:one\n {2}\S+ \S+ {2}#3 {2}tool_call Bash\n {4}grep -rn needle \.\n/)
      assert.match(run.out, /1 event in 2 sessions/)
      assert.include((yield* runCommand(user, ["sessions", "search", "nowhere"])).out, "Nothing found in 2 sessions")
      assert.strictEqual((yield* runCommand(user, ["sessions", "search", "  "])).failure, "NothingToSearch")
    }).pipe(Effect.scoped)
  )
})
