import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Git } from "../../src/platform/Git.ts"
import { runCommand } from "../support/cli.ts"
import { newUser } from "../support/recording.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const workTreeOf = (directory: string) =>
  Effect.flatMap(Git, (git) => git.workTree(directory)).pipe(Effect.provide(Git.layer))

describe("what Git says of a work tree", () => {
  it.live("is its branch, also before the first commit, or that it has none", () =>
    Effect.gen(function* () {
      const top = yield* temporaryDirectory
      assert.isUndefined(yield* workTreeOf(top))
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", top, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" })
      git("init", "--quiet", "--initial-branch=trunk")
      assert.deepInclude(yield* workTreeOf(top), { branch: "trunk", revision: undefined })
      git("commit", "--quiet", "--allow-empty", "-m", "first")
      const revision = git("rev-parse", "HEAD").trim()
      assert.deepInclude(yield* workTreeOf(top), { branch: "trunk", revision })
      git("checkout", "--quiet", "--detach")
      assert.deepInclude(yield* workTreeOf(top), { branch: undefined, revision })
    }).pipe(Effect.scoped)
  )
})

describe("what Git says of recordings", () => {
  it.live(
    "is that a commit of everything would take them along, whenever the .gitignore beside them is another one",
    () =>
      Effect.gen(function* () {
        const top = yield* temporaryDirectory
        execFileSync("git", ["init", "--quiet", top])
        for (const project of [top, path.join(top, "packages", "web")]) {
          const at = (name: string) => path.join(project, ".lint-ai", name)
          fs.mkdirSync(at("claude-sessions/claude-1"), { recursive: true })
          fs.mkdirSync(at("scenarios"))
          fs.writeFileSync(at("claude-sessions/claude-1/events.jsonl"), "{}\n")
          fs.writeFileSync(at("scenarios/one.json"), "{}\n")
          for (const [text, exposes] of [
            ["*\n", false],
            // Somebody shares scenarios, and nothing else.
            ["*\n!scenarios/\n!scenarios/*\n", false],
            ["!*\n", true],
            ["", true],
            ["*\n!/claude-sessions/\n!/claude-sessions/**\n", true]
          ] as const) {
            fs.writeFileSync(at(".gitignore"), text)
            assert.strictEqual((yield* workTreeOf(project))?.exposesRecordings, exposes, JSON.stringify(text))
          }
          fs.rmSync(at(".gitignore"))
          assert.isTrue((yield* workTreeOf(project))?.exposesRecordings)
          // One that a clone brings as a link is not read by Git.
          fs.symlinkSync("/nowhere", at(".gitignore"))
          assert.isTrue((yield* workTreeOf(project))?.exposesRecordings)
          fs.rmSync(path.join(project, ".lint-ai"), { recursive: true })
        }
      }).pipe(Effect.scoped)
  )

  it.live("is what the doctor fails for, with a command that mends it", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const project = path.join(user.project, "it's here")
      fs.mkdirSync(path.join(project, ".lint-ai"), { recursive: true })
      const file = path.join(project, ".lint-ai", ".gitignore")
      fs.symlinkSync("/nowhere", file)
      const workTree = {
        revision: undefined,
        branch: "main",
        dirty: true,
        trackedRecordings: 0,
        exposesRecordings: true
      }
      const { out } = yield* runCommand(user, ["doctor", project, "--json"], { workTree })
      const check = JSON.parse(out).checks.find((one: { name: string }) => one.name === "git")
      assert.strictEqual(check.state, "fail")
      execFileSync("sh", ["-c", check.remedy])
      assert.strictEqual(fs.readFileSync(file, "utf8"), "*\n")
    }).pipe(Effect.scoped)
  )
})
