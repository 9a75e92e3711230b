import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Diagnostics, type DiagnosticsPlace } from "../../src/control/Diagnostics.ts"
import { faultyDisk } from "../support/faultyDisk.ts"
import { machineOf, recordingUser, type TestUser } from "../support/recording.ts"

const files = (user: TestUser) => ({
  project: path.join(user.project, ".lint-ai", "diagnostics.jsonl"),
  user: path.join(user.state, "diagnostics.jsonl")
})
const note = (user: TestUser, tag: string, projectRoot: string | undefined = user.project, machine = machineOf(user)) =>
  Effect.flatMap(Diagnostics, (diagnostics) => diagnostics.note({ projectRoot }, { provider: "claude", tag })).pipe(
    Effect.provide(machine)
  )
const tags = (user: TestUser, projectRoot: string | undefined = user.project) =>
  Effect.flatMap(Diagnostics, (diagnostics) => diagnostics.read({ projectRoot })).pipe(
    Effect.map((all) => all.map(({ tag }) => tag)),
    Effect.provide(machineOf(user))
  )

describe("the diagnostics", () => {
  it.live("of a project are lines in it, for its owner alone, oldest first", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      assert.deepStrictEqual(yield* tags(user), [])
      for (const tag of ["One", "Two"]) yield* note(user, tag)
      assert.deepStrictEqual(yield* tags(user), ["One", "Two"])
      assert.strictEqual(fs.statSync(files(user).project).mode & 0o777, 0o600)
      assert.isFalse(fs.existsSync(files(user).user))
    })
  )

  it.live("keep the name of an event, and nothing that is none: it comes from the payload", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const noted = (event: string) =>
        Effect.flatMap(Diagnostics, (diagnostics) =>
          diagnostics.note({ projectRoot: user.project }, { provider: "claude", event, tag: "One" })
        ).pipe(
          Effect.provide(machineOf(user)),
          Effect.map(
            () => JSON.parse(fs.readFileSync(files(user).project, "utf8").trim().split("\n").at(-1) ?? "").event
          )
        )
      for (const name of ["PreToolUse", "x", "a.b-c_d", `A${"b".repeat(63)}`])
        assert.strictEqual(yield* noted(name), name)
      for (const text of ["", "my password is x", `A${"b".repeat(64)}`, "a\nb", "é", "1", "\u001b[2J"])
        assert.isUndefined(yield* noted(text))
    })
  )

  it.live("name the project where they cannot be in it, and only there", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const last = (file: string) => JSON.parse(fs.readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "")
      const noted = (place: DiagnosticsPlace) =>
        Effect.flatMap(Diagnostics, (diagnostics) => diagnostics.note(place, { provider: "claude", tag: "One" })).pipe(
          Effect.provide(machineOf(user))
        )
      yield* noted({ projectRoot: user.project })
      assert.isUndefined(last(files(user).project).project)
      yield* noted({ projectRoot: undefined })
      assert.isUndefined(last(files(user).user).project)
      yield* noted({ projectRoot: undefined, about: "/p/inert" })
      assert.strictEqual(last(files(user).user).project, "/p/inert")
      yield* noted({ projectRoot: "/p/gone" })
      assert.strictEqual(last(files(user).user).project, "/p/gone")
    })
  )

  it.live("of no project are the user's", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* Effect.flatMap(Diagnostics, (diagnostics) =>
        diagnostics.note({ projectRoot: undefined }, { provider: "claude", tag: "One" })
      ).pipe(Effect.provide(machineOf(user)))
      assert.isTrue(fs.existsSync(files(user).user))
      assert.isFalse(fs.existsSync(files(user).project))
    })
  )

  it.live("that the project cannot take are the user's, and those that nobody can take break nothing", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const full = (place: string) =>
        machineOf(user, { disk: faultyDisk(({ path: file }) => (file.startsWith(place) ? "ENOSPC" : undefined)) })
      yield* note(user, "One", user.project, full(user.project))
      assert.include(fs.readFileSync(files(user).user, "utf8"), '"tag":"One"')
      yield* note(user, "Two", user.project, full(user.directory))
      assert.deepStrictEqual(yield* tags(user), [])
    })
  )

  it.live("are read also around half a line that a full disk left", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* note(user, "One")
      yield* note(
        user,
        "Half",
        user.project,
        machineOf(user, {
          disk: faultyDisk(({ operation, path: file }) =>
            operation === "write" && file === files(user).project ? "ENOSPC" : undefined
          )
        })
      )
      yield* note(user, "Two")
      assert.deepStrictEqual(yield* tags(user), ["One", "Two"])
    })
  )

  it.live("of a hook that fails every time fill no disk", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      fs.writeFileSync(files(user).project, "x".repeat(1024 * 1024 - 10))
      for (const tag of ["One", "Two"]) yield* note(user, tag)
      assert.deepStrictEqual(yield* tags(user), ["One", "Two"])
      assert.isBelow(fs.statSync(files(user).project).size, 1000)
      assert.isTrue(fs.existsSync(`${files(user).project}.1`))
    })
  )
})
