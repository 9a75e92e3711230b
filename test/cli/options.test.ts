import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Completions } from "effect/cli"
import * as Effect from "effect/Effect"
import { program } from "../../src/cli/program.ts"
import { deliver, end, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser } from "../support/recording.ts"

/** All commands that do something, each as the words that call it and the flags that it knows. */
const commands = (
  tree: Completions.CommandDescriptor,
  words: ReadonlyArray<string> = []
): ReadonlyArray<{ readonly words: ReadonlyArray<string>; readonly flags: Completions.CommandDescriptor["flags"] }> =>
  tree.subcommands.length === 0
    ? [{ words, flags: tree.flags }]
    : tree.subcommands.flatMap((one) => commands(one, [...words, one.name]))

describe("flags that are called the same everywhere", () => {
  it.live("name the project, also where an argument does", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111", [start, end])
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      const { CLAUDE_PROJECT_DIR: _none, ...env } = user.env
      const there = { host: { cwd: elsewhere, env } }
      for (const args of [
        ["status", "--json"],
        ["doctor", "--json"],
        ["adopt", "--json"],
        ["init", "--yes", "--json"],
        ["install", "claude", "--dry-run", "--json"],
        ["record", "status", "--json"],
        ["sessions", "list", "--json"],
        ["watch", "--once", "--json"]
      ]) {
        const { out, err } = yield* runCommand(user, [...args, "--project", user.project], there)
        assert.include(out, user.project, args.join(" "))
        assert.notInclude(out, elsewhere, args.join(" "))
        assert.notInclude(err, "is no part of")
      }
      assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
    }).pipe(Effect.scoped)
  )

  it.live("take no number that means nothing", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111", [start, end])
      for (const { words, flags } of commands(Completions.fromCommand(program))) {
        const given =
          words.join(" ") === "sessions search" ? ["session"] : words.join(" ") === "memory search" ? ["x"] : []
        for (const { name } of flags.filter(({ type }) => type._tag === "Int")) {
          const args = [...words, ...given, `--${name}`, "-1"]
          const { failure, out } = yield* runCommand(user, args)
          assert.isDefined(failure, args.join(" "))
          assert.strictEqual(out, "", args.join(" "))
        }
      }
      for (const args of [
        ["sessions", "search", "session", "--limit", "0"],
        ["memory", "list", "--limit", "0"]
      ]) {
        assert.strictEqual((yield* runCommand(user, args)).failure, "ShowHelp")
      }
    }).pipe(Effect.scoped)
  )

  it.live("write to stdout what is to go to -", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111", [start, end])
      for (const args of [
        ["sessions", "export", "1111"],
        ["sessions", "export", "1111", "--format", "markdown"],
        ["compare", "1111"]
      ]) {
        const { out } = yield* runCommand(user, args)
        assert.strictEqual((yield* runCommand(user, [...args, "--out", "-"])).out, out, args.join(" "))
        assert.isNotEmpty(out)
      }
      assert.isFalse(fs.existsSync(path.join(user.project, "-")))
    }).pipe(Effect.scoped)
  )
})
