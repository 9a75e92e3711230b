import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Toggles } from "../../src/control/Toggles.ts"
import { listMemories, searchMemory } from "../../src/mcp/memory.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { Git } from "../../src/platform/Git.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

const remembering = (user: TestUser, memory: boolean) =>
  Effect.flatMap(Toggles, (toggles) =>
    toggles.change(user.project, "claude", (before) => ({ ...before, memory, mode: memory ? "assist" : "off" }))
  )

const add = (user: TestUser, text: string, sessionId = "claude:s1") =>
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const place = yield* memoryPlace(user.project, "claude")
    const about = { sessionId, place: "turn/1", revision: "a".repeat(40), branch: "main" }
    return yield* store.add(place, [{ kind: "outcome", text, identity: [text], ...about }])
  })

const caller = (user: TestUser) => ({ provider: "claude" as const, projectRoot: user.project })

/** A repository with some tracked documents, whose commit has the commits of all memories in its history. */
const gitWith = (files: ReadonlyArray<string>) =>
  Layer.succeed(Git, {
    workTree: () => Effect.succeed(undefined),
    isAncestor: () => Effect.succeed(true),
    commitOf: () => Effect.succeed(undefined),
    trackedFiles: () => Effect.succeed(files)
  })

describe("the memory that an agent can search", () => {
  it.live("gives text with its place, its terms and the state of its commit, at once", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      fs.mkdirSync(path.join(user.project, ".git"))
      fs.writeFileSync(path.join(user.project, ".git", "HEAD"), "b".repeat(40))
      yield* Effect.gen(function* () {
        yield* remembering(user, true)
        assert.deepInclude(yield* searchMemory(caller(user), "retry queue", 5), { results: [] })
        const { added } = yield* add(user, "The retryQueue connects to redis on port 6380.")
        const found = yield* searchMemory(caller(user), "retry_queue redis", 5)
        assert.strictEqual(found.results.length, 1)
        assert.deepInclude(found.results[0], {
          id: added[0] ?? "",
          text: "The retryQueue connects to redis on port 6380.",
          origin: "memory",
          source: "lint-ai://claude/session/s1/turn/1",
          session_id: "claude:s1",
          revision_status: "ancestor"
        })
        assert.includeMembers([...(found.results[0]?.matched_terms ?? [])], ["retry_queue", "redis"])
        assert.deepInclude(yield* listMemories(caller(user), 10), { count: 1 })
      }).pipe(Effect.provide(gitWith([])), Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("searches documents that Git tracks, says so, and follows none of their links", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
      fs.mkdirSync(path.join(user.project, "docs"))
      fs.writeFileSync(
        path.join(user.project, "docs", "deploy.md"),
        `# Deploying\nNothing here.\n\n## Blue and green\nThe canary gets ${token} first, then the others.\n`
      )
      fs.writeFileSync(path.join(user.directory, "outside.md"), "The canary sings outside.")
      fs.symlinkSync(path.join(user.directory, "outside.md"), path.join(user.project, "link.md"))
      yield* Effect.gen(function* () {
        yield* remembering(user, true)
        const { results } = yield* searchMemory(caller(user), "canary deploy", 5)
        assert.strictEqual(results.length, 1)
        assert.deepInclude(results[0], { origin: "workspace", source: "docs/deploy.md#L4", session_id: null })
        assert.include(results[0]?.text ?? "", "[REDACTED:")
        assert.notInclude(JSON.stringify(results), token)
      }).pipe(Effect.provide(gitWith(["docs/deploy.md", "link.md", "gone.md"])), Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("puts memories before documents that hold as much of the query, whatever they scored among themselves", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      fs.writeFileSync(path.join(user.project, "birds.md"), "# Birds\n\nThe canary sings.\n")
      yield* Effect.gen(function* () {
        yield* remembering(user, true)
        yield* add(user, "The canary gets the release first.", "claude:s1")
        yield* add(
          user,
          "The canary was rolled back, after that there were no errors in any of the regions.",
          "claude:s2"
        )
        const { results } = yield* searchMemory(caller(user), "canary", 5)
        assert.deepStrictEqual(
          results.map(({ origin }) => origin),
          ["memory", "memory", "workspace"]
        )
        assert.isBelow(results[1]?.score ?? 0, results[2]?.score ?? 0)
      }).pipe(Effect.provide(gitWith(["birds.md"])), Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("gives nothing while memory is off", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* add(user, "The retryQueue connects to redis on port 6380.")
        for (const on of [undefined, false]) {
          if (on !== undefined) yield* remembering(user, on)
          assert.deepInclude(yield* searchMemory(caller(user), "retryQueue", 5), { results: [] })
          assert.deepInclude(yield* listMemories(caller(user), 5), { memories: [] })
        }
      }).pipe(Effect.provide(gitWith([])), Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )
})
