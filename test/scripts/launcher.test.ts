import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { calledAs } from "../../src/calledAs.ts"
import { type Finished, run } from "../support/program.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const launcher = path.join(import.meta.dirname, "../../scripts/launcher.cjs")

/** A launcher with programs of its own, as the build puts them side by side, and an empty cache. */
const place = Effect.map(temporaryDirectory, (directory) => {
  const dist = path.join(directory, "dist")
  const cache = path.join(directory, "cache")
  fs.mkdirSync(dist)
  return {
    dist,
    cache,
    /** Puts a version there; its program's name tells its content, as the build's does, and begins with what it is. */
    install: (name: string, source: string) => {
      const [kind = ""] = name.split("-")
      const file = path.join(dist, "hook.cjs")
      const text = fs.readFileSync(fs.existsSync(file) ? file : launcher, "utf8")
      fs.writeFileSync(file, text.replace(new RegExp(`"${kind}-[\\w-]+\\.cjs"`), JSON.stringify(name)))
      fs.writeFileSync(
        path.join(dist, name),
        `(function (exports, require, module, __filename, __dirname) {${source}})`
      )
    },
    files: () => {
      const directory = path.join(cache, "lint-ai")
      return fs.existsSync(directory) ? fs.readdirSync(directory).map((name) => path.join(directory, name)) : []
    }
  }
})

const launch = (
  at: { readonly dist: string; readonly cache: string },
  env: Record<string, string> = {},
  args: ReadonlyArray<string> = ["hook", "claude"]
) =>
  run({
    command: process.execPath,
    args: [path.join(at.dist, "hook.cjs"), ...args],
    cwd: at.dist,
    env: { XDG_CACHE_HOME: at.cache, ...env },
    stdin: { text: "{}" }
  })

/** A program with functions enough to be worth a cache. */
const saying = (word: string) =>
  `const say = (word) => process.stdout.write(word)\nconst twice = (word) => word + word\nsay(twice("${word}"))\n`

const isWhole = (file: string): boolean => {
  const bytes = fs.readFileSync(file)
  return crypto.createHash("sha256").update(bytes.subarray(32)).digest().equals(bytes.subarray(0, 32))
}

const only = <A>(items: ReadonlyArray<A>): A => {
  const [item, ...others] = items
  if (item === undefined || others.length > 0) throw new Error(`one was expected, there are ${items.length}`)
  return item
}

const assertSays = (end: Finished, word: string) =>
  assert.deepStrictEqual([end.stdout, end.exitCode, end.stderr], [word, 0, ""])

