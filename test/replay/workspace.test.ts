import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Disk } from "../../src/platform/Disk.ts"
import { Worktrees } from "../../src/platform/Worktrees.ts"
import { makeWorkspace } from "../../src/replay/workspace.ts"
import { snapshot } from "../support/recording.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const machine = Layer.merge(Disk.layer, Worktrees.layer)

const gitIn = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid", ...args], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", HOME: directory, GIT_CONFIG_NOSYSTEM: "1" }
  }).trim()

/** A repository with one commit, and what came after it. */
const repositoryIn = (directory: string) => {
  const project = path.join(directory, "app")
  fs.mkdirSync(path.join(project, "packages", "one"), { recursive: true })
  fs.writeFileSync(path.join(project, "a.txt"), "recorded\n")
  fs.writeFileSync(path.join(project, "packages", "one", "b.txt"), "b\n")
  fs.writeFileSync(path.join(project, ".gitignore"), "secret.env\n")
  gitIn(project, "init", "--quiet")
  gitIn(project, "add", ".")
  gitIn(project, "commit", "--quiet", "-m", "One")
  const revision = gitIn(project, "rev-parse", "HEAD")
  gitIn(project, "tag", "v1")
  fs.writeFileSync(path.join(project, "a.txt"), "later\n")
  gitIn(project, "commit", "--quiet", "-am", "Two")
  for (const name of fs.readdirSync(path.join(project, ".git", "hooks"))) {
    fs.rmSync(path.join(project, ".git", "hooks", name))
  }
  fs.writeFileSync(path.join(project, ".git", "hooks", "post-checkout"), `#!/bin/sh\ntouch '${directory}/ran'\n`, {
    mode: 0o755
  })
  return { project, revision }
}

