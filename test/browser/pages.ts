import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import type { Provider } from "../../src/domain/provider.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { sessionHtml } from "../../src/viewer/html.ts"
import { type Payload, record } from "../export/sessions.ts"
import { append, filesOf } from "../support/events.ts"
import { machineOf, type TestUser, userIn } from "../support/recording.ts"

/** A directory for the pages of one test file; `remove` takes it away. */
export const pageDirectory = () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-pages-"))
  return {
    directory,
    user: () => userIn(directory, crypto.randomBytes(6).toString("hex")),
    remove: () => fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** Runs with the parts of the program as they are, but the clock, which stands until it is moved. */
export const run = <A, E>(
  user: TestUser,
  effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof machineOf>> | TestClock.TestClock>
): Promise<A> => Effect.runPromise(effect.pipe(Effect.provide(machineOf(user)), Effect.provide(TestClock.layer())))

const writePage = Effect.fnUntraced(function* (user: TestUser, archive: string) {
  const { html } = yield* sessionHtml(archive)
  const file = path.join(user.directory, `${crypto.randomBytes(6).toString("hex")}.html`)
  fs.writeFileSync(file, html)
  return file
})

/** The page of a session that is recorded from hook payloads, as the hook does. Gives the file. */
export const recordedPage = (user: TestUser, provider: Provider, payloads: ReadonlyArray<Payload>): Promise<string> =>
  run(
    user,
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-08-16T12:00:00Z"))
      const archives: Array<string> = []
      for (const payload of payloads) {
        yield* TestClock.adjust(1_300)
        archives.splice(0, Infinity, ...(yield* record(user, provider, [payload])))
      }
      // The longest of them: some captures hold more than one session.
      const [archive = ""] = archives.sort(
        (left, right) => sizeOf(path.join(right, "events.jsonl")) - sizeOf(path.join(left, "events.jsonl"))
      )
      return yield* writePage(user, archive)
    })
  )

const sizeOf = (file: string): number => (fs.existsSync(file) ? fs.statSync(file).size : 0)

/** Archives events as a session of their own; gives its directory. */
export const archived = (user: TestUser, name: string, events: ReadonlyArray<PreparedEvent>) =>
  Effect.gen(function* () {
    const id = sessionId("claude", name)
    yield* append(user, events, { id })
    return filesOf(user, id).directory
  })

/** The page of a session of events as an archive holds them. `damage` changes the log before it is read. */
export const archivedPage = (
  user: TestUser,
  events: ReadonlyArray<PreparedEvent>,
  damage: (log: string) => void = () => undefined
): Promise<string> =>
  run(
    user,
    Effect.gen(function* () {
      for (let from = 0; from < events.length; from += 500) yield* append(user, events.slice(from, from + 500))
      const files = filesOf(user)
      damage(files.events)
      return yield* writePage(user, files.directory)
    })
  )
