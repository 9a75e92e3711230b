import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { runCommand } from "../support/cli.ts"
import { compiledHook, newUser, runHook, snapshot, type TestUser } from "../support/recording.ts"

const program = () => compiledHook(inject("builtProgram"))

/** Two turns that memory keeps, as the agent's hooks tell them. */
const deliver = (user: TestUser, id: string) => {
  const tell = (hook_event_name: string, more: object) =>
    runHook(program(), user, { session_id: id, hook_event_name, cwd: user.project, ...more })
  tell("SessionStart", { source: "startup" })
  for (const turn of ["one", "two"]) {
    tell("UserPromptSubmit", { prompt_id: turn, prompt: `How is the ledger ${turn} rebuilt from its snapshot?` })
    tell("Stop", { prompt_id: turn, last_assistant_message: `The ledger ${turn} is rebuilt from its last snapshot.` })
  }
  tell("SessionEnd", { reason: "other" })
}

/** Commands that write, in an order in which each finds something to do. */
const writing: ReadonlyArray<string> = [
  "record start claude --yes",
  "sessions list",
  "sessions recover --finalize",
  "memory search ledger",
  "memory promote one --yes",
  "memory rebuild",
  "memory adopt --yes",
  "memory forget --session claude:one --yes",
  "scenario from-session one --yes",
  "scenario run .lint-ai/scenarios/review-claude-one.json",
  "extract review reject --all",
  "disable claude",
  "record stop claude",
  "sessions delete two --yes",
  "sessions prune --keep 0 --yes"
]

/** A project in which everything was used once: whatever lint-ai keeps in it is there. */
const usedProject = Effect.gen(function* () {
  const user = yield* newUser
  yield* runCommand(user, ["enable", "claude"])
  deliver(user, "one")
  deliver(user, "two")
  yield* runCommand(user, ["memory", "promote", "one", "--yes"])
  yield* runCommand(user, ["scenario", "from-session", "one", "--yes"])
  yield* runCommand(user, ["scenario", "run", ".lint-ai/scenarios/review-claude-one.json"])
  yield* runCommand(user, ["extract", "two", "--host", "claude"])
  const kept = path.join(user.directory, "kept")
  fs.cpSync(path.join(user.project, ".lint-ai"), kept, { recursive: true, preserveTimestamps: true })
  return { user, kept, own: path.join(user.project, ".lint-ai") }
})

describe("a link in the place of something that lint-ai keeps in a project", () => {
  for (const [where, leads] of [
    ["to what is there", true],
    ["to nothing", false]
  ] as const) {
    it.live(`${where} outside of it leads no command and no hook to write there`, () =>
      Effect.gen(function* () {
        const { user, kept, own } = yield* usedProject
        const names = fs.readdirSync(kept, { recursive: true, encoding: "utf8" }).sort()
        assert.isAbove(names.length, 20, names.join())
        const elsewhere = path.join(user.directory, "elsewhere")
        const faults: Array<string> = []
        for (const name of names) {
          fs.rmSync(own, { recursive: true, force: true })
          fs.cpSync(kept, own, { recursive: true, preserveTimestamps: true })
          fs.rmSync(elsewhere, { recursive: true, force: true })
          fs.mkdirSync(elsewhere)
          const target = path.join(elsewhere, path.basename(name))
          if (leads) fs.cpSync(path.join(own, name), target, { recursive: true, preserveTimestamps: true })
          fs.rmSync(path.join(own, name), { recursive: true })
          fs.symlinkSync(target, path.join(own, name))
          const before = snapshot(elsewhere)
          const changed = () => {
            const now = snapshot(elsewhere)
            return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((one) => now[one] !== before[one])
          }
          deliver(user, "three")
          if (changed().length > 0) faults.push(`${name}: hooks wrote ${changed()}`)
          for (const command of changed().length > 0 ? [] : writing) {
            yield* runCommand(user, command.split(" "))
            if (changed().length === 0) continue
            faults.push(`${name}: ${command} wrote ${changed()}`)
            break
          }
        }
        assert.deepStrictEqual(faults, [])
      }).pipe(Effect.scoped)
    )
  }
})
