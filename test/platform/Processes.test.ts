import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Disk, DiskError } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { start } from "../support/program.ts"

const machine = Processes.layer.pipe(Layer.provide(Layer.mergeAll(Disk.layer, Host.layerTest({}))))

/** A machine whose /proc is closed, as it is for a program under Deno without all permissions. */
const closed = Processes.layer.pipe(
  Layer.provide(
    Layer.mergeAll(
      Layer.effect(
        Disk,
        Effect.map(Disk, (disk) => ({
          ...disk,
          readFile: (path: string) => Effect.fail(new DiskError({ operation: "read", path, code: "NotCapable" })),
          readLink: (path: string) => Effect.fail(new DiskError({ operation: "readlink", path, code: "NotCapable" }))
        }))
      ).pipe(Layer.provide(Disk.layer)),
      Host.layerTest({})
    )
  )
)

const waiting = {
  command: process.execPath,
  args: ["-e", "process.stdin.resume()"],
  cwd: "/",
  env: {},
  stdin: "open"
} as const

describe("the identity of a process", () => {
  it.effect("says that it lives, and that it is dead when it has ended", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const other = yield* start(waiting)
      const identity = yield* processes.identify(other.pid)
      assert.isDefined(identity)
      if (identity === undefined) return
      assert.strictEqual(yield* processes.liveness(identity), "alive")
      yield* other.closeInput
      yield* other.finished
      assert.strictEqual(yield* processes.liveness(identity), "dead")
      assert.isUndefined(yield* processes.identify(other.pid))
    }).pipe(Effect.provide(machine))
  )

  it.effect("is not that of a later process with the same pid", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const self = yield* processes.self
      assert.strictEqual(yield* processes.liveness(self), "alive")
      if (self.start !== "") assert.strictEqual(yield* processes.liveness({ ...self, start: "1" }), "dead")
      if (self.boot !== "") assert.strictEqual(yield* processes.liveness({ ...self, boot: "another" }), "dead")
    }).pipe(Effect.provide(machine))
  )

  it.effect("cannot be judged from another host or pid namespace", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const self = yield* processes.self
      assert.strictEqual(yield* processes.liveness({ ...self, host: crypto.randomUUID() }), "foreign")
      assert.strictEqual(yield* processes.liveness({ ...self, namespace: "pid:[1]" }), "foreign")
    }).pipe(Effect.provide(machine))
  )

  it.effect("cannot be judged where only one of the two could read /proc, whoever asks", () =>
    Effect.gen(function* () {
      const open = yield* Effect.provide(
        Effect.flatMap(Processes, (processes) => processes.self),
        machine
      )
      const shut = yield* Effect.provide(
        Effect.flatMap(Processes, (processes) => processes.self),
        closed
      )
      if (open.boot === "") return
      const judge = (owner: typeof open) => Effect.flatMap(Processes, (processes) => processes.liveness(owner))
      assert.strictEqual(yield* Effect.provide(judge(open), closed), "foreign")
      assert.strictEqual(yield* Effect.provide(judge(shut), machine), "foreign")
      assert.strictEqual(yield* Effect.provide(judge(shut), closed), "alive")
    })
  )

  it.effect("is known to be dead without /proc when nobody has its pid", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      const other = yield* start(waiting)
      const identity = yield* processes.identify(other.pid)
      assert.isDefined(identity)
      if (identity === undefined) return
      assert.strictEqual(yield* processes.liveness(identity), "alive")
      yield* other.closeInput
      yield* other.finished
      assert.strictEqual(yield* processes.liveness(identity), "dead")
    }).pipe(Effect.provide(closed))
  )
})
