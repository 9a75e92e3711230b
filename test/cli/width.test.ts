import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { widthOf } from "../../src/cli/render/text.ts"
import { Screen } from "../../src/platform/Screen.ts"
import { call, deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser } from "../support/recording.ts"

const longId = "8fd2ac5e-9b1c-4a86-9c3d-0a6b8f1c2d3e"

/** Lines that are wider than a terminal although they could be broken: what is to be copied (a path, an id, a command) stays whole. */
const tooWide = (text: string, columns: number): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => widthOf(line) > columns)
    .filter((line) => {
      const widest = line.split(/ {2,}|(?<=[a-z:,.]) /).reduce((most, part) => Math.max(most, widthOf(part.trim())), 0)
      return widest <= columns / 2 && !/lint-ai |[/\\]/.test(line)
    })

describe("what commands print for a person", () => {
  it.live("fits the width of the terminal and has no control characters, also of what was recorded", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const hostile = "日本語 \u001b[31mred\u0007 \u202eevil needle"
      yield* deliver(user, longId, [start, prompt(1, hostile), call(1, `echo "${hostile}"`), end])
      yield* deliver(user, "77aa", [start, prompt(1, "needle")])
      yield* runCommand(user, ["memory", "promote", longId, "--yes"])
      const faults: Array<string> = []
      for (const columns of [40, 60, 80, 120, 200]) {
        for (const line of [
          "status",
          "record status",
          "sessions list",
          "sessions inspect",
          `sessions inspect ${longId}`,
          "sessions search needle",
          "sessions verify --all",
          "sessions recover",
          "sessions prune --keep 0 --dry-run",
          "watch --once",
          `watch --follow ${longId} --once`,
          "memory list",
          "memory search needle",
          "memory stats",
          "doctor",
          "evidence key show",
          "redact check",
          "extract review",
          "install claude --dry-run",
          "uninstall claude --dry-run"
        ]) {
          const written = { out: [] as Array<string>, err: [] as Array<string> }
          const screen = Layer.effect(
            Screen,
            Effect.map(Screen, (one) => Screen.of({ ...one, redraws: { out: true, err: true } }))
          ).pipe(Layer.provide(Screen.layerTest(written, [], columns)))
          yield* runCommand(user, line.split(" "), { screen })
          for (const text of [written.out.join(""), written.err.join("")]) {
            if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(text)) faults.push(`${line}: control characters`)
            for (const wide of tooWide(text, columns)) faults.push(`${columns} ${line}: ${wide}`)
          }
        }
      }
      assert.deepStrictEqual(faults, [], path.basename(user.project))
    }).pipe(Effect.scoped)
  )
})
