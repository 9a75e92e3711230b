import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { readArchive } from "./archive.ts"
import { claudeVersions, installClaude, makeSandbox, runClaude } from "./claude.ts"
import { lintAiJson, recordProject } from "./lintAi.ts"
import { scenarios } from "./scenarios.ts"

/** The agent's own transcript of the sandbox's one session. */
const transcriptIn = (claudeHome: string, session: string): string => {
  const names = fs.readdirSync(path.join(claudeHome, "projects"), { recursive: true, encoding: "utf8" })
  const name = names.find((one) => path.basename(one) === `${session}.jsonl`)
  if (name === undefined) throw new Error(`no transcript of ${session}`)
  return path.join(claudeHome, "projects", name)
}

describe.each(claudeVersions)("a recorded session of Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  for (const scenario of ["commands", "denied", "parallel", "agent"]) {
    it.live(`agrees with the agent's transcript, call by call: ${scenario}`, () =>
      Effect.gen(function* () {
        const api = yield* startFakeMessagesApi(scenarios)
        const sandbox = yield* makeSandbox(api)
        const binary = yield* recordProject(sandbox, claude)
        const end = yield* runClaude(claude, sandbox, { prompt: `scenario:${scenario}` })
        const { manifest } = readArchive(sandbox.project)
        const transcript = transcriptIn(sandbox.claudeHome, end.result.session_id)
        const ask = ["sessions", "verify", manifest.session_id, "--against-transcript", transcript]
        const verified = yield* lintAiJson(sandbox, binary, ...ask)
        assert.strictEqual(verified.verdict, "complete")
        assert.deepInclude(verified.against_transcript, {
          agrees: true,
          before_recording: 0,
          not_recorded: [],
          not_in_transcript: []
        })
        assert.isAbove(verified.against_transcript.transcript_calls, 0)

        // The transcript itself makes a session with the same calls.
        const imported = yield* lintAiJson(sandbox, binary, "sessions", "import", "--transcript", "claude", transcript)
        const again = ["sessions", "verify", imported.session_id, "--against-transcript", transcript]
        assert.isTrue((yield* lintAiJson(sandbox, binary, ...again)).against_transcript.agrees)
      })
    )
  }
})
