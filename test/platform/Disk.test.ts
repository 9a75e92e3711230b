import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createFile, replaceFile, writeAll } from "../../src/archive/atomicFile.ts"
import { Disk } from "../../src/platform/Disk.ts"
import type { Host } from "../../src/platform/Host.ts"
import { faultyDisk } from "../support/faultyDisk.ts"
import { fileAppears } from "../support/fileEvents.ts"
import { start } from "../support/program.ts"
import { diskAndHost, temporaryDirectory } from "../support/temporaryHost.ts"

const test = (sentence: string, body: (directory: string) => Effect.Effect<unknown, unknown, Disk | Host>) =>
  it.live(sentence, () =>
    Effect.flatMap(temporaryDirectory, (directory) => Effect.provide(body(directory), diskAndHost(directory)))
  )
const bytes = (text: string) => Buffer.from(text)

describe("the disk", () => {
  test("removes a tree that a process which is being ended still writes into", (directory) =>
    Effect.scoped(
      Effect.gen(function* () {
        const disk = yield* Disk
        for (let round = 0; round < 10; round++) {
          const tree = path.join(directory, `tree-${round}`)
          fs.mkdirSync(tree)
          const writes = `for (let at = 0; ; at++) require("node:fs").writeFileSync(${JSON.stringify(tree)} + "/" + at, "")`
          const writer = yield* start({ command: process.execPath, args: ["-e", writes], cwd: "/", env: {} })
          yield* fileAppears(path.join(tree, "0"))
          yield* writer.signal("SIGKILL")
          yield* disk.removeTree(tree)
          yield* writer.finished
          assert.isFalse(fs.existsSync(tree))
        }
      })
    ))

  test("opens no link in any mode, and follows none when it removes", (directory) =>
    Effect.gen(function* () {
      const disk = yield* Disk
      const target = path.join(directory, "target")
      const link = path.join(directory, "link")
      fs.writeFileSync(target, "kept")
      fs.symlinkSync(target, link)
      for (const mode of ["read", "append", "new"] as const) {
        const error = yield* Effect.flip(disk.withFile(link, mode, (file) => file.write(bytes("x"))))
        assert.include(["ELOOP", "EEXIST"], error.code)
      }
      yield* disk.remove(link)
      assert.strictEqual(fs.readFileSync(target, "utf8"), "kept")
      fs.mkdirSync(path.join(directory, "tree"))
      fs.symlinkSync(directory, path.join(directory, "tree", "up"))
      yield* disk.removeTree(path.join(directory, "tree"))
      assert.isTrue(fs.existsSync(target))
    }))

  test("appends at the end, whoever wrote there meanwhile, and reads what is asked", (directory) =>
    Effect.gen(function* () {
      const disk = yield* Disk
      const file = path.join(directory, "file")
      yield* disk.withFile(file, "append", (open) =>
        Effect.gen(function* () {
          yield* open.write(bytes("one "))
          fs.appendFileSync(file, "two ")
          yield* open.write(bytes("three"))
          assert.strictEqual((yield* open.read(4, 100)).toString(), "two three")
          assert.strictEqual((yield* open.read(100, 5)).length, 0)
          yield* open.truncate(3)
          yield* open.sync
          assert.strictEqual(yield* open.size, 3)
        })
      )
      assert.strictEqual(fs.readFileSync(file, "utf8"), "one")
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    }))

  test("closes a file whatever happens while it is open", (directory) =>
    Effect.gen(function* () {
      const disk = yield* Disk
      // The system gives out the lowest descriptor that is free.
      const nextDescriptor = () => {
        const descriptor = fs.openSync(directory, "r")
        fs.closeSync(descriptor)
        return descriptor
      }
      const file = path.join(directory, "file")
      const before = nextDescriptor()
      for (const use of [Effect.fail("no"), Effect.die("no"), Effect.interrupt, Effect.void]) {
        yield* Effect.exit(disk.withFile(file, "append", () => use))
      }
      assert.strictEqual(nextDescriptor(), before)
    }))

  test("tells what a path is, without following it", (directory) =>
    Effect.gen(function* () {
      const disk = yield* Disk
      const at = (name: string) => path.join(directory, name)
      fs.writeFileSync(at("file"), "12345", { mode: 0o640 })
      fs.symlinkSync(at("file"), at("link"))
      spawnSync("mkfifo", [at("pipe")])
      assert.deepInclude(yield* disk.status(at("file")), { kind: "file", size: 5, mode: 0o640 })
      assert.deepInclude(yield* disk.status(at("link")), { kind: "symlink" })
      assert.deepInclude(yield* disk.status(at("pipe")), { kind: "other" })
      assert.deepInclude(yield* disk.status(directory), { kind: "directory" })
      assert.isUndefined(yield* disk.status(at("nothing")))
      assert.deepStrictEqual(yield* disk.list(at("nothing")), [])
      assert.deepStrictEqual(yield* disk.list(directory), ["file", "link", "pipe"])
    }))

  test("says what failed, where, and the system's word for it", (directory) =>
    Effect.gen(function* () {
      const disk = yield* Disk
      const file = path.join(directory, "nothing")
      const error = yield* Effect.flip(disk.readFile(file))
      assert.strictEqual(error.message, `read ${file}: ENOENT`)
    }))
})

describe("a file that is replaced in one step", () => {
  test("is the old one or the new one at every moment", (directory) =>
    Effect.gen(function* () {
      const file = path.join(directory, "file")
      yield* replaceFile(file, bytes("old"))
      for (const failing of ["open", "write", "chmod", "rename"]) {
        const disk = faultyDisk(({ operation }) => (operation === failing ? "ENOSPC" : undefined))
        const error = yield* Effect.flip(Effect.provide(replaceFile(file, bytes("new!"), { mode: 0o644 }), disk))
        assert.strictEqual(error.code, "ENOSPC")
        assert.strictEqual(fs.readFileSync(file, "utf8"), "old")
        assert.deepStrictEqual(fs.readdirSync(directory), ["file"])
      }
      yield* replaceFile(file, bytes("new!"), { mode: 0o644, durable: true })
      assert.strictEqual(fs.readFileSync(file, "utf8"), "new!")
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o644)
    }))

  test("and created in one step belongs to exactly one of many creators", (directory) =>
    Effect.gen(function* () {
      const file = path.join(directory, "file")
      const won = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => `creator ${n}`),
        (name) => createFile(file, bytes(name)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(won.filter(Boolean).length, 1)
      assert.strictEqual(fs.readFileSync(file, "utf8"), `creator ${won.indexOf(true)}`)
      assert.deepStrictEqual(fs.readdirSync(directory), ["file"])
    }))

  test("is not written half: fewer bytes than asked are a full disk", (directory) =>
    Effect.gen(function* () {
      const disk = yield* Disk
      const file = path.join(directory, "file")
      const error = yield* Effect.flip(disk.withFile(file, "new", (open) => writeAll(open, bytes("1234"), file)))
      assert.strictEqual(error.code, "ENOSPC")
    }).pipe(Effect.provide(faultyDisk(({ operation }) => (operation === "write" ? "ENOSPC" : undefined)))))
})
