import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listAnchors } from "../../src/archive/anchor.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { type Verdict, verifyArchive } from "../../src/evidence/verify.ts"
import { answered, append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

const edit = (user: TestUser, from: string | RegExp, to: string) => {
  const { manifest } = filesOf(user)
  const text = fs.readFileSync(manifest, "utf8")
  assert.notStrictEqual(text.replace(from, to), text)
  fs.writeFileSync(manifest, text.replace(from, to))
}

/** Makes checksums.json fit the manifest again: it needs no key. */
const rehash = (user: TestUser) => {
  const { checksums, manifest } = filesOf(user)
  const value = JSON.parse(fs.readFileSync(checksums, "utf8"))
  value.manifest.digest = crypto.createHash("sha256").update(fs.readFileSync(manifest)).digest("hex")
  fs.writeFileSync(checksums, JSON.stringify(value, undefined, 2))
}

const copyOf = (directory: string): string => {
  fs.cpSync(directory, `${directory}-copy`, { recursive: true })
  return `${directory}-copy`
}

type Run = (user: TestUser) => Effect.Effect<unknown, unknown, SessionArchive>
const recorded: Run = (user) => append(user, [started(), prompt("a"), prompt("b"), ended()])
const active: Run = (user) => append(user, [started(), prompt("a"), prompt("b")])
const change =
  (what: (user: TestUser) => void): Run =>
  (user) =>
    Effect.sync(() => what(user))

/** Alterations that need no look into the log, what is said of them, and why. */
const cases: ReadonlyArray<readonly [what: string, before: Run, tamper: Run, verdict: Verdict, reason: RegExp]> = [
  [
    "the status in the manifest, and checksums made anew",
    recorded,
    change((user) => {
      edit(user, '"completed"', '"failed"')
      rehash(user)
    }),
    "partial",
    /manifest\.json is not as lint-ai wrote it/
  ],
  [
    "the project in the manifest of an active session",
    active,
    change((user) => edit(user, /"project_root": "[^"]+"/, '"project_root": "/elsewhere"')),
    "partial",
    /manifest\.json is not as lint-ai wrote it/
  ],
  [
    "the mode in the manifest, without its seal",
    active,
    change((user) => edit(user, /,\n {2}"seal": "\w+"/, "")),
    "partial",
    /manifest\.json is not as lint-ai wrote it/
  ],
  [
    "white space in the manifest",
    active,
    change((user) => edit(user, '"schema_version": 1', '"schema_version":  1')),
    "partial",
    /manifest\.json is not as lint-ai wrote it/
  ],
  [
    "the manifest, by that of another session",
    recorded,
    (user) =>
      Effect.gen(function* () {
        const other = { ...user, project: user.project }
        yield* append(other, [started("x"), ended("y")], { id: "claude:t" as never })
        const file = filesOf(user).manifest.replace("claude-s/", "claude-t/")
        fs.copyFileSync(file, filesOf(user).manifest)
      }),
    "broken",
    /another session|another number|does not continue/
  ],
  [
    "checksums.json, which is gone",
    recorded,
    change((user) => fs.rmSync(filesOf(user).checksums)),
    "partial",
    /checksums\.json is missing/
  ],
  [
    "the manifest before the session went on",
    active,
    (user) =>
      Effect.gen(function* () {
        edit(user, /"project_root": "[^"]+"/, '"project_root": "/elsewhere"')
        yield* append(user, [answered("c"), ended()])
      }),
    "partial",
    /manifest\.json was changed by somebody else before event 4/
  ],
  [
    "the whole archive, put back to an older copy",
    active,
    (user) =>
      Effect.gen(function* () {
        const { directory } = filesOf(user)
        const copy = copyOf(directory)
        yield* append(user, [answered("c")])
        fs.rmSync(directory, { recursive: true })
        fs.renameSync(copy, directory)
      }),
    "broken",
    /event 4 is missing: the anchor knows of 4/
  ],
  [
    "the whole archive, put back to an older copy that went on",
    active,
    (user) =>
      Effect.gen(function* () {
        const { directory } = filesOf(user)
        const copy = copyOf(directory)
        yield* append(user, [answered("c")])
        fs.rmSync(directory, { recursive: true })
        fs.renameSync(copy, directory)
        yield* append(user, [answered("d"), ended()])
      }),
    "broken",
    /event 4: its sequence is 5 and should be 4/
  ],
  [
    "nothing of an archive that was deleted and put back from a copy",
    recorded,
    (user) =>
      Effect.gen(function* () {
        const archive = yield* SessionArchive
        const { directory } = filesOf(user)
        const copy = copyOf(directory)
        yield* archive.remove(directory)
        fs.renameSync(copy, directory)
      }),
    "partial",
    /was deleted on .*, so this is a copy/
  ]
]

describe("verifying a record beside which somebody changed", () => {
  for (const [what, before, tamper, verdict, reason] of cases) {
    it.live(`${what} says ${verdict}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          yield* before(user)
          yield* tamper(user)
          const result = yield* verifyArchive(filesOf(user).directory)
          assert.strictEqual(result?.verdict, verdict, result?.reasons.join("; "))
          assert.match(result?.reasons.join("\n") ?? "", reason)
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }

  it.live("and the anchors still know a record that is gone as a whole", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* recorded(user)
        fs.rmSync(filesOf(user).directory, { recursive: true })
        assert.isUndefined(yield* verifyArchive(filesOf(user).directory))
        const [anchor] = (yield* listAnchors()).values()
        assert.deepInclude(anchor, { session_id: "claude:s", archive: filesOf(user).directory, count: 4 })
        assert.isUndefined(anchor?.deleted_at)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
