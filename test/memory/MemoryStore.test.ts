import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Keyring } from "../../src/archive/Keyring.ts"
import { LockService } from "../../src/archive/LockService.ts"
import type { MemoryDraft } from "../../src/domain/memory.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { readSessionState, writeSessionState } from "../../src/memory/sessionState.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { Sqlite } from "../../src/platform/Sqlite.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { machineOf, newUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

const draft = (text: string, more: Partial<MemoryDraft> = {}): MemoryDraft => ({
  kind: "outcome",
  sessionId: "claude:s1",
  text,
  place: "turn/1",
  identity: [],
  revision: null,
  branch: null,
  ...more
})

const facts = [
  "The retryQueue connects to redis on port 6380, because docker-compose maps it.",
  "The invoice renderer wrote half of a page; a fence around the buffer fixed it.",
  "We chose esbuild over webpack for the extension, since the cache was stale.",
  "認証トークンの有効期限を三十分に短縮した"
]

/** Runs something with a user's memory of Claude Code in the user's project. */
const within = <A, E, R>(
  user: TestUser,
  use: (memory: {
    readonly directory: string
    readonly segments: string
    readonly index: string
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { directory } = yield* placeOf(user.project)
    return yield* use({
      directory,
      segments: path.join(directory, "segments"),
      index: path.join(directory, "index.sqlite")
    })
  }).pipe(Effect.provide(machineOf(user)))

const placeOf = (project: string) => memoryPlace(project, "claude")

const add = (user: TestUser, ...drafts: ReadonlyArray<MemoryDraft>) =>
  Effect.gen(function* () {
    const store = yield* MemoryStore
    return yield* store.add(yield* placeOf(user.project), drafts)
  })

const search = (user: TestUser, question: string, limit = 5) =>
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const hits = yield* store.search(yield* placeOf(user.project), question, limit)
    return hits.map(({ memory }) => memory.text)
  })

const filled = Effect.tap(newUser, (user) =>
  within(user, () => add(user, ...facts.map((text, at) => draft(text, { sessionId: `claude:s${at}` }))))
)

