import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { codexCli, toldBy } from "../../../src/providers/codex/cli.ts"
import { type AgentRun, ProviderCli } from "../../../src/providers/ProviderCli.ts"
import { start } from "../../support/program.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { fixtures } from "./fixtures.ts"

/** Runs a test with a shell script in the place of Codex. */
const withScript = <A, E>(
  script: string,
  use: (cli: ProviderCli["Service"], directory: string) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const bin = path.join(directory, "bin")
    fs.mkdirSync(bin)
    if (script !== "") fs.writeFileSync(path.join(bin, "codex"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const machine = Layer.merge(diskAndHost(directory, { PATH: `${bin}:/usr/bin:/bin` }), NodeServices.layer)
    return yield* Effect.flatMap(ProviderCli, (cli) => use(cli, directory)).pipe(
      Effect.provide(codexCli.pipe(Layer.provide(machine)))
    )
  }).pipe(Effect.scoped)

const run = (directory: string, more: Partial<AgentRun> = {}): AgentRun => ({
  prompt: "do it",
  cwd: directory,
  env: { PATH: "/usr/bin:/bin" },
  timeout: Duration.seconds(30),
  ...more
})

describe("what `codex exec --json` says", () => {
  it("names the session and the last answer of a captured run", () => {
    assert.deepStrictEqual(toldBy(fs.readFileSync(path.join(fixtures, "exec-json-stdout.jsonl"), "utf8")), {
      sessionId: "01a22aa5-1f11-71a2-89ee-79860140fa99",
      text: "All done: ran echo, saw a failure, wrote a file.",
      errors: []
    })
  })

  it("tells errors, and is read past lines that are none of it", () => {
    const lines = [
      "2026-11-30T06:11:31Z ERROR something",
      '{"type":"item.completed","item":{"type":"error","message":"clamping"}}',
      '{"type":"turn.failed","error":{"message":"no"}}'
    ]
    assert.deepStrictEqual(toldBy(lines.join("\n")).errors, ["clamping", "no"])
  })
})

describe("Codex as an agent to run", () => {
  it.live("is given the prompt on stdin, its own environment and nothing else", () =>
    withScript(`printf '%s|' "$@"; cat; printf '|%s|%s' "$KEPT" "$HOME"; exit 3`, (cli, directory) =>
      Effect.gen(function* () {
        const answer = yield* cli.run(run(directory, { env: { PATH: "/usr/bin:/bin", KEPT: "yes" }, model: "m" }))
        assert.strictEqual(answer.stdout, "exec|--json|--skip-git-repo-check|--model|m|-|do it|yes|")
        assert.strictEqual(answer.exitCode, 3)
      })
    )
  )

  it.live("is given a text on stdin and the prompt about it as an argument, and arguments before its subcommand", () =>
    withScript(`printf '%s|' "$@"; cat`, (cli, directory) =>
      Effect.gen(function* () {
        const { stdout } = yield* cli.run(run(directory, { input: "a long text", programArgs: ["-a", "never"] }))
        assert.strictEqual(stdout, "-a|never|exec|--json|--skip-git-repo-check|do it|a long text")
      })
    )
  )

  it.live("goes on with a session", () =>
    withScript(`printf '%s ' "$@"`, (cli, directory) =>
      Effect.gen(function* () {
        const { stdout } = yield* cli.run(run(directory, { resume: "id-1" }))
        assert.strictEqual(stdout, "exec resume --json --skip-git-repo-check id-1 - ")
      })
    )
  )

  it.live("is found on the PATH, and tells its version without its name", () =>
    withScript("echo codex-cli 0.171.0", (cli, directory) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* cli.find, path.join(directory, "bin", "codex"))
        assert.strictEqual(yield* cli.version, "0.171.0")
      })
    )
  )

  it.live("is missing where it is not on the PATH, or is no program", () =>
    withScript("", (cli, directory) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(cli.run(run(directory))))._tag, "AgentMissing")
        fs.writeFileSync(path.join(directory, "bin", "codex"), "no program", { mode: 0o644 })
        const error = yield* Effect.flip(cli.find)
        assert.include(error.message, "there is no codex on the PATH")
      })
    )
  )

  it.live("is ended with all its children when its time is over", () =>
    withScript(
      `sh -c 'trap "" TERM; exec 3> "$PIPE"; echo here >&3; while :; do sleep 1; done' & wait`,
      (cli, directory) =>
        Effect.gen(function* () {
          // Whoever reads a pipe is told when the last writer has gone.
          const pipe = path.join(directory, "pipe")
          execFileSync("mkfifo", [pipe])
          const reader = yield* start({ command: "cat", args: [pipe], cwd: directory, env: { PATH: "/usr/bin:/bin" } })
          const env = { PATH: "/usr/bin:/bin", PIPE: pipe }
          const error = yield* Effect.flip(cli.run(run(directory, { env, timeout: Duration.seconds(3) })))
          assert.strictEqual(error._tag, "AgentTooSlow")
          assert.strictEqual((yield* reader.finished).stdout, "here\n")
        }).pipe(Effect.scoped)
    )
  )
})

describe("the test layer", () => {
  it.effect("answers as told", () =>
    Effect.gen(function* () {
      const cli = yield* ProviderCli
      const answer = yield* cli.run(run("/"))
      assert.deepStrictEqual([answer.text, answer.exitCode, answer.sessionId], ["do it!", 0, "test-session"])
    }).pipe(Effect.provide(ProviderCli.layerTest("codex", ({ prompt }) => Effect.succeed({ text: `${prompt}!` }))))
  )
})
