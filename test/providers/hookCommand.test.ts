import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  answerGuard,
  guarded,
  hookCommand,
  readHookCommand,
  sharedHookCommand
} from "../../src/providers/hookCommand.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

/** Prints its arguments and its input, so that a test sees what arrives behind the shell. */
const script = `#!/bin/sh\nprintf '[%s]' "$@"\ncat\n`

/** What a command prints. It must end with exit code 0, whether it has read its input or not. */
const run = (command: string, env: Record<string, string> = {}): string => {
  const { status, stdout } = spawnSync("/bin/sh", ["-c", command], {
    input: "payload",
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin", ...env }
  })
  assert.strictEqual(status, 0)
  return stdout
}

describe("hookCommand", () => {
  const names = [
    "plain",
    "with space",
    "it's",
    `a"b`,
    "$HOME",
    "a`id`b",
    "back\\slash",
    "line\nbreak",
    "*",
    "#x",
    "~",
    "é😀",
    "-n",
    "a;b&c|d"
  ]

  it.effect.each(names)("survives /bin/sh in a directory called %j", (name) =>
    Effect.gen(function* () {
      const directory = path.join(yield* temporaryDirectory, name)
      fs.mkdirSync(directory)
      const file = path.join(directory, "lint-ai")
      fs.writeFileSync(file, script, { mode: 0o755 })
      const command = yield* hookCommand({ file, args: [path.join(directory, "main.mjs")] }, "claude", "linux")
      assert.strictEqual(run(command), `[${directory}/main.mjs][hook][claude]payload`)
      assert.deepStrictEqual(readHookCommand(command, "claude"), {
        form: "path",
        program: [file, path.join(directory, "main.mjs")]
      })
      assert.strictEqual(readHookCommand(command, "codex"), undefined)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["C:\\Users\\a\\lint-ai.exe", "C:/Users/a/lint-ai.exe hook claude"],
    ["C:\\Program Files\\it's (x86)\\lint-ai.exe", `"C:/Program Files/it's (x86)/lint-ai.exe" hook claude`],
    ["\\\\?\\C:\\a b\\lint-ai.exe", `"C:/a b/lint-ai.exe" hook claude`],
    ["C:\\a=b,c\\lint-ai.exe", `"C:/a=b,c/lint-ai.exe" hook claude`],
    ["\\\\?\\UNC\\server\\share\\lint-ai.exe", "//server/share/lint-ai.exe hook claude"]
  ])("writes %s for cmd and bash alike", ([file = "", expected = ""]) =>
    Effect.gen(function* () {
      const command = yield* hookCommand({ file, args: [] }, "claude", "win32")
      assert.strictEqual(command, expected)
      assert.strictEqual(readHookCommand(command, "claude")?.form, "path")
    })
  )

  it.effect.each(["C:\\a$b\\lint-ai.exe", "C:\\%TEMP%\\lint-ai.exe", "C:\\a`b\\lint-ai.exe", "C:\\a!b\\lint-ai.exe"])(
    "refuses %s, which one of the shells of Windows would expand",
    (file) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(hookCommand({ file, args: [] }, "claude", "win32"))
        assert.include(error.message, file)
        assert.include(error.message, "without $, %, ! and ` in its name")
      })
  )

  it.effect.each([
    ["lint-ai", "linux"],
    ["./lint-ai", "darwin"],
    ["C:/lint-ai", "linux"],
    ["lint-ai.exe", "win32"]
  ] as const)("refuses the relative %s on %s", ([file, platform]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(hookCommand({ file, args: [] }, "claude", platform))
      assert.strictEqual(error.reason, "relative")
    })
  )
})

describe("sharedHookCommand", () => {
  it("does nothing and succeeds where lint-ai is not installed", () => {
    assert.strictEqual(run(sharedHookCommand("claude")), "")
  })

  it.effect("runs the lint-ai that PATH has", () =>
    Effect.gen(function* () {
      const bin = yield* temporaryDirectory
      fs.writeFileSync(path.join(bin, "lint-ai"), script, { mode: 0o755 })
      assert.strictEqual(run(sharedHookCommand("claude"), { PATH: `${bin}:/usr/bin:/bin` }), "[hook][claude]payload")
    }).pipe(Effect.scoped)
  )
})

describe("readHookCommand", () => {
  const commands: ReadonlyArray<[command: string, form: string | undefined]> = [
    ["/usr/local/bin/lint-ai hook claude", "path"],
    ["'/opt/my tools/lint-ai-linux-x64' hook claude", "path"],
    ["/usr/bin/node /srv/checkout/dist/main.mjs hook claude", "path"],
    ["/usr/bin/node '/home/me/node_modules/lint-ai/dist/hook.cjs' hook claude", "path"],
    [`"C:\\Program Files\\lint-ai\\lint-ai.exe" hook claude`, "path"],
    [`C:\\tools\\lint-ai.exe hook claude`, "path"],
    [sharedHookCommand("claude"), "shared"],
    ["lint-ai hook claude", "custom"],
    ["if [ -x /x/lint-ai ]; then /x/lint-ai hook claude; fi", "custom"],
    ["LINT_AI_HOOK_TIMEOUT_MS=500 /x/lint-ai hook claude", "custom"],
    ["/x/lint-ai hook claude 2>>/tmp/log", "custom"],
    ["/x/lint-ai hook codex", undefined],
    ["/x/lint-ai hook claudette", undefined],
    ["/x/lint-ai mcp serve claude", undefined],
    ["other-tool hook claude", undefined],
    ["/x/lint-aid hook claude", undefined],
    ["/usr/bin/node /srv/other/main.mjs hook claude", undefined],
    ["echo 'lint-ai hook claude'", undefined],
    ["", undefined],
    ["'unclosed", undefined]
  ]
  it.each(commands)("takes %j as %s", (command, form) => {
    assert.strictEqual(readHookCommand(command, "claude")?.form, form)
  })
})

describe("answerGuard", () => {
  const behind = (body: string) =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "lint-ai")
      if (body !== "") fs.writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
      const command = guarded(answerGuard, yield* hookCommand({ file, args: [] }, "codex", "linux"))
      assert.deepStrictEqual(readHookCommand(command, "codex"), { form: "path", program: [file] })
      return run(command)
    }).pipe(Effect.scoped)

  it.effect("passes on a JSON object of a program that ended well, and its input to the program", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* behind(`printf '{"a":"'; cat; printf '"}'`), '{"a":"payload"}')
    })
  )

  it.effect.each(["", "exit 2", "kill -9 $$", "echo words", `echo '{"a":1}'; exit 2`, "echo oops >&2; exit 1"])(
    "is silent with exit code 0 when the program does %j",
    (body) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* behind(body ?? ""), "")
      })
  )
})
