import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Toggles } from "../../src/control/Toggles.ts"
import { providers } from "../../src/domain/provider.ts"
import { enableRecording, machineOf, newUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

const lintAi = (user: TestUser) => path.join(user.project, ".lint-ai")
const stateFile = (user: TestUser) => path.join(lintAi(user), "state.json")
const read = (user: TestUser, project = user.project) =>
  Effect.flatMap(Toggles, (toggles) => toggles.read(project)).pipe(Effect.provide(machineOf(user)))
const adopt = (user: TestUser) =>
  Effect.flatMap(Toggles, (toggles) => toggles.adopt(user.project)).pipe(Effect.provide(machineOf(user)))
const edit = (user: TestUser, change: (state: { readonly providers: Record<string, object> }) => void) => {
  const state = JSON.parse(fs.readFileSync(stateFile(user), "utf8"))
  change(state)
  fs.writeFileSync(stateFile(user), JSON.stringify(state))
}

describe("the state of a project", () => {
  it.live("is off where there is none, and reading it creates nothing", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = snapshot(user.directory)
      assert.deepStrictEqual(yield* read(user), { _tag: "off" })
      assert.deepStrictEqual(yield* adopt(user), { _tag: "off" })
      assert.deepStrictEqual(snapshot(user.directory), before)
    })
  )

  it.live("is the user's word once it was changed, in a directory that Git ignores and nobody else reads", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* enableRecording(user)
      const consent = yield* read(user)
      assert.strictEqual(consent._tag, "adopted")
      if (consent._tag === "adopted") {
        assert.deepStrictEqual(consent.providers, {
          claude: { recording: true, memory: false, mode: "capture-only" }
        })
      }
      assert.strictEqual(fs.readFileSync(path.join(lintAi(user), ".gitignore"), "utf8"), "*\n")
      assert.strictEqual(fs.statSync(lintAi(user)).mode & 0o777, 0o700)
      assert.strictEqual(fs.statSync(stateFile(user)).mode & 0o777, 0o600)
      assert.strictEqual(fs.statSync(path.join(user.config, "keys.json")).mode & 0o777, 0o600)
      assert.deepStrictEqual(fs.readdirSync(lintAi(user)).sort(), [".gitignore", "state.json"])
    })
  )

  it.live("keeps the changes of all who change it at once", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const changes = Array.from({ length: 5 }, () => providers).flat()
      yield* Effect.forEach(
        changes,
        (provider) =>
          Effect.flatMap(Toggles, (toggles) =>
            toggles.change(user.project, provider, (before) => ({ ...before, memory: true }))
          ).pipe(Effect.provide(machineOf(user))),
        { concurrency: "unbounded" }
      )
      const consent = yield* read(user)
      assert.deepStrictEqual(
        consent._tag === "adopted" ? Object.keys(consent.providers).sort() : [],
        [...providers].sort()
      )
    })
  )

  const edits: ReadonlyArray<readonly [what: string, reason: string, change: (user: TestUser) => void]> = [
    [
      "turned on by hand",
      "unsigned",
      (user) =>
        edit(user, (state) =>
          Object.assign(state, { providers: { codex: { recording: true, memory: false, mode: "capture-only" } } })
        )
    ],
    [
      "with another session root",
      "unsigned",
      (user) => edit(user, (state) => Object.assign(state.providers.claude ?? {}, { session_root: "/tmp" }))
    ],
    ["with another key", "unsigned", (user) => edit(user, (state) => Object.assign(state, { key_id: "0".repeat(16) }))],
    ["with no key", "unsigned", (user) => edit(user, (state) => Object.assign(state, { key_id: "none" }))],
    [
      "with another signature",
      "unsigned",
      (user) => edit(user, (state) => Object.assign(state, { signature: "0".repeat(64) }))
    ],
    ["with no signature", "unsigned", (user) => edit(user, (state) => Object.assign(state, { signature: "" }))],
    [
      "with a config that nobody adopted",
      "unsigned",
      (user) => edit(user, (state) => Object.assign(state, { config_sha256: "0".repeat(64) }))
    ],
    ["that is no JSON", "damaged", (user) => fs.writeFileSync(stateFile(user), "{")],
    ["that is empty", "damaged", (user) => fs.writeFileSync(stateFile(user), "")],
    ["whose key is gone", "unsigned", (user) => fs.rmSync(user.config, { recursive: true })]
  ]
  for (const [what, reason, change] of edits) {
    it.live(`${what} is inert, and no change of it writes over it`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* enableRecording(user)
        change(user)
        const consent = yield* read(user)
        assert.deepStrictEqual([consent._tag, consent._tag === "inert" && consent.reason], ["inert", reason])
        const before = snapshot(lintAi(user))
        assert.deepInclude(yield* Effect.flip(enableRecording(user)), { _tag: "NotAdopted" })
        assert.deepStrictEqual(snapshot(lintAi(user)), before)
      })
    )
  }

  it.live("that came with a copy is inert until this user adopts it, without a session root of somebody's choice", () =>
    Effect.gen(function* () {
      const owner = yield* newUser
      yield* enableRecording(owner)
      yield* Effect.flatMap(Toggles, (toggles) =>
        toggles.change(owner.project, "claude", (before) => ({ ...before, session_root: "/tmp/elsewhere" }))
      ).pipe(Effect.provide(machineOf(owner)))
      const other = userIn(owner.directory, "other")
      fs.cpSync(lintAi(owner), lintAi(other), { recursive: true })
      assert.deepInclude(yield* read(other), { _tag: "inert", reason: "unsigned" })
      const adopted = yield* adopt(other)
      assert.deepStrictEqual(adopted._tag === "adopted" ? adopted.providers : undefined, {
        claude: { recording: true, memory: false, mode: "capture-only" }
      })
      assert.deepInclude(yield* read(other), { _tag: "adopted" })
      assert.deepInclude(yield* read(owner, other.project), { _tag: "inert" })
    })
  )

  it.live("that was moved with its project is inert: it was given for another place", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* enableRecording(user)
      const moved = path.join(user.directory, "moved")
      fs.renameSync(user.project, moved)
      assert.deepInclude(yield* read(user, moved), { _tag: "inert", reason: "unsigned" })
    })
  )

  it.live("in a .lint-ai that is a link is inert, wherever it leads", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* enableRecording(user)
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.renameSync(lintAi(user), elsewhere)
      fs.symlinkSync(elsewhere, lintAi(user))
      assert.deepInclude(yield* read(user), { _tag: "inert", reason: "link" })
      assert.deepInclude(yield* Effect.flip(enableRecording(user)), { _tag: "NotAdopted" })
    })
  )

  it.live("cannot be given without a key, and says what to do", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      fs.writeFileSync(user.config, "a file")
      const error = yield* Effect.flip(enableRecording(user))
      assert.strictEqual(error._tag, "NoKey")
      assert.include(error.message, "LINT_AI_CONFIG_DIR")
      assert.deepStrictEqual(yield* read(user), { _tag: "off" })
    })
  )
})
