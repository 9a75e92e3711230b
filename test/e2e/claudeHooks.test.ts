import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { eventsFor } from "../../src/providers/claude/install.ts"
import { startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { fileHolds } from "../support/fileEvents.ts"
import { claudeVersions, installClaude, makeSandbox } from "./claude.ts"
import { scenarios } from "./scenarios.ts"
import { prepareTour, takeTour } from "./tour.ts"

/** A project whose hooks do no more than write down what they are given, one line per delivery. */
const watchProject = (project: string, events: ReadonlyArray<string>): string => {
  const deliveries = path.join(path.dirname(project), "deliveries.jsonl")
  const hooks = Object.fromEntries(
    events.map((event) => [event, [{ hooks: [{ type: "command", command: `cat >> '${deliveries}'` }] }]])
  )
  fs.writeFileSync(path.join(project, ".claude", "settings.local.json"), JSON.stringify({ hooks }))
  return deliveries
}

const namesIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).hook_event_name)

describe.each(claudeVersions)("Claude Code %s", (version) => {
  const registered = eventsFor(version)
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live("delivers every hook that lint-ai registers", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scenarios)
      const sandbox = yield* makeSandbox(api)
      prepareTour(sandbox.project)
      const deliveries = watchProject(sandbox.project, registered)
      const end = yield* takeTour(claude, version, sandbox, () =>
        fileHolds(deliveries, (text) => namesIn(text).includes("StopFailure"))
      )

      assert.strictEqual(end.exitCode, 0, end.stderr)
      const delivered = new Set(namesIn(fs.readFileSync(deliveries, "utf8")))
      assert.deepStrictEqual(
        registered.filter((event) => !delivered.has(event)),
        []
      )
      assert.deepStrictEqual(api.strays, [])
    })
  )
})
