import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { archiveOf } from "../crash/archiveCheck.ts"
import { agentSession } from "../crash/deliveries.ts"
import { runDelivery } from "../crash/hookRun.ts"
import { compiledHook, diagnosticsOf, recordingUser, runHook, type TestUser } from "../support/recording.ts"

const program = () => compiledHook(inject("builtProgram"))

/** Everything that a hook reads or writes. */
const places: Readonly<Record<string, (user: TestUser) => string>> = {
  state: (user) => path.join(user.project, ".lint-ai/state.json"),
  config: (user) => path.join(user.project, ".lint-ai/config.json"),
  diagnostics: (user) => path.join(user.project, ".lint-ai/diagnostics.jsonl"),
  manifest: (user) => archiveOf(user, "claude", "s").manifest,
  checkpoint: (user) => archiveOf(user, "claude", "s").checkpoint,
  log: (user) => archiveOf(user, "claude", "s").events,
  lock: (user) => archiveOf(user, "claude", "s").lock,
  "waiting delivery": (user) => path.join(archiveOf(user, "claude", "s").spool, "000000000000001-1-aa.json"),
  recovery: (user) => archiveOf(user, "claude", "s").recovery,
  checksums: (user) => archiveOf(user, "claude", "s").checksums,
  transcript: (user) => path.join(user.home, "transcripts/s.jsonl"),
  "HEAD of the repository": (user) => path.join(user.project, ".git/HEAD"),
  "index of the repository": (user) => path.join(user.project, ".git/index"),
  keys: (user) => path.join(user.config, "keys.json"),
  "user's config": (user) => path.join(user.config, "config.json"),
  anchor: (user) => {
    const directory = path.join(user.state, "anchors")
    return path.join(directory, fs.readdirSync(directory)[0] ?? "")
  }
}

/** What may stand there and never ends, or never begins. */
const special: Readonly<Record<string, (file: string) => void>> = {
  "a pipe without a writer": (file) => {
    if (spawnSync("mkfifo", [file]).status !== 0) throw new Error("no mkfifo")
  },
  "a link to an endless device": (file) => fs.symlinkSync("/dev/zero", file),
  "a file of a tebibyte": (file) => {
    fs.writeFileSync(file, "")
    fs.truncateSync(file, 2 ** 40)
  }
}

/** A pipe is tried everywhere; the others, which cost more time, where a hook reads most. */
const everywhere: ReadonlySet<string> = new Set(["a pipe without a writer"])
const read: ReadonlySet<string> = new Set(["state", "manifest", "log", "transcript"])

describe("a special file where a hook reads or writes", () => {
  for (const [what, make] of Object.entries(special)) {
    it.live(`(${what}) holds up no agent`, () =>
      Effect.gen(function* () {
        for (const [where, place] of Object.entries(places)) {
          if (!everywhere.has(what) && !read.has(where)) continue
          const user = yield* recordingUser
          const session = agentSession(user, "claude", "s")
          fs.mkdirSync(path.join(user.project, ".git"))
          fs.writeFileSync(path.join(user.project, ".git/HEAD"), "ref: refs/heads/main\n")
          yield* Effect.promise(() => runDelivery(program(), user, session.step(0)))
          const file = place(user)
          fs.mkdirSync(path.dirname(file), { recursive: true })
          fs.rmSync(file, { force: true })
          const end = session.end(1)
          fs.rmSync(file, { force: true })
          make(file)
          for (const delivery of [session.step(2), end]) {
            const { exitCode, signal, stdout, stderr } = yield* Effect.promise(() =>
              runDelivery(program(), user, delivery, { killAfterMs: 60_000 })
            )
            assert.deepStrictEqual([exitCode, signal, stdout, stderr], [0, null, "", ""], `${where}: ${what}`)
          }
          // Whatever was there is not in the way for good.
          fs.rmSync(file, { force: true })
          assert.strictEqual(runHook(program(), user, session.step(3).payload).status, 0)
          assert.isAtMost(diagnosticsOf(user).length, 4, where)
        }
      })
    )
  }
})
