import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FileChanges } from "../../src/platform/FileChanges.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const long = 60_000

describe("changes of files", () => {
  it.live("are told with their directory, once for what comes together", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const [one, two] = [path.join(directory, "one"), path.join(directory, "two")]
      fs.mkdirSync(one)
      fs.mkdirSync(two)
      const watching = yield* Effect.flatMap(FileChanges, ({ watch }) => watch)
      yield* watching.observe([one, two])
      // What happened before the watch began is for the first look.
      assert.deepStrictEqual(yield* watching.next(long), new Set([one, two]))
      fs.writeFileSync(path.join(two, "a"), "1")
      fs.writeFileSync(path.join(two, "b"), "2")
      assert.deepStrictEqual(yield* watching.next(long), new Set([two]))
      assert.strictEqual(yield* watching.next(50), "all", "time is over, and nothing happened")
    }).pipe(Effect.scoped, Effect.provide(FileChanges.layer))
  )

  it.live("are told of another directory that took the place of one, and of none that is not looked at any more", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const [one, two] = [path.join(directory, "one"), path.join(directory, "two")]
      fs.mkdirSync(one)
      fs.mkdirSync(two)
      const watching = yield* Effect.flatMap(FileChanges, ({ watch }) => watch)
      yield* watching.observe([one, two])
      yield* watching.next(long)
      fs.rmdirSync(one)
      fs.mkdirSync(one)
      yield* watching.observe([one])
      yield* watching.next(long)
      fs.writeFileSync(path.join(two, "a"), "1")
      fs.writeFileSync(path.join(one, "a"), "1")
      assert.deepStrictEqual(yield* watching.next(long), new Set([one]))
    }).pipe(Effect.scoped, Effect.provide(FileChanges.layer))
  )

  it.live("are found by time where a directory cannot be watched, or is not there yet", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const watching = yield* Effect.flatMap(FileChanges, ({ watch }) => watch)
      yield* watching.observe([path.join(directory, "later")])
      assert.strictEqual(yield* watching.next(long), "all")
    }).pipe(Effect.scoped, Effect.provide(FileChanges.layer))
  )
})
