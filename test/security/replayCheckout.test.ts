import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Git } from "../../src/platform/Git.ts"
import { Worktrees } from "../../src/platform/Worktrees.ts"
import { replayUser } from "../crash/replayUser.ts"
import { compiledHook, newUser } from "../support/recording.ts"

/** A repository whose own settings name a command for each filter, and one file that asks for it. `ran` gives which of them ran since it was asked last. */
const trapped = Effect.map(newUser, (user) => {
  const git = (...args: ReadonlyArray<string>): string => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    const end = spawnSync("git", [...identity, ...args], { cwd: user.project, encoding: "utf8" })
    if (end.status !== 0) throw new Error(`git ${args.join(" ")}: ${end.stderr}`)
    return end.stdout.trim()
  }
  git("init", "-q")
  fs.writeFileSync(path.join(user.project, ".gitattributes"), "*.txt filter=trap\n")
  fs.writeFileSync(path.join(user.project, "notes.txt"), "Notes.\n")
  git("add", "--all")
  git("commit", "-q", "-m", "Notes")
  const sprung = path.join(user.directory, "sprung")
  for (const what of ["clean", "smudge", "process"]) {
    const trap = path.join(user.directory, `${what}.sh`)
    fs.writeFileSync(trap, `#!/bin/sh\necho ${what} >> '${sprung}'\n${what === "process" ? "exit 1" : "cat"}\n`)
    fs.chmodSync(trap, 0o755)
    git("config", `filter.trap.${what}`, trap)
  }
  const ran = (): string => {
    const text = fs.existsSync(sprung) ? fs.readFileSync(sprung, "utf8") : ""
    fs.rmSync(sprung, { force: true })
    return text
  }
  ran()
  return { ...user, git, ran, revision: git("rev-parse", "HEAD") }
})

describe("the filters that a repository's own settings name", () => {
  it.effect("do not run when a revision is checked out for a replay", () =>
    Effect.gen(function* () {
      const { directory, git, project, ran, revision } = yield* trapped
      const worktrees = yield* Worktrees
      const out = path.join(directory, "out")
      yield* worktrees.add({ repository: project, store: path.join(directory, "store.git"), directory: out, revision })
      assert.strictEqual(fs.readFileSync(path.join(out, "notes.txt"), "utf8"), "Notes.\n")
      const scratch = path.join(directory, "scratch")
      fs.mkdirSync(scratch)
      fs.writeFileSync(path.join(out, "notes.txt"), "Other notes.\n")
      assert.strictEqual((yield* worktrees.changedSince(out, revision, scratch))?.files, 1)
      assert.strictEqual(ran(), "")
      // The trap is a good one.
      fs.rmSync(path.join(project, "notes.txt"))
      git("config", "--unset", "filter.trap.process")
      git("checkout", "--", "notes.txt")
      assert.include(ran(), "smudge")
    }).pipe(Effect.provide(Worktrees.layer))
  )

  it.effect("do not run when it is told what is not committed, and whether something is", () =>
    Effect.gen(function* () {
      const { directory, project, ran } = yield* trapped
      const worktrees = yield* Worktrees
      const git = yield* Git
      // As long as before: Git must look into it.
      fs.writeFileSync(path.join(project, "notes.txt"), "Votes.\n")
      assert.strictEqual((yield* git.workTree(project))?.dirty, true)
      assert.strictEqual(ran(), "", "status")
      const scratch = path.join(directory, "scratch")
      fs.mkdirSync(scratch)
      const patch = yield* worktrees.changes(project, scratch)
      assert.include(fs.readFileSync(patch, "utf8"), "+Votes.")
      assert.strictEqual(ran(), "", "changes")
    }).pipe(Effect.provide(Worktrees.layer), Effect.provide(Git.layer))
  )

  it.effect("do not run in a submodule either, whose settings are its own", () =>
    Effect.gen(function* () {
      const { directory, git, project, ran } = yield* trapped
      const top = path.join(directory, "top")
      fs.mkdirSync(top)
      const inTop = (...args: ReadonlyArray<string>) => git("-C", top, ...args)
      inTop("init", "-q")
      inTop("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", project, "sub")
      fs.writeFileSync(path.join(top, "own.txt"), "Own.\n")
      inTop("add", "--all")
      inTop("commit", "-q", "-m", "Submodule")
      const settings = fs.readFileSync(path.join(project, ".git", "config"), "utf8")
      fs.appendFileSync(path.join(top, ".git/modules/sub/config"), settings.slice(settings.indexOf("[filter")))
      const worktrees = yield* Worktrees
      const looks = yield* Git
      fs.writeFileSync(path.join(top, "sub/notes.txt"), "Votes.\n")
      fs.writeFileSync(path.join(top, "own.txt"), "Our.\n")
      ran()
      assert.strictEqual((yield* looks.workTree(top))?.dirty, true)
      assert.strictEqual(ran(), "", "status")
      const scratch = path.join(directory, "scratch")
      fs.mkdirSync(scratch)
      const patch = yield* worktrees.changes(top, scratch)
      assert.include(fs.readFileSync(patch, "utf8"), "+Our.")
      assert.strictEqual(ran(), "", "changes")
      // The trap is a good one.
      spawnSync("git", ["status"], { cwd: top })
      assert.notStrictEqual(ran(), "")
    }).pipe(Effect.provide(Worktrees.layer), Effect.provide(Git.layer))
  )

  it.live("do not run in `lint-ai replay`, and those of the user's own settings do", () =>
    Effect.gen(function* () {
      const user = yield* replayUser(compiledHook(inject("builtProgram")))
      const marks = path.join(user.directory, "marks")
      const filter = (name: string) => {
        const program = path.join(user.directory, `${name}.sh`)
        fs.writeFileSync(program, `#!/bin/sh\necho ${name} >> '${marks}'\ncat\n`, { mode: 0o755 })
        return `[filter "${name}"]\n\tsmudge = ${program}\n\tclean = ${program}\n`
      }
      fs.writeFileSync(path.join(user.project, ".gitattributes"), "*.txt filter=trap\n*.bin filter=mine\n")
      fs.writeFileSync(path.join(user.project, "large.bin"), "large\n")
      const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
      for (const args of [
        ["add", "--all"],
        ["commit", "-q", "-m", "Filters"]
      ]) {
        const end = spawnSync("git", [...identity, ...args], { cwd: user.project, env: user.env, encoding: "utf8" })
        assert.strictEqual(end.status, 0, end.stderr)
      }
      fs.appendFileSync(path.join(user.project, ".git", "config"), filter("trap"))
      fs.appendFileSync(path.join(user.home, ".gitconfig"), filter("mine"))
      const install = ["install", "antigravity", user.project, "--scope", "user", "--yes"]
      yield* Effect.promise(() => user.lintAi([...install, "--session-recording", "capture-only"]))
      const id = user.converse()
      fs.rmSync(marks, { force: true })
      const replayed = yield* Effect.promise(() => user.lintAi(["replay", `antigravity:${id}`, "--json"]))
      assert.strictEqual(replayed.exitCode, 0, replayed.stdout + replayed.stderr)
      assert.deepStrictEqual([...new Set(fs.readFileSync(marks, "utf8").trim().split("\n"))], ["mine"])
    })
  )
})
