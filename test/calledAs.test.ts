import { assert, describe, it } from "@effect/vitest"
import { type Call, calledAs } from "../src/calledAs.ts"

const calls: ReadonlyArray<readonly [typed: string, program: Call["program"], args: string]> = [
  ["", "cli", ""],
  ["sessions list --json", "cli", "sessions list --json"],
  ["hook claude Stop", "hook", "claude Stop"],
  ["--gemini-cli-hook", "hook", "gemini"],
  ["statusline", "statusline", ""],
  ["--codex-statusline --json", "statusline", "codex --json"],
  ["mcp serve claude .", "mcp", "claude ."],
  ["--agy-serve .", "mcp", "antigravity ."],
  ["mcp verify claude", "cli", "mcp verify claude"],
  ["sessions hook", "cli", "sessions hook"],
  ["hook --help", "cli", "hook --help"],
  ["mcp serve -h", "cli", "mcp serve -h"],
  ["--codex-hook --help", "cli", "--codex-hook --help"]
]

const words = (text: string) => text.split(" ").filter((word) => word !== "")

describe("what lint-ai is called as", () => {
  it.each(calls)("lint-ai %s is the %s", (typed, program, args) => {
    assert.deepStrictEqual(calledAs(words(typed)), { program, args: words(args) })
  })
})
