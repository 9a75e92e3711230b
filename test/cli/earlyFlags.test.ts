import { assert, describe, it } from "@effect/vitest"
import { Completions } from "effect/cli"
import { earlyFlags } from "../../src/cli/earlyFlags.ts"
import { program } from "../../src/cli/program.ts"

const moved = (line: string): string => earlyFlags(line.split(" ")).join(" ")

/** All commands that do something, each as the words that call it and the flags that it knows. */
const commands = (
  tree: Completions.CommandDescriptor,
  words: ReadonlyArray<string> = []
): ReadonlyArray<{ readonly words: ReadonlyArray<string>; readonly flags: ReadonlyArray<string> }> =>
  tree.subcommands.length === 0
    ? [{ words, flags: tree.flags.map(({ name }) => name) }]
    : tree.subcommands.flatMap((one) => commands(one, [...words, one.name]))

describe("flags that mean the same everywhere", () => {
  it("may stand before any word of a command", () => {
    for (const { words, flags } of commands(Completions.fromCommand(program))) {
      for (const [flag, ...value] of [["json"], ["yes"], ["project", "/p"]] as const) {
        // `redact` and `extract review` take them themselves, and a word behind them may be what they are about.
        if (!flags.includes(flag) || words[0] === "redact" || words[0] === "extract") continue
        const behind = [...words, `--${flag}`, ...value, "x"].join(" ")
        for (let at = 0; at < words.length; at++) {
          assert.strictEqual(
            moved([...words.slice(0, at), `--${flag}`, ...value, ...words.slice(at), "x"].join(" ")),
            behind
          )
        }
      }
    }
    assert.strictEqual(
      moved("--json --project=/p sessions -y delete 5f0d"),
      "sessions delete --json --project=/p -y 5f0d"
    )
  })

  it("stay where they are behind the command, as values, and where nothing is known", () => {
    for (const line of [
      "sessions list --json",
      "sessions delete 5f0d --yes",
      "redact --json check",
      "sessions search -- --json list",
      "sessions search --json words",
      "install claude --settings --json x",
      "--wrong --json sessions list",
      "--json",
      "--project"
    ]) {
      assert.strictEqual(moved(line), line)
    }
    assert.strictEqual(moved("--json innit x"), "--json innit x")
  })
})