describe("a memory", () => {
  it.live("is named by what it stores: its id tells nothing of what was redacted", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const told = (password: string) =>
        draft(`The staging database needs password=${password} since the move to 5432.`)
      const [first, second] = yield* within(user, () =>
        Effect.all([add(user, told("Kestrel!4711")), add(user, told("Falcon#90210x"))])
      )
      assert.strictEqual(first.added.length, 1)
      assert.deepStrictEqual(second, { added: [], known: first.added })
    }).pipe(Effect.scoped)
  )

  it.live("finds what was stored, by words, identifiers in another style, and scripts without spaces", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, () =>
        Effect.gen(function* () {
          for (const [question, fact] of [
            ["which port does retry_queue use", 0],
            ["rendering invoices writes half pages", 1],
            ["why was webpack not chosen", 2],
            ["有効期限", 3]
          ] as const) {
            assert.strictEqual((yield* search(user, question))[0], facts[fact])
          }
          assert.deepStrictEqual(yield* search(user, "kubernetes"), [])
          assert.deepStrictEqual(yield* search(user, ""), [])
          assert.deepStrictEqual(yield* search(user, `"'; DROP TABLE record; -- NEAR( * ^ AND`), [])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("stores the same memory once, whoever adds it again", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, ({ segments }) =>
        Effect.gen(function* () {
          const before = snapshot(segments)
          const again = yield* add(user, draft(facts[0] ?? "", { sessionId: "claude:s0" }))
          assert.deepStrictEqual([again.added.length, again.known.length], [0, 1])
          assert.deepStrictEqual(snapshot(segments), before)
          const twice = yield* add(user, draft("new and unlike the others"), draft("new and unlike the others"))
          assert.strictEqual(twice.added.length, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("redacts and bounds what it stores, whoever adds it", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
      yield* within(user, ({ segments }) =>
        Effect.gen(function* () {
          yield* add(user, draft(`The token ${token} works. ${"word ".repeat(5_000)}`))
          const text = Object.values(snapshot(segments)).join()
          assert.notInclude(text, token)
          assert.include(text, "[REDACTED:")
          assert.isBelow(text.length, 10_000)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("is private, and is not made by looking for it", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* within(user, () =>
        Effect.gen(function* () {
          const store = yield* MemoryStore
          const place = yield* placeOf(user.project)
          yield* store.search(place, "anything", 5)
          yield* store.list(place, 5)
          yield* store.stats(place)
          yield* store.rebuild(place)
          yield* store.forget(place, ["mem_1"])
          yield* store.add(place, [])
          assert.deepStrictEqual(snapshot(user.project), {})
          yield* store.add(place, [draft(facts[0] ?? "")])
          for (const name of Object.keys(snapshot(user.project))) {
            const { mode } = fs.statSync(path.join(user.project, name))
            assert.strictEqual(mode & 0o077, 0, name)
          }
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("gives the newest of what was superseded, whichever was stored first", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* within(user, () =>
        Effect.gen(function* () {
          const { added } = yield* add(user, draft("The queue runs on kafka."))
          yield* add(user, draft("The queue runs on nats now.", { sessionId: "claude:s2", supersedes: added }))
          assert.deepStrictEqual(yield* search(user, "what does the queue run on"), ["The queue runs on nats now."])
          const store = yield* MemoryStore
          const place = yield* placeOf(user.project)
          yield* store.rebuild(place)
          assert.deepStrictEqual(yield* search(user, "what does the queue run on"), ["The queue runs on nats now."])
          const [old] = yield* store.find(place, added[0] ?? "")
          assert.match(old?.superseded_by ?? "", /^mem_/)
          yield* store.forget(place, [old?.superseded_by ?? ""])
          assert.deepStrictEqual(yield* search(user, "what does the queue run on"), ["The queue runs on kafka."])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("forgets in the segments and in the index, and keeps every other byte", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, ({ segments }) =>
        Effect.gen(function* () {
          const store = yield* MemoryStore
          const place = yield* placeOf(user.project)
          const file = path.join(segments, "00000001.jsonl")
          fs.appendFileSync(file, Buffer.concat([Buffer.from("damaged \xff\xfe line\n", "latin1")]))
          const before = fs.readFileSync(file)
          const [first] = yield* store.search(place, "retry queue redis port", 1)
          assert.strictEqual(yield* store.forget(place, [first?.memory.id ?? ""]), 1)
          const after = fs.readFileSync(file)
          assert.notInclude(after.toString("latin1"), "6380")
          assert.isTrue(before.subarray(before.indexOf("\n") + 1).equals(after))
          assert.deepStrictEqual(yield* search(user, "retry queue redis port"), [])
          assert.strictEqual((yield* search(user, "webpack cache stale"))[0], facts[2])
          assert.strictEqual((yield* store.stats(place)).records, 3)
          yield* store.rebuild(place)
          assert.strictEqual((yield* store.stats(place)).records, 3)
          assert.strictEqual(yield* store.forget(place, ["mem_absent"]), 0)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves no word of what it forgot, in none of its files", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, ({ segments }) =>
        Effect.gen(function* () {
          const store = yield* MemoryStore
          const place = yield* placeOf(user.project)
          const { added } = yield* add(
            user,
            ...Array.from({ length: 40 }, (_, at) =>
              draft(`Voltrexia is bought in quarter ${at}, which nobody may know.`)
            )
          )
          yield* writeSessionState(place, "claude:s1", { injected: ["mem_1"], question: "What of Voltrexia?" })
          const said = () =>
            Object.entries(snapshot(path.dirname(segments))).flatMap(([name, text]) =>
              /voltrexia/i.test(text) ? [name] : []
            )
          assert.lengthOf(said(), 3)
          assert.strictEqual(yield* store.forget(place, added), 40)
          assert.deepStrictEqual(said(), [])
          assert.deepStrictEqual(yield* readSessionState(place, "claude:s1"), { injected: ["mem_1"] })
          assert.strictEqual((yield* search(user, "webpack cache stale"))[0], facts[2])
        })
      )
    }).pipe(Effect.scoped)
  )

  /** Another file: libsql keeps one that was closed for some time. */
  const replace = (file: string, bytes: Buffer): void => {
    fs.rmSync(file)
    fs.writeFileSync(file, bytes)
  }
  const damages: ReadonlyArray<readonly [what: string, harm: (index: string) => void]> = [
    ["missing", (index) => fs.rmSync(index)],
    ["no database", (index) => replace(index, Buffer.from("this is not a database, by any means at all".repeat(50)))],
    ["empty", (index) => replace(index, Buffer.alloc(0))],
    ["cut short", (index) => replace(index, fs.readFileSync(index).subarray(0, 5_000))]
  ]
  for (const [what, harm] of damages) {
    it.live(`answers as before when its index is ${what}`, () =>
      Effect.gen(function* () {
        const user = yield* filled
        yield* within(user, ({ index }) =>
          Effect.gen(function* () {
            for (const ending of ["-wal", "-shm"]) fs.rmSync(index + ending, { force: true })
            harm(index)
            // Damage inside of a database may only show while it is read: then the index is thrown away for the next reader.
            yield* Effect.ignore(search(user, "webpack"))
            assert.strictEqual((yield* search(user, "webpack cache stale"))[0], facts[2])
            const again = yield* add(user, draft(facts[2] ?? "", { sessionId: "claude:s2" }))
            assert.deepStrictEqual([again.added.length, again.known.length], [0, 1])
          })
        )
      }).pipe(Effect.scoped)
    )
  }

  it.live("makes an index of another version anew", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, ({ index }) =>
        Effect.gen(function* () {
          const sqlite = yield* Sqlite
          const db = yield* sqlite.open(index)
          db.exec("UPDATE meta SET value = 999 WHERE name = 'version'; DELETE FROM term")
          db.close()
          assert.strictEqual((yield* search(user, "webpack cache stale"))[0], facts[2])
        }).pipe(Effect.provide(Sqlite.layer))
      )
    }).pipe(Effect.scoped)
  )

  it.live("loses no memory to a line that a kill has left without its end", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, ({ segments }) =>
        Effect.gen(function* () {
          const file = path.join(segments, "00000001.jsonl")
          fs.appendFileSync(file, '{"schema_version":1,"id":"mem_torn","text":"half')
          assert.strictEqual((yield* search(user, "webpack cache stale"))[0], facts[2])
          yield* add(user, draft("After the kill the ledger was rebuilt from its snapshot."))
          assert.strictEqual(
            (yield* search(user, "ledger snapshot"))[0],
            "After the kill the ledger was rebuilt from its snapshot."
          )
          const store = yield* MemoryStore
          assert.strictEqual((yield* store.rebuild(yield* placeOf(user.project))).records, 5)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("does not give a memory whose line was changed", () =>
    Effect.gen(function* () {
      const user = yield* filled
      yield* within(user, ({ segments }) =>
        Effect.gen(function* () {
          const file = path.join(segments, "00000001.jsonl")
          fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("6380", "6666"))
          const store = yield* MemoryStore
          yield* store.rebuild(yield* placeOf(user.project))
          assert.deepStrictEqual(yield* search(user, "retry queue redis port"), [])
          assert.strictEqual((yield* search(user, "webpack cache stale"))[0], facts[2])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "of somebody else, or copied to another place, is not read until it is adopted, and foreign memories not even then",
    () =>
      Effect.gen(function* () {
        const user = yield* filled
        const other = userIn(user.directory, "other")
        fs.cpSync(path.join(user.project, ".lint-ai"), path.join(other.project, ".lint-ai"), { recursive: true })
        const before = snapshot(other.project)
        yield* within(other, () =>
          Effect.gen(function* () {
            const store = yield* MemoryStore
            const place = yield* placeOf(other.project)
            assert.strictEqual((yield* Effect.flip(search(other, "webpack")))._tag, "MemoryNotOwned")
            assert.strictEqual((yield* Effect.flip(add(other, draft("x"))))._tag, "MemoryNotOwned")
            assert.deepStrictEqual(snapshot(other.project), before)
            yield* store.adopt(place)
            assert.deepStrictEqual(yield* search(other, "webpack cache stale"), [])
          })
        )
        // The same user elsewhere: the place is not the one that was signed, the memories are.
        const moved = { ...user, project: path.join(user.directory, "moved") }
        fs.cpSync(user.project, moved.project, { recursive: true })
        yield* within(moved, () =>
          Effect.gen(function* () {
            const store = yield* MemoryStore
            assert.strictEqual((yield* Effect.flip(search(moved, "webpack")))._tag, "MemoryNotOwned")
            yield* store.adopt(yield* placeOf(moved.project))
            assert.strictEqual((yield* search(moved, "webpack cache stale"))[0], facts[2])
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live("that is a link is not followed", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      fs.mkdirSync(path.join(user.project, ".lint-ai"))
      fs.symlinkSync(elsewhere, path.join(user.project, ".lint-ai", "claude-memory"))
      yield* within(user, () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(search(user, "x")))._tag, "MemoryNotOwned")
          assert.strictEqual((yield* Effect.flip(add(user, draft("x"))))._tag, "MemoryNotOwned")
          assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("takes many writers, and each memory once", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const writer = (number: number) =>
        within(user, () =>
          Effect.forEach([0, 1, 2, 3, 4], (at) =>
            add(user, draft(`Fact ${at} of everybody about the ledger.`), draft(`Fact ${at} of writer ${number}.`))
          )
        )
      yield* Effect.all([1, 2, 3, 4].map(writer), { concurrency: "unbounded" })
      yield* within(user, () =>
        Effect.gen(function* () {
          const store = yield* MemoryStore
          const place = yield* placeOf(user.project)
          assert.strictEqual((yield* store.stats(place)).records, 25)
          assert.strictEqual((yield* store.rebuild(place)).records, 25)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("keeps what is added where there is no SQLite, and finds it once there is", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const host = Host.layerTest({ env: user.env, home: user.home, cwd: user.project })
      const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, host)))
      const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Sqlite.layerNone).pipe(
        Layer.provideMerge(machine)
      )
      const without = Layer.mergeAll(MemoryStore.layer, Redactor.layerDefault).pipe(Layer.provideMerge(stores))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* add(user, draft(facts[2] ?? ""))).added.length, 1)
        assert.strictEqual((yield* add(user, draft(facts[2] ?? ""))).known.length, 1)
        assert.strictEqual((yield* Effect.flip(search(user, "webpack")))._tag, "SqliteUnavailable")
      }).pipe(Effect.provide(without))
      yield* within(user, () =>
        Effect.map(search(user, "webpack cache stale"), (found) => assert.deepStrictEqual(found, [facts[2] ?? ""]))
      )
    }).pipe(Effect.scoped)
  )
})

describe("the place of a memory", () => {
  const repository = (directory: string) => {
    fs.mkdirSync(path.join(directory, ".git", "worktrees"), { recursive: true })
    return directory
  }
  /** What `git worktree add` writes. */
  const linkedTree = (main: string, directory: string, name: string) => {
    const own = path.join(main, ".git", "worktrees", name)
    fs.mkdirSync(own)
    fs.mkdirSync(path.join(directory, "packages", "a"), { recursive: true })
    fs.writeFileSync(path.join(own, "commondir"), "../..\n")
    fs.writeFileSync(path.join(own, "gitdir"), `${path.join(directory, ".git")}\n`)
    fs.writeFileSync(path.join(directory, ".git"), `gitdir: ${own}\n`)
    return directory
  }

  it.live("is the same in all work trees of a repository, and another in another repository", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const at = (name: string) => path.join(user.directory, name)
      const main = repository(at("main"))
      const tree = linkedTree(main, at("tree"), "tree")
      const forged = at("forged")
      fs.mkdirSync(forged)
      // Says that it is a work tree of the other, which knows nothing of it.
      fs.writeFileSync(path.join(forged, ".git"), fs.readFileSync(path.join(tree, ".git")))
      const rootOf = (directory: string) =>
        Effect.map(placeOf(directory), ({ root }) => root).pipe(Effect.provide(Disk.layer))
      assert.strictEqual(yield* rootOf(main), main)
      assert.strictEqual(yield* rootOf(tree), main)
      assert.strictEqual(yield* rootOf(path.join(tree, "packages", "a")), path.join(main, "packages", "a"))
      assert.strictEqual(yield* rootOf(forged), forged)
      assert.strictEqual(yield* rootOf(repository(at("other"))), at("other"))
      assert.strictEqual(yield* rootOf(user.project), user.project)
    }).pipe(Effect.scoped)
  )
})
