import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { CurrentDeadline, type Deadline } from "../../src/platform/Deadline.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser, strictEvents } from "../support/recording.ts"

/** A deadline that passes when it was asked so often. */
const passingAfter = (asked: number): Deadline => {
  let left = asked
  return { budgetMs: 2_000, remainingMs: () => (left-- > 0 ? 1_000 : 0) }
}

describe("a log that cannot be read to its end in a hook's time", () => {
  it.live("sends the event to the spool, is read on from there by the next hook, and loses nothing", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const files = filesOf(user)
      yield* Effect.gen(function* () {
        yield* append(user, [started()])
        const long = "words of a log ".repeat(500)
        for (let part = 0; part < 10; part++) {
          yield* append(
            user,
            Array.from({ length: 60 }, (_, n) => prompt(`p${part}-${n}`, long))
          )
        }
        const size = fs.statSync(files.events).size
        assert.isAbove(size, 4 * 1024 * 1024)
        // Its checkpoint is lost, so all of it has to be read again.
        fs.rmSync(files.checkpoint)
        const offsets: Array<number> = []
        for (let hook = 0; hook < 2; hook++) {
          const late = yield* append(user, [prompt(`late${hook}`)]).pipe(
            Effect.provideService(CurrentDeadline, passingAfter(1))
          )
          assert.strictEqual(late._tag, "Spooled")
          offsets.push(JSON.parse(fs.readFileSync(files.checkpoint, "utf8")).state.offset)
        }
        assert.isTrue((offsets[0] ?? 0) > 0 && (offsets[1] ?? 0) > (offsets[0] ?? 0) && (offsets[1] ?? 0) < size)
        yield* append(user, [prompt("last"), ended()])
        const events = strictEvents(files.events)
        assert.deepStrictEqual(
          events.map((event) => event.sequence),
          events.map((_, index) => index + 1)
        )
        const texts = events.flatMap((event) => (event.kind === "user_prompt" ? [event.payload.text] : []))
        assert.deepStrictEqual(texts.slice(-3), ["late0", "late1", "last"])
        assert.deepInclude(yield* verifyArchive(files.directory), { verdict: "complete" })
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
