import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isTrusted, trust } from "../../src/scenario/consent.ts"
import { machineOf, newUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

const digest = "a".repeat(64)
const trusted = (user: TestUser, of = digest) => isTrusted(of).pipe(Effect.provide(machineOf(user)))
const agree = (user: TestUser, of = digest) => trust(of).pipe(Effect.provide(machineOf(user)))
const fileOf = (user: TestUser, of = digest) => path.join(user.state, "scenario-trust", `${of}.json`)

describe("the consent to a scenario's commands", () => {
  it.effect("is there after the user gave it, for that scenario alone", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.isFalse(yield* trusted(user))
      assert.isFalse(fs.existsSync(user.state), "asking creates nothing")
      yield* agree(user)
      assert.isTrue(yield* trusted(user))
      assert.isFalse(yield* trusted(user, "b".repeat(64)))
      assert.strictEqual(fs.statSync(fileOf(user)).mode & 0o777, 0o600)
    })
  )

  it.effect("is none when it was copied to another user, edited or moved to another scenario", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const other = userIn(user.directory, "other")
      yield* agree(user)
      const text = fs.readFileSync(fileOf(user), "utf8")
      fs.mkdirSync(path.dirname(fileOf(other)), { recursive: true })
      fs.writeFileSync(fileOf(other), text)
      assert.isFalse(yield* trusted(other), "another user's")

      const moved = "b".repeat(64)
      fs.writeFileSync(fileOf(user, moved), text)
      assert.isFalse(yield* trusted(user, moved), "of another scenario")
      fs.writeFileSync(fileOf(user, moved), text.replaceAll(digest, moved))
      assert.isFalse(yield* trusted(user, moved), "edited for another scenario")

      for (const damaged of ["", "{}", text.slice(0, -20), text.replace(/"signature": ".{4}/, '"signature": "0000')]) {
        fs.writeFileSync(fileOf(user), damaged)
        assert.isFalse(yield* trusted(user), damaged)
      }
      fs.writeFileSync(fileOf(user), text)
      assert.isTrue(yield* trusted(user))
    })
  )

  it.effect("of a project that is a directory of somebody else's choice is kept in the user's state alone", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = snapshot(user.project)
      yield* agree(user)
      assert.deepStrictEqual(snapshot(user.project), before)
    })
  )
})
