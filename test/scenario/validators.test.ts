import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Validator } from "../../src/domain/scenario.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { runValidators } from "../../src/scenario/validators.ts"
import { gone } from "../support/goneProcess.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const node = process.execPath
const script = (name: string, code: string, timeout_seconds?: number): Validator => ({
  name,
  command: [node, "-e", code],
  ...(timeout_seconds === undefined ? {} : { timeout_seconds })
})

/** Runs validators in a fresh workspace, for a user whose environment has a key in it. */
const run = (validators: ReadonlyArray<Validator>, workspace?: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const temporary = path.join(directory, "temporary")
    fs.mkdirSync(temporary)
    const host = Host.layerTest({
      env: {
        PATH: `${path.dirname(node)}:relative/bin:/usr/bin:/bin`,
        LANG: "C.UTF-8",
        HOME: os.homedir(),
        ANTHROPIC_API_KEY: "the-key-of-the-user",
        NODE_OPTIONS: "--no-warnings",
        LD_PRELOAD: "",
        GIT_DIR: "/elsewhere",
        LINT_AI_CONFIG_DIR: "/the/users/config",
        LINT_AI_STATE_DIR: path.join(directory, "state")
      },
      home: os.homedir(),
      temporary
    })
    const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(host, Disk.layer)))
    const layers = Layer.mergeAll(machine, Redactor.layerDefault, NodeServices.layer)
    const findings = yield* runValidators(validators, workspace ?? directory).pipe(Effect.provide(layers))
    assert.deepStrictEqual(fs.readdirSync(temporary), [], "nothing of them is left")
    return findings
  })

describe("a validator", () => {
  it.live("passes with exit code 0, and fails with any other, each with its own output", () =>
    Effect.gen(function* () {
      const findings = yield* run([
        script("good", "console.log('all is well')"),
        script("bad", "console.log('out'); console.error('not well'); process.exit(3)")
      ])
      assert.deepInclude(findings[0], { name: "good", verdict: "pass", exit_code: 0, output: "all is well\n" })
      assert.deepInclude(findings[1], { name: "bad", verdict: "fail", exit_code: 3, why: "it ended with exit code 3" })
      assert.include(findings[1]?.output, "out\n")
      assert.include(findings[1]?.output, "not well\n")
    })
  )

  it.live("runs in the workspace, without a shell", () =>
    Effect.gen(function* () {
      const workspace = yield* temporaryDirectory
      const [finding] = yield* run(
        [{ name: "here", command: [node, "-p", "process.cwd() + process.argv[1]", "; touch $HOME && *"] }],
        workspace
      )
      assert.strictEqual(finding?.output, `${workspace}; touch $HOME && *\n`)
    })
  )

  it.live("gets nothing of the user's environment but what a program needs to run", () =>
    Effect.gen(function* () {
      const workspace = yield* temporaryDirectory
      // Not on stdout, where the values would be redacted.
      yield* run([script("env", "require('node:fs').writeFileSync('env', JSON.stringify(process.env))")], workspace)
      const env = new Map(Object.entries(JSON.parse(fs.readFileSync(path.join(workspace, "env"), "utf8"))))
      assert.deepStrictEqual([...env.keys()].sort(), [
        "HOME",
        "LANG",
        "LINT_AI_DISABLE_HOOKS",
        "PATH",
        "TEMP",
        "TMP",
        "TMPDIR",
        "USERPROFILE"
      ])
      assert.notStrictEqual(env.get("HOME"), os.homedir())
      assert.notInclude(String(env.get("PATH")), "relative/bin")
    })
  )

  it.live("that does not end is ended at its time, with all that it started", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const pids = path.join(directory, "pids")
      const command = ["sh", "-c", `trap "" TERM; (trap "" TERM; sleep 1000) & echo $$ $! > '${pids}'; wait`] as const
      const [finding] = yield* run([{ name: "hangs", command, timeout_seconds: 5 }])
      assert.deepInclude(finding, { verdict: "fail", exit_code: null, why: "it did not end within 5 s and was ended" })
      for (const pid of fs.readFileSync(pids, "utf8").trim().split(" ")) yield* gone(Number(pid))
    })
  )

  it.live("that ends and leaves something running is not waited for, and nothing stays", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = path.join(directory, "pid")
      // It holds the outputs open, so that their end would never come.
      const command = ["sh", "-c", `sleep 1000 & echo $! > '${file}'; exit 0`] as const
      const [finding] = yield* run([{ name: "leaves", command, timeout_seconds: 600 }])
      assert.deepInclude(finding, { verdict: "pass", exit_code: 0 })
      yield* gone(Number(fs.readFileSync(file, "utf8")))
    })
  )

  it.live("whose program is not there is unknown, and the next one runs", () =>
    Effect.gen(function* () {
      const findings = yield* run([{ name: "gone", command: ["no-such-program"] }, script("next", "")])
      assert.deepInclude(findings[0], { verdict: "unknown", exit_code: null, why: "its program was not found" })
      assert.strictEqual(findings[1]?.verdict, "pass")
    })
  )

  it.live("has its output bounded in memory and in the result, with both of its ends", () =>
    Effect.gen(function* () {
      const loud = "process.stdout.write('begin\\n' + 'x'.repeat(3e6) + '\\nend')"
      const [finding] = yield* run([script("loud", loud)])
      assert.isBelow(finding?.output.length ?? 0, 10_000)
      assert.match(finding?.output ?? "", /^begin\nx+\n\[… 2991\d{3} bytes left out …\]\nx+\nend$/)
    })
  )

  it.live("has secrets in its output redacted, also where it is cut", () =>
    Effect.gen(function* () {
      const token = `ghp_${"Ab1".repeat(12)}`
      // A token at each place of the cut: whatever part of it were kept would show.
      const code = `process.stdout.write('y '.repeat(2030) + '${token} '.repeat(3) + 'x '.repeat(4000) + '${token} '.repeat(3) + 'z '.repeat(2040))`
      const [finding] = yield* run([script("tells", code)])
      assert.notMatch(finding?.output ?? "", /Ab1/)
      assert.include(finding?.output, "[REDACTED:")
    })
  )
})
