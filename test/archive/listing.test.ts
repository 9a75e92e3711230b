import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listArchives } from "../../src/archive/readArchive.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { withFaults } from "../support/faultyDisk.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

/** Lists a user's sessions and asks of each whether it is settled, as `sessions list` does. */
const list = (user: TestUser) =>
  Effect.gen(function* () {
    const archive = yield* SessionArchive.make
    const { sessions } = yield* listArchives(sessionsRoot(user.project, "claude"))
    return yield* Effect.forEach(sessions, (one) =>
      Effect.map(archive.isUnsettled(one.directory, one.manifest), (unsettled) => ({
        name: path.basename(one.directory),
        unsettled
      }))
    )
  })

describe("a listing", () => {
  it.live("asks the disk four things of each session that ended, and three of the whole", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const many = 20
        for (let n = 0; n < many; n++) {
          yield* append(user, [started(), prompt("p"), ended()], { id: sessionId("claude", `s${n}`) })
        }
        const asked: Array<string> = []
        const disk = yield* Disk
        const told = yield* list(user).pipe(
          Effect.provideService(
            Disk,
            withFaults(
              disk,
              () => undefined,
              ({ operation, path: file }) => asked.push(`${operation} ${file}`)
            )
          )
        )
        assert.strictEqual(told.length, many)
        assert.isTrue(told.every((one) => !one.unsettled))
        assert.strictEqual(asked.length, 3 + 4 * many)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("looks at directories alone: no file and no link in the place of a session", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* append(user, [started(), ended()])
        const { directory } = filesOf(user)
        const root = path.dirname(directory)
        fs.symlinkSync(directory, path.join(root, "claude-linked"))
        fs.writeFileSync(path.join(root, "claude-file"), "no session")
        fs.mkdirSync(path.join(root, "claude-empty"))
        const found = yield* listArchives(root)
        assert.deepStrictEqual(
          found.sessions.map((one) => one.directory),
          [directory]
        )
        assert.deepStrictEqual(found.unreadable, [path.join(root, "claude-empty")])
        assert.deepStrictEqual(yield* list(user), [{ name: path.basename(directory), unsettled: false }])
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
