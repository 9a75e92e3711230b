import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CliOutput, Completions, type HelpDoc } from "effect/cli"
import * as Effect from "effect/Effect"
import { completionScript, shells } from "../../src/cli/completionScript.ts"
import { program } from "../../src/cli/program.ts"
import { deliver, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser, type TestUser } from "../support/recording.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

/** A directory with a `lint-ai` that knows two sessions, and the script of a shell. */
const machine = (shell: (typeof shells)[number]) =>
  Effect.map(temporaryDirectory, (directory) => {
    const bin = path.join(directory, "bin")
    fs.mkdirSync(bin)
    fs.writeFileSync(
      path.join(bin, "lint-ai"),
      "#!/bin/sh\n[ \"$1\" = session-names ] && printf 'claude:one\\nclaude:two\\n'\n",
      {
        mode: 0o755
      }
    )
    const script = path.join(directory, "script")
    fs.writeFileSync(script, completionScript(shell, program))
    const run = (command: string, args: ReadonlyArray<string>) =>
      spawnSync(command, args, {
        cwd: directory,
        encoding: "utf8",
        env: { PATH: `${bin}:${process.env.PATH}`, HOME: directory, LC_ALL: "C.UTF-8" }
      })
    return { script, run }
  })

const isThere = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0

/** Completes a line in bash as its line editor would: what comes after the last word is what Tab offers. */
const bashHarness = `
. "$1"
COMP_LINE="$2"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=()
# bash breaks words at the characters of COMP_WORDBREAKS, and makes words of these.
rest="$COMP_LINE"
while [ -n "$rest" ]; do
  case "$rest" in
    ' '*) rest="\${rest# }"; [ -z "$rest" ] && COMP_WORDS+=("") ;;
    :*) COMP_WORDS+=(":"); rest="\${rest#:}"; [ -z "$rest" ] && COMP_WORDS+=("") ;;
    *) word="\${rest%%[ :]*}"; COMP_WORDS+=("$word"); rest="\${rest#"$word"}" ;;
  esac
done
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_lint_ai lint-ai "\${COMP_WORDS[COMP_CWORD]}"
printf '%s\\n' "\${COMPREPLY[@]}"
`