describe("the launcher of lint-ai on Node", () => {
  it.effect("runs the program, first without a cache and then from it", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      assertSays(yield* launch(at), "oneone")
      const file = only(at.files())
      assert.isTrue(isWhole(file))
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
      assertSays(yield* launch(at), "oneone")
      assert.deepStrictEqual(at.files(), [file])
      assert.deepStrictEqual(fs.readdirSync(at.dist).sort(), ["hook-one.cjs", "hook.cjs"])
    })
  )

  it.effect("never runs code of an earlier version, though it has the same length and the same time", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      const { atime, mtime } = fs.statSync(path.join(at.dist, "hook-one.cjs"))
      yield* launch(at)
      at.install("hook-two.cjs", saying("two"))
      fs.utimesSync(path.join(at.dist, "hook-two.cjs"), atime, mtime)
      assertSays(yield* launch(at), "twotwo")
      assertSays(yield* launch(at), "twotwo")
      assert.strictEqual(at.files().length, 2)
    })
  )

  it.effect("does not believe a damaged cache, which V8 would run, and replaces it", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      yield* launch(at)
      const file = only(at.files())
      const whole = fs.readFileSync(file)
      const damaged = [
        Buffer.alloc(0),
        whole.subarray(0, 20),
        whole.subarray(0, -8),
        Buffer.alloc(whole.length),
        ...[40, 100, whole.length >> 1, whole.length - 9].map((at) => {
          const copy = Buffer.from(whole)
          copy.writeUInt8(copy.readUInt8(at) ^ 0x40, at)
          return copy
        })
      ]
      for (const bytes of damaged) {
        fs.writeFileSync(file, bytes)
        assertSays(yield* launch(at), "oneone")
        assert.isTrue(isWhole(only(at.files())))
      }
    })
  )

  it.effect("replaces the cache of another V8, which is whole but refused", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      yield* launch(at)
      const file = only(at.files())
      const foreign = Buffer.from(fs.readFileSync(file).subarray(32))
      foreign.writeUInt32LE((foreign.readUInt32LE(4) ^ 0xffff) >>> 0, 4)
      const written = Buffer.concat([crypto.createHash("sha256").update(foreign).digest(), foreign])
      fs.writeFileSync(file, written)
      assertSays(yield* launch(at), "oneone")
      assert.isFalse(fs.readFileSync(file).equals(written))
    })
  )

  it.effect("does not believe a cache that others can write, or that is a link", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      yield* launch(at)
      const file = only(at.files())
      fs.chmodSync(file, 0o666)
      assertSays(yield* launch(at), "oneone")
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      fs.renameSync(file, path.join(at.dist, "elsewhere"))
      fs.symlinkSync(path.join(at.dist, "elsewhere"), file)
      assertSays(yield* launch(at), "oneone")
      assert.isTrue(fs.lstatSync(file).isFile())
    })
  )

  it.effect("leaves one whole cache when many first runs write it at once", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      const ends = yield* Effect.all(
        Array.from({ length: 8 }, () => launch(at)),
        { concurrency: "unbounded" }
      )
      for (const end of ends) assertSays(end, "oneone")
      assert.isTrue(isWhole(only(at.files())))
    })
  )

  it.effect("has one cache per set of flags, so that two do not replace each other for ever", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      yield* launch(at)
      assertSays(yield* launch(at, { NODE_OPTIONS: "--max-old-space-size=300" }), "oneone")
      assert.strictEqual(at.files().length, 2)
    })
  )

  it.effect("runs where no cache can be written", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      fs.writeFileSync(at.cache, "a file where the directory should be")
      assertSays(yield* launch(at), "oneone")
    })
  )

  it.effect("writes no cache below a home directory that is relative: that would be where the agent works", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      assertSays(yield* launch(at, { XDG_CACHE_HOME: "", HOME: "rel" }), "oneone")
      assertSays(yield* launch(at, { XDG_CACHE_HOME: "rel", HOME: "./rel" }), "oneone")
      assert.deepStrictEqual(fs.readdirSync(at.dist).sort(), ["hook-one.cjs", "hook.cjs"])
    })
  )

  it.effect("removes caches that are a month old", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("one"))
      yield* launch(at)
      const old = only(at.files())
      fs.utimesSync(old, 0, 0)
      at.install("hook-two.cjs", saying("two"))
      assertSays(yield* launch(at), "twotwo")
      assert.isFalse(fs.existsSync(old))
      assert.strictEqual(at.files().length, 1)
    })
  )

  it.effect("ends well, with nothing on stdout, when the program is gone, broken, or fails later", () =>
    Effect.gen(function* () {
      const at = yield* place
      const broken = ["not JavaScript (", 'throw new TypeError("x")', 'setTimeout(() => { throw new TypeError("x") })']
      for (const source of broken) {
        at.install("hook-broken.cjs", source)
        const end = yield* launch(at)
        assert.deepStrictEqual([end.stdout, end.exitCode], ["", 0])
        assert.match(end.stderr, /^lint-ai: the hook did not run \((SyntaxError|TypeError)\)\n$/)
      }
      fs.rmSync(path.join(at.dist, "hook-broken.cjs"))
      const end = yield* launch(at)
      assert.deepStrictEqual(
        [end.stdout, end.exitCode, end.stderr],
        ["", 0, "lint-ai: the hook did not run (ENOENT)\n"]
      )
    })
  )

  it.effect("runs one program for what agents start at every step, and another one for people and servers", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("hook-one.cjs", saying("step"))
      at.install("cli-one.cjs", saying("person"))
      const steps = [["hook", "claude"], ["hook"], ["statusline"], ["--agy-hook"], ["--codex-statusline", "--json"]]
      const others = [
        [],
        ["sessions", "hook"],
        ["hook", "--help"],
        ["hook", "claude", "-h"],
        ["--codex-hook", "--help"],
        ["mcp", "serve", "codex"],
        ["--codex-serve"]
      ]
      const isStep = (args: ReadonlyArray<string>) => ["hook", "statusline"].includes(calledAs(args).program)
      for (const args of steps) {
        assert.isTrue(isStep(args))
        assertSays(yield* launch(at, {}, args), "stepstep")
      }
      for (const args of others) {
        assert.isFalse(isStep(args))
        assertSays(yield* launch(at, {}, args), "personperson")
      }
      assert.deepStrictEqual(
        at.files().map((file) => path.basename(file).split("-")[0]),
        ["cli", "hook"]
      )
      for (const file of at.files()) assert.isTrue(isWhole(file))
    })
  )

  it.effect("lets a person's program fail as programs do", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("cli-broken.cjs", 'throw new TypeError("it broke here")')
      const end = yield* launch(at, {}, ["sessions", "list"])
      assert.strictEqual(end.exitCode, 1)
      assert.match(end.stderr, /it broke here/)
    })
  )

  it.effect("writes nothing for a person where no hook has run, nor behind a command that removes everything", () =>
    Effect.gen(function* () {
      const at = yield* place
      at.install("cli-one.cjs", saying("person"))
      assertSays(yield* launch(at, {}, ["--version"]), "personperson")
      assert.isFalse(fs.existsSync(at.cache))
      at.install("hook-one.cjs", saying("step"))
      yield* launch(at)
      assertSays(yield* launch(at, {}, ["--version"]), "personperson")
      assert.strictEqual(at.files().length, 2)
      at.install("cli-two.cjs", 'require("node:fs").rmSync(process.env.XDG_CACHE_HOME, { recursive: true })')
      assertSays(yield* launch(at, {}, ["uninstall", "--purge"]), "")
      assert.isFalse(fs.existsSync(at.cache))
    })
  )
})
