import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { type LockOwner, LockService, leaseMs, Pause } from "../../src/archive/LockService.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { machineOf, newUser } from "../support/recording.ts"

/** A test with the services of a machine, and the path of a lock that nobody holds. */
const test = (
  name: string,
  body: (lock: string) => Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof machineOf>>>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* body(path.join(user.project, "lock")).pipe(Effect.provide(machineOf(user)))
    })
  )

const place = (lock: string, owner: unknown) => fs.writeFileSync(lock, JSON.stringify(owner))
const makeOld = (lock: string) => {
  const old = (Date.now() - leaseMs - 1_000) / 1000
  fs.utimesSync(lock, old, old)
}

/** This process as the owner of a lock, with what makes it somebody else. */
const owner = (other: Partial<LockOwner>) =>
  Effect.map(
    Effect.flatMap(Processes, (processes) => processes.self),
    (self): LockOwner => ({ token: "other", ...self, ...other })
  )

/** Tries for the lock without waiting. */
const take = (lock: string, waitMs = 0) =>
  Effect.flatMap(LockService, (locks) => locks.hold(lock, waitMs, Effect.succeed("held")))

/** The pid of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid

describe("a lock", () => {
  test("names its holder while it is held, and is gone afterwards", (lock) =>
    Effect.gen(function* () {
      const locks = yield* LockService
      const holder = yield* locks.hold(lock, 0, locks.owner(lock))
      assert.strictEqual(holder?.pid, process.pid)
      assert.isUndefined(yield* locks.owner(lock))
      assert.deepStrictEqual(fs.readdirSync(path.dirname(lock)), [])
    }))

  test("lets a second holder in when the first one is done", (lock) =>
    Effect.gen(function* () {
      const locks = yield* LockService
      const order: Array<string> = []
      const inside = yield* Deferred.make<void>()
      const waiting = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        locks.hold(
          lock,
          0,
          Effect.gen(function* () {
            yield* Deferred.succeed(inside, undefined)
            yield* Deferred.await(go)
            order.push("first")
          })
        )
      )
      yield* Deferred.await(inside)
      const second = yield* Effect.forkChild(
        locks
          .hold(
            lock,
            60_000,
            Effect.sync(() => order.push("second"))
          )
          .pipe(
            Effect.provideService(Pause, (milliseconds) =>
              Effect.andThen(Deferred.succeed(waiting, undefined), Effect.sleep(milliseconds))
            )
          )
      )
      yield* Deferred.await(waiting)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(order, ["first", "second"])
    }))

  test("is given back after a failure, a defect and an interruption", (lock) =>
    Effect.gen(function* () {
      const locks = yield* LockService
      for (const use of [Effect.fail("no"), Effect.die("no"), Effect.interrupt]) {
        yield* Effect.exit(locks.hold(lock, 0, use))
        assert.isFalse(fs.existsSync(lock))
      }
    }))

  test("of a live holder is not had: the wait ends at its deadline and names the holder", (lock) =>
    Effect.gen(function* () {
      place(lock, yield* owner({}))
      const error = yield* Effect.flip(take(lock, 30))
      assert.strictEqual(error._tag, "LockTimeout")
      if (error._tag === "LockTimeout") {
        assert.strictEqual(error.ownerPid, process.pid)
        assert.isAtLeast(error.waitedMs, 30)
        assert.include(error.message, `process ${process.pid}`)
      }
      // However long it is held.
      makeOld(lock)
      assert.deepInclude(yield* Effect.flip(take(lock)), { _tag: "LockTimeout" })
    }))

  test("of a holder that has died is taken over at once", (lock) =>
    Effect.gen(function* () {
      place(lock, yield* owner({ pid: deadPid() }))
      assert.strictEqual(yield* take(lock), "held")
    }))

  test("of a holder whose pid another process has now is taken over at once", (lock) =>
    Effect.gen(function* () {
      const child = spawn("/bin/sleep", ["60"])
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const processes = yield* Processes
      const running = yield* processes.identify(child.pid ?? 0)
      assert.isDefined(running)
      place(lock, { token: "other", ...running })
      assert.deepInclude(yield* Effect.flip(take(lock)), { _tag: "LockTimeout" })
      place(lock, { token: "other", ...running, start: String(Number(running?.start) - 100) })
      assert.strictEqual(yield* take(lock), "held")
    }).pipe(Effect.scoped))

  // A zombie has ended, and its parent has not looked yet; only Linux shows them with their start.
  if (process.platform === "linux") {
    test("of a holder that is a zombie is taken over at once", (lock) =>
      Effect.gen(function* () {
        const gate = `${lock}.gate`
        spawnSync("mkfifo", [gate])
        // The shell becomes a program that waits for no child; only then is its child let go.
        const parent = spawn("/bin/sh", ["-c", 'cat "$0" & echo $!; exec sleep 60', gate])
        yield* Effect.addFinalizer(() => Effect.sync(() => parent.kill("SIGKILL")))
        const pid = yield* Effect.callback<number>((resume) => {
          parent.stdout.once("data", (text) => resume(Effect.succeed(Number(String(text).trim()))))
        })
        const proc = (name: string) => Effect.sync(() => fs.readFileSync(`/proc/${name}`, "utf8"))
        yield* proc(`${parent.pid}/comm`).pipe(Effect.repeat({ until: (name) => name === "sleep\n" }))
        fs.writeFileSync(gate, "")
        const stat = yield* proc(`${pid}/stat`).pipe(Effect.repeat({ until: (text) => text.includes(") Z ") }))
        const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
        place(lock, yield* owner({ pid, start }))
        assert.strictEqual(yield* take(lock), "held")
      }).pipe(Effect.scoped))
  }

  test("of this host before it was started again is taken over at once", (lock) =>
    Effect.gen(function* () {
      place(lock, yield* owner({ boot: "another-boot" }))
      assert.strictEqual(yield* take(lock), "held")
    }))

  for (const [what, other] of [
    ["on another host", { host: "elsewhere" }],
    ["on another host with the same pid in use here", { host: "elsewhere", boot: "another-boot", pid: 1 }],
    ["in another pid namespace", { namespace: "pid:[1]" }]
  ] as const) {
    test(`of a holder ${what} is waited for until its lease has run out`, (lock) =>
      Effect.gen(function* () {
        place(lock, yield* owner(other))
        assert.deepInclude(yield* Effect.flip(take(lock, 20)), { _tag: "LockTimeout" })
        makeOld(lock)
        assert.strictEqual(yield* take(lock), "held")
      }))
  }

  for (const [what, content] of [
    ["is empty", ""],
    ["holds no owner", "{}"],
    ["holds no JSON", "12345\n"]
  ] as const) {
    test(`that ${what} is waited for until a lease has run out`, (lock) =>
      Effect.gen(function* () {
        fs.writeFileSync(lock, content)
        assert.deepInclude(yield* Effect.flip(take(lock, 20)), { _tag: "LockTimeout" })
        makeOld(lock)
        assert.strictEqual(yield* take(lock), "held")
      }))
  }

  test("that is a directory is never had and never removed", (lock) =>
    Effect.gen(function* () {
      fs.mkdirSync(lock)
      assert.deepInclude(yield* Effect.flip(take(lock, 20)), { _tag: "LockTimeout" })
      makeOld(lock)
      assert.deepInclude(yield* Effect.flip(take(lock, 20)), { _tag: "LockTimeout" })
      assert.isTrue(fs.statSync(lock).isDirectory())
    }))

  test("is taken over also when the one who was about to do so has died", (lock) =>
    Effect.gen(function* () {
      place(lock, yield* owner({ pid: deadPid() }))
      place(`${lock}.break`, yield* owner({ token: "breaker", pid: deadPid() }))
      place(`${lock}.break.break`, yield* owner({ token: "breaker", pid: deadPid() }))
      assert.strictEqual(yield* take(lock), "held")
      assert.deepStrictEqual(fs.readdirSync(path.dirname(lock)), [])
    }))

  test("is not broken while another process does", (lock) =>
    Effect.gen(function* () {
      place(lock, yield* owner({ pid: deadPid() }))
      place(`${lock}.break`, yield* owner({ token: "breaker" }))
      assert.deepInclude(yield* Effect.flip(take(lock, 20)), { _tag: "LockTimeout" })
      assert.isTrue(fs.existsSync(lock))
    }))

  test("that somebody else took meanwhile is not given back for them", (lock) =>
    Effect.gen(function* () {
      const locks = yield* LockService
      const thief = yield* owner({ token: "thief" })
      yield* locks.hold(
        lock,
        0,
        Effect.sync(() => {
          fs.rmSync(lock)
          place(lock, thief)
        })
      )
      assert.strictEqual((yield* locks.owner(lock))?.token, "thief")
    }))
})
