import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archiveFiles } from "../../src/archive/sessionDirectory.ts"
import { manifestOf, newUser, snapshot, strictEvents, type TestUser } from "../support/recording.ts"

/** A user with a pretended Antigravity CLI on the PATH: there is none that could be installed here. */
const userWithAgy = Effect.map(newUser, (user) => {
  const bin = path.join(user.directory, "bin")
  fs.mkdirSync(bin)
  const script = path.join(bin, "fakeAgy.mjs")
  fs.copyFileSync(path.join(import.meta.dirname, "../support/fakeAgy.mjs"), script)
  fs.writeFileSync(path.join(bin, "agy"), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 })
  const temporary = path.join(user.directory, "tmp")
  fs.mkdirSync(temporary)
  const { CLAUDE_PROJECT_DIR: _, ...rest } = user.env
  return { ...user, env: { ...rest, PATH: `${bin}:/usr/bin:/bin`, TMPDIR: temporary, GEMINI_API_KEY: "the-key" } }
})

const lintAi = (user: TestUser, ...args: ReadonlyArray<string>) => {
  const built = path.join(inject("builtProgram"), "lint-ai")
  const run = spawnSync(built, [...args, "--json"], { cwd: user.project, env: user.env, encoding: "utf8" })
  if (run.status !== 0) throw new Error(`${args.join(" ")}: ${run.stdout}${run.stderr}`)
  return JSON.parse(run.stdout)
}

const agy = (user: TestUser, ...args: ReadonlyArray<string>): string => {
  const home = `--gemini_dir=${path.join(user.home, ".gemini")}`
  const run = spawnSync("agy", [home, "--output-format", "stream-json", ...args], {
    cwd: user.project,
    env: user.env,
    encoding: "utf8"
  })
  return JSON.parse(run.stdout.split("\n")[0] ?? "{}").conversation_id
}

interface Logged {
  readonly prompt: string
  readonly asked?: string
  readonly id: string
  readonly args: ReadonlyArray<string>
  readonly injected: ReadonlyArray<string>
}
const logOf = (user: TestUser): ReadonlyArray<Logged> =>
  fs
    .readFileSync(path.join(user.directory, "bin", "log.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("a replay with a pretended Antigravity CLI", () => {
  it.live("goes on with its own conversation, in a directory of its own, with lint-ai off and on", () =>
    Effect.gen(function* () {
      const user = yield* userWithAgy
      lintAi(user, "install", "antigravity", user.project, "--scope", "user", "--yes", "--session-recording", "assist")
      const decided = { ...user, env: { ...user.env, FAKE_AGY_ANSWER: "The retryQueue reads REDIS_URL everywhere" } }
      agy(decided, "-p", "Why does the retryQueue fail to connect to redis?")
      lintAi(user, "disable", "antigravity")
      const id = agy(user, "-p", "Which port does the retryQueue use for redis?")
      agy(user, "--conversation", id, "-p", "-- is that decided?")
      const before = snapshot(user.home)
      const count = logOf(user).length

      const off = lintAi(user, "replay", `antigravity:${id}`)
      const on = lintAi(user, "replay", `antigravity:${id}`, "--enable-lint-ai")

      const runs = logOf(user).slice(count)
      assert.deepStrictEqual(
        runs.map(({ prompt }) => prompt),
        [0, 1].flatMap(() => ["Which port does the retryQueue use for redis?", " -- is that decided?"])
      )
      assert.deepStrictEqual(
        runs.map(({ asked }) => asked ?? null),
        [null, runs[0]?.id ?? "", null, runs[2]?.id ?? ""]
      )
      assert.isFalse(runs.some((run) => run.args.includes(`--gemini_dir=${path.join(user.home, ".gemini")}`)))
      assert.deepStrictEqual(
        runs.slice(0, 2).flatMap(({ injected }) => injected),
        []
      )
      assert.include(runs[2]?.injected.join() ?? "", "The retryQueue reads REDIS_URL everywhere")
      for (const [made, lintAiOn] of [
        [off, false],
        [on, true]
      ] as const) {
        const [replay] = made.replays
        assert.deepStrictEqual([replay.status, replay.prompt_count, replay.prompts_alone], ["completed", 2, 0])
        const files = archiveFiles(replay.path)
        const manifest = manifestOf(files.manifest)
        const events = strictEvents(files.events)
        assert.deepStrictEqual(
          [
            manifest.status,
            manifest.lint_ai_enabled,
            manifest.replay_of_session_id,
            manifest.provider_session_ids?.length
          ],
          ["completed", lintAiOn, `antigravity:${id}`, 1]
        )
        assert.deepStrictEqual(
          events.flatMap((event) => (event.kind === "user_prompt" ? [event.payload.text.trim()] : [])),
          ["Which port does the retryQueue use for redis?", "-- is that decided?"]
        )
        assert.strictEqual(
          events.some((event) => event.kind === "context_injected"),
          lintAiOn
        )
        // It tells nobody that its session is over.
        assert.strictEqual(events.at(-2)?.kind, "session_end")
        assert.isFalse(fs.readFileSync(files.events, "utf8").includes("the-key"))
      }
      assert.deepStrictEqual(snapshot(user.home), before)
      assert.deepStrictEqual(fs.readdirSync(path.join(user.directory, "tmp")), [])
    }).pipe(Effect.scoped)
  )
})
