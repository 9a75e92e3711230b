import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rolldown } from "rolldown"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { filesOf } from "../support/events.ts"
import { run } from "../support/program.ts"
import { machineOf, manifestOf, newUser, strictEvents } from "../support/recording.ts"

const writers = 8
const each = 200

/** The worker as one file: eight processes that compile every module for themselves would take longer than their work. */
const bundledWorker = (directory: string) =>
  Effect.promise(async () => {
    const file = path.join(directory, "appendWorker.mjs")
    const build = await rolldown({
      input: path.join(import.meta.dirname, "../support/appendWorker.ts"),
      platform: "node",
      logLevel: "silent"
    })
    await build.write({ file, codeSplitting: false })
    await build.close()
    return file
  })

describe("many processes that write to one session", () => {
  it.live(`are ${writers} with ${each} events each: all are there, once, in one chain`, () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const worker = yield* bundledWorker(user.directory)
      const names = Array.from({ length: writers }, (_, n) => `w${n}`)
      const ends = yield* Effect.forEach(
        names,
        (name) =>
          run({
            command: process.execPath,
            args: [worker, JSON.stringify(user), name, String(each)],
            cwd: user.project,
            env: user.env
          }),
        { concurrency: "unbounded" }
      )
      for (const end of ends) assert.strictEqual(end.exitCode, 0, end.stderr)

      const { events: file, directory, manifest } = filesOf(user)
      const events = strictEvents(file)
      assert.deepStrictEqual(
        events.map((event) => event.sequence),
        Array.from({ length: writers * each }, (_, n) => n + 1)
      )
      const texts = events.map((event) => (event.kind === "user_prompt" ? event.payload.text : ""))
      const sent = names.flatMap((name) => Array.from({ length: each }, (_, n) => `${name}-${n}`))
      assert.deepStrictEqual([...texts].sort(), sent.sort())
      // Each writer's own events stand in the order in which it wrote them.
      for (const name of names) {
        const own = texts.filter((text) => text.startsWith(`${name}-`)).map((text) => Number(text.split("-")[1]))
        assert.deepStrictEqual(
          own,
          own.map((_, index) => index)
        )
      }
      assert.strictEqual(manifestOf(manifest).event_count, writers * each)
      const verified = yield* verifyArchive(directory).pipe(Effect.provide(machineOf(user)))
      assert.deepInclude(verified, { verdict: "complete", event_count: writers * each, damage_count: 0 })
      assert.deepStrictEqual(
        fs.readdirSync(directory).filter((name) => /lock|\.tmp|spool/.test(name)),
        []
      )
    })
  )
})