describe("the workspace of a replay", () => {
  it.live("is the recorded revision, without a hook of Git, and the project's repository stays as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { project, revision } = repositoryIn(directory)
      fs.writeFileSync(path.join(project, "secret.env"), "KEY=1")
      const before = snapshot(project)
      const below = path.join(directory, "below")
      yield* Effect.gen(function* () {
        const workspace = yield* makeWorkspace({ projectRoot: project, revision }, below)
        assert.strictEqual(path.basename(workspace.directory), "app")
        assert.strictEqual(fs.readFileSync(path.join(workspace.directory, "a.txt"), "utf8"), "recorded\n")
        assert.isFalse(fs.existsSync(path.join(workspace.directory, "secret.env")))
        assert.strictEqual(gitIn(workspace.directory, "rev-parse", "HEAD"), revision)
        assert.strictEqual(gitIn(workspace.directory, "branch", "--show-current"), "")
        // What the agent commits is in its work tree alone: the branch of the project stays where it is.
        gitIn(
          workspace.directory,
          "-c",
          "core.hooksPath=/dev/null",
          "commit",
          "--quiet",
          "--allow-empty",
          "-m",
          "Three"
        )
        gitIn(workspace.directory, "branch", "of-the-agent")
        assert.strictEqual(gitIn(project, "log", "-1", "--format=%s"), "Two")
        // Nothing of later days can be found, and nothing be sent to the project.
        assert.notInclude(gitIn(workspace.directory, "log", "--all", "--format=%s"), "Two")
        assert.strictEqual(gitIn(workspace.directory, "remote"), "")
        assert.deepStrictEqual(gitIn(workspace.directory, "for-each-ref", "--format=%(refname)").split("\n"), [
          "refs/heads/of-the-agent",
          "refs/tags/v1"
        ])
        assert.include(workspace.notes.join(), "what Git ignores")
      }).pipe(Effect.provide(machine))
      assert.isFalse(fs.existsSync(path.join(directory, "ran")))
      assert.deepStrictEqual(gitIn(project, "worktree", "list").split("\n").length, 1)
      const after = snapshot(project)
      assert.deepStrictEqual(after, before)
    }).pipe(Effect.scoped)
  )

  it.live("tells what changed since the revision, whether the agent committed it or not", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { project, revision } = repositoryIn(directory)
      const scratch = path.join(directory, "scratch")
      fs.mkdirSync(scratch)
      yield* Effect.gen(function* () {
        const worktrees = yield* Worktrees
        const { directory: made } = yield* makeWorkspace(
          { projectRoot: project, revision },
          path.join(directory, "below")
        )
        const changed = worktrees.changedSince(made, revision, scratch)
        assert.deepStrictEqual(yield* changed, { files: 0, insertions: 0, deletions: 0, commits: 0 })
        fs.writeFileSync(path.join(made, "a.txt"), "one\ntwo\n")
        gitIn(made, "commit", "--quiet", "-am", "By the agent")
        fs.writeFileSync(path.join(made, "new.txt"), "new\n")
        fs.writeFileSync(path.join(made, "secret.env"), "ignored\n")
        fs.rmSync(path.join(made, "packages", "one", "b.txt"))
        const status = gitIn(made, "status", "--porcelain")
        assert.deepStrictEqual(yield* changed, { files: 3, insertions: 3, deletions: 2, commits: 1 })
        assert.strictEqual(gitIn(made, "status", "--porcelain"), status)
        assert.isUndefined(yield* worktrees.changedSince(directory, revision, scratch))
      }).pipe(Effect.provide(machine))
    }).pipe(Effect.scoped)
  )

  it.live("is the project's own directory of the repository, or refused where the revision has none", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { project, revision } = repositoryIn(directory)
      const make = (root: string, below: string) =>
        makeWorkspace({ projectRoot: root, revision }, path.join(directory, below)).pipe(Effect.provide(machine))
      const inner = yield* make(path.join(project, "packages", "one"), "b1")
      assert.deepStrictEqual(fs.readdirSync(inner.directory), ["b.txt"])
      fs.mkdirSync(path.join(project, "new"))
      const failure = yield* Effect.flip(make(path.join(project, "new"), "b2"))
      assert.match(failure.message, /new is not in [0-9a-f]{12}: it was added/)
      const gone = yield* Effect.flip(
        makeWorkspace({ projectRoot: project, revision: "a".repeat(40) }, path.join(directory, "b3")).pipe(
          Effect.provide(machine)
        )
      )
      assert.match(gone.message, /Git could not check the recorded revision out: /)
      const odd = yield* Effect.flip(
        makeWorkspace({ projectRoot: project, revision: "--force" }, path.join(directory, "b4")).pipe(
          Effect.provide(machine)
        )
      )
      assert.match(odd.message, /"--force" is no commit/)
    }).pipe(Effect.scoped)
  )

  it.live("has the uncommitted changes when they are asked for: also new, binary and oddly encoded files", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { project } = repositoryIn(directory)
      const revision = gitIn(project, "rev-parse", "HEAD")
      const latin1 = Buffer.from("caf\xe9\n", "latin1")
      const binary = Buffer.from([0, 1, 2, 255, 0, 10])
      fs.writeFileSync(path.join(project, "a.txt"), "changed\n")
      fs.writeFileSync(path.join(project, "latin1.txt"), latin1)
      fs.writeFileSync(path.join(project, "new.bin"), binary)
      fs.writeFileSync(path.join(project, "secret.env"), "KEY=1")
      fs.rmSync(path.join(project, "packages", "one", "b.txt"))
      const before = snapshot(project)
      const scratch = path.join(directory, "scratch")
      fs.mkdirSync(scratch)
      yield* Effect.gen(function* () {
        const worktrees = yield* Worktrees
        const patch = fs.readFileSync(yield* worktrees.changes(project, scratch))
        assert.deepStrictEqual(snapshot(project), before)
        const source = { projectRoot: project, revision, patch }
        const { directory: made } = yield* makeWorkspace(source, path.join(directory, "below"))
        assert.strictEqual(fs.readFileSync(path.join(made, "a.txt"), "utf8"), "changed\n")
        assert.isTrue(fs.readFileSync(path.join(made, "latin1.txt")).equals(latin1))
        assert.isTrue(fs.readFileSync(path.join(made, "new.bin")).equals(binary))
        assert.isFalse(fs.existsSync(path.join(made, "packages", "one", "b.txt")))
        assert.isFalse(fs.existsSync(path.join(made, "secret.env")))
        const failure = yield* Effect.flip(
          makeWorkspace({ ...source, patch: Buffer.from("no patch") }, path.join(directory, "other"))
        )
        assert.match(failure.message, /Git could not apply the uncommitted changes: /)
      }).pipe(Effect.provide(machine))
    }).pipe(Effect.scoped)
  )

  it.live("is a bounded copy where there is no revision, without links that lead out and what tools make", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const project = path.join(directory, "plain")
      const file = (name: string, mode = 0o644) => {
        fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true })
        fs.writeFileSync(path.join(project, name), name, { mode })
      }
      for (const name of ["a.txt", "src/b.txt", "node_modules/x/index.js", ".lint-ai/state.json", "src/target/out"]) {
        file(name)
      }
      file("run.sh", 0o755)
      fs.writeFileSync(path.join(directory, "outside"), "secret")
      fs.symlinkSync("../outside", path.join(project, "leaves"))
      fs.symlinkSync(path.join(directory, "outside"), path.join(project, "absolute"))
      fs.symlinkSync("..", path.join(project, "src", "up"))
      fs.symlinkSync("b.txt", path.join(project, "src", "stays"))
      execFileSync("mkfifo", [path.join(project, "pipe")])
      const { directory: made, notes } = yield* makeWorkspace(
        { projectRoot: project, revision: undefined },
        path.join(directory, "below")
      ).pipe(Effect.provide(machine))
      assert.deepStrictEqual(
        Object.keys(snapshot(made)).sort(),
        ["a.txt", "run.sh", "src", "src/b.txt", "src/stays", "src/up"].sort()
      )
      assert.strictEqual(fs.readlinkSync(path.join(made, "src", "stays")), "b.txt")
      assert.notStrictEqual(fs.statSync(path.join(made, "run.sh")).mode & 0o100, 0)
      assert.match(notes.join("\n"), /Left out of the copy: \.lint-ai, node_modules, src\/target\./)
      assert.match(notes.join("\n"), /Not copied, [^:]*: absolute, leaves, pipe\./)
    }).pipe(Effect.scoped)
  )

  it.live("is refused where a copy would be too large", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const project = path.join(directory, "large")
      fs.mkdirSync(project)
      fs.writeFileSync(path.join(project, "big.bin"), "")
      fs.truncateSync(path.join(project, "big.bin"), 600 * 1024 ** 2)
      const failure = yield* Effect.flip(
        makeWorkspace({ projectRoot: project, revision: undefined }, path.join(directory, "below")).pipe(
          Effect.provide(machine)
        )
      )
      assert.match(failure.message, /holds more than 512 MiB/)
    }).pipe(Effect.scoped)
  )
})