/** All commands of the tree, each as the words that call it. */
const commands = (
  tree: Completions.CommandDescriptor,
  words: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> =>
  tree.subcommands.length === 0
    ? [words]
    : [
        ...(tree.arguments.length === 0 ? [] : [words]),
        ...tree.subcommands.flatMap((one) => commands(one, [...words, one.name]))
      ]

/** The help of a command, before it is drawn. */
const helpOf = Effect.fnUntraced(function* (user: TestUser, words: ReadonlyArray<string>) {
  const shown: Array<HelpDoc.HelpDoc> = []
  const present = CliOutput.layerPresenter({
    present: (event) => Effect.sync(() => void (event._tag === "Help" && shown.push(event.helpDoc)))
  })
  yield* runCommand(user, [...words, "--help"]).pipe(Effect.provide(present))
  const [help] = shown
  if (help === undefined) throw new Error(`no help of ${words.join(" ")}`)
  return help
})

describe("completions", () => {
  it.live("print a script for each shell, and the names of sessions that it asks for", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111-aaaa", [start])
      yield* deliver(user, "Upper", [start])
      for (const shell of shells) {
        const { out } = yield* runCommand(user, ["completions", shell])
        assert.include(out, "lint-ai")
        assert.include(out, "inspect")
        assert.notInclude(out, "--completions")
        assert.notInclude(out, "sessions-here", "what stood for sessions is gone")
      }
      const { out } = yield* runCommand(user, ["session-names"])
      const lines = out.trim().split("\n")
      assert.include(lines, "claude:1111-aaaa")
      assert.lengthOf(lines, 2)
      assert.isTrue(lines.every((name) => /^[A-Za-z0-9:._+-]+$/.test(name)))
    }).pipe(Effect.scoped)
  )

  it.live("complete commands, flags, values and sessions in bash", () =>
    Effect.gen(function* () {
      const { script, run } = yield* machine("bash")
      assert.strictEqual(run("bash", ["-n", script]).status, 0)
      const complete = (line: string) =>
        run("bash", ["-c", bashHarness, "bash", script, line])
          .stdout.split("\n")
          .filter((word) => word !== "")
      assert.deepStrictEqual(complete("lint-ai sess"), ["sessions"])
      assert.deepStrictEqual(complete("lint-ai sessions ins"), ["inspect"])
      assert.deepStrictEqual(complete("lint-ai sessions list --prov"), ["--provider"])
      assert.include(complete("lint-ai sessions list --provider "), "codex")
      assert.deepStrictEqual(complete("lint-ai sessions inspect "), ["claude:one", "claude:two"])
      assert.deepStrictEqual(complete("lint-ai watch --follow "), ["claude:one", "claude:two"])
      assert.deepStrictEqual(complete("lint-ai sessions inspect claude:o"), ["one"])
    }).pipe(Effect.scoped)
  )

  it.live("complete paths wherever one is asked for", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const bash = yield* machine("bash")
      const fish = yield* machine("fish")
      for (const { run } of [bash, fish]) run("sh", ["-c", "mkdir some-directory && touch some-directory/file"])
      const shellsThere = [
        (line: string) => bash.run("bash", ["-c", bashHarness, "bash", bash.script, line]).stdout,
        ...(isThere("fish")
          ? [
              (line: string) =>
                fish.run("fish", ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", fish.script, line])
                  .stdout
            ]
          : [])
      ]
      let asked = 0
      // Help says what takes a path: flags by the word for their value, arguments by their name.
      for (const words of commands(Completions.fromCommand(program))) {
        const help = yield* helpOf(user, words)
        const flags = help.flags.filter(({ type }) => /^(FILE|DIR|PATH)$/.test(type)).map(({ name }) => `--${name} `)
        const isPath = /^(path|file|project|runs|dir\|file|file\|root)$/.test(help.args?.[0]?.name ?? "")
        const first = isPath ? [""] : []
        for (const before of [...flags, ...first]) {
          asked++
          for (const complete of shellsThere) {
            const line = `lint-ai ${[...words, `${before}some-d`].join(" ")}`
            assert.include(complete(line), "some-directory", line)
          }
        }
      }
      assert.isAbove(asked, 60)
    }).pipe(Effect.scoped)
  )

  // Where these shells are installed, as they are for `npm run test:browser`'s kind of machine; elsewhere only their text is looked at.
  it.live("are understood by zsh and fish", () =>
    Effect.gen(function* () {
      const zsh = yield* machine("zsh")
      assert.include(fs.readFileSync(zsh.script, "utf8"), "_lint_ai_session_names")
      if (isThere("zsh")) {
        assert.strictEqual(zsh.run("zsh", ["-n", zsh.script]).status, 0)
        const names = "compadd() { eval print -l \\$$2 }; compdef() { : }; . $1; _lint_ai_session_names"
        assert.strictEqual(zsh.run("zsh", ["-fc", names, "zsh", zsh.script]).stdout, "claude:one\nclaude:two\n")
      }
      const fish = yield* machine("fish")
      assert.include(fs.readFileSync(fish.script, "utf8"), "(lint-ai session-names 2>/dev/null)")
      if (isThere("fish")) {
        const complete = (line: string) =>
          fish
            .run("fish", ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", fish.script, line])
            .stdout.split("\n")
            .map((one) => one.split("\t")[0])
            .filter((one) => one !== "")
        assert.includeMembers(complete("lint-ai sessions inspect "), ["claude:one", "claude:two"])
        assert.include(complete("lint-ai wat"), "watch")
      }
    }).pipe(Effect.scoped)
  )
})
