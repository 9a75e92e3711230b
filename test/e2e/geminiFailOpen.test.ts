import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeGeminiApi, type GeminiScenario, startFakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { type GeminiSandbox, installGemini, makeGeminiSandbox, recordProject, runGemini } from "./gemini.ts"

const work: GeminiScenario = [
  { text: "One.", calls: [{ name: "run_shell_command", args: { command: "echo fine", description: "x" } }] },
  { text: "Two.", calls: [{ name: "read_file", args: { file_path: "one.txt" } }] },
  { text: "That was all." }
]

let gemini = ""
let without: Effect.Success<ReturnType<typeof sessionOf>>
beforeAll(async () => {
  gemini = await Effect.runPromise(installGemini)
  without = await Effect.runPromise(Effect.scoped(sessionOf(() => {}, false)))
  assert.deepStrictEqual([without.exitCode, without.response], [0, "That was all."])
  assert.strictEqual(without.conversation.tools.length, 4)
})

const replaceBy =
  (script: string, mode = 0o755) =>
  ({ lintAi }: GeminiSandbox): void => {
    // Removed first: the file is shared with other tests.
    fs.rmSync(lintAi)
    fs.writeFileSync(lintAi, script, { mode })
  }

/** What may be wrong with lint-ai. */
const faults: Readonly<Record<string, (sandbox: GeminiSandbox) => void>> = {
  "its binary is gone": ({ lintAi }) => fs.rmSync(lintAi),
  "its binary may not be started": replaceBy("#!/bin/sh\n", 0o644),
  "it complains and fails": replaceBy("#!/bin/sh\necho 'something is wrong' >&2\nexit 7\n"),
  "it prints garbage and fails": replaceBy('#!/bin/sh\necho \'{"decision": "deny\'\nexit 2\n'),
  "it crashes before it reads": replaceBy("#!/bin/sh\nkill -ABRT $$\n"),
  "it never ends": (sandbox) => {
    replaceBy("#!/bin/sh\nexec sleep 600\n")(sandbox)
    const settings = path.join(sandbox.geminiHome, "settings.json")
    // The agent's patience, shortened so that the test is.
    fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replaceAll('"timeout":10000', '"timeout":300'))
  },
  // For lint-ai alone: every write fails, because no file may grow. 25 is the signal that would tell so.
  "nothing more can be written": ({ lintAi }) => {
    const whole = `${lintAi}-whole`
    fs.renameSync(lintAi, whole)
    fs.writeFileSync(lintAi, `#!/bin/sh\ntrap '' 25\nulimit -f 0\nexec '${whole}' "$@"\n`, { mode: 0o755 })
  },
  "its directory is a file": ({ project }) => {
    fs.rmSync(path.join(project, ".lint-ai"), { recursive: true })
    fs.writeFileSync(path.join(project, ".lint-ai"), "no directory\n")
  }
}

/** All that the user and the model see of a session. */
const sessionOf = Effect.fnUntraced(function* (spoil: (sandbox: GeminiSandbox) => void, installed: boolean) {
  const api = yield* startFakeGeminiApi({ work })
  const sandbox = yield* makeGeminiSandbox(api)
  fs.writeFileSync(path.join(sandbox.project, "one.txt"), "one\n")
  if (installed) yield* recordProject(sandbox)
  spoil(sandbox)
  const end = yield* runGemini(gemini, sandbox, { prompt: "scenario:work Do it." })
  return { exitCode: end.exitCode, response: end.result.response, conversation: conversationOf(api, sandbox) }
})

/** The calls of tools and their results, as the last request tells them, without what differs between two runs anyway. */
const conversationOf = ({ received }: FakeGeminiApi, { root }: GeminiSandbox) => ({
  requests: received.map(({ scenario, step }) => `${scenario} ${step}`),
  tools: (received.at(-1)?.body.contents ?? [])
    .flatMap(({ parts = [] }) => parts)
    .flatMap(({ functionCall, functionResponse }) => [functionCall, functionResponse])
    .filter((part) => part !== undefined)
    .map((part) =>
      JSON.stringify(part)
        .replaceAll(root, "")
        .replaceAll(/"id":"[^"]*"/g, "")
        .replaceAll(/PGID: \d+/g, "")
    )
})

describe("Gemini CLI", () => {
  it.live.each(Object.keys(faults))("works as without lint-ai when %s", (fault) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sessionOf(faults[fault] ?? (() => {}), true), without)
    })
  )
})
