import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { findProjectRoot } from "../../src/control/projectRoot.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

/** A directory `a/b/c`, in which a test places what it wants. */
const tree = Effect.map(temporaryDirectory, (root) => {
  const at = (name: string) => path.join(root, name)
  fs.mkdirSync(at("a/b/c"), { recursive: true })
  const find = (from: { cwd: string; override?: string; provider?: string; adopted?: ReadonlyArray<string> }) =>
    Effect.runSync(
      findProjectRoot({
        override: from.override,
        provider: from.provider,
        cwd: from.cwd,
        isAdopted: (directory) => Effect.succeed(from.adopted?.includes(directory) ?? false)
      }).pipe(Effect.provide(Disk.layer))
    )
  return { at, find, make: (name: string) => fs.mkdirSync(at(name), { recursive: true }) }
})
type Tree = Effect.Success<typeof tree>

const test = (sentence: string, body: (tree: Tree) => void) =>
  it.live(sentence, () => Effect.map(tree, (made) => body(made)))

describe("the project", () => {
  test("is what the user names, before what the agent names, before where it works", ({ at, find }) => {
    const from = { cwd: at("a/b/c"), provider: at("a/b"), adopted: [at("a")] }
    assert.strictEqual(find({ ...from, override: at("a") }), at("a"))
    assert.strictEqual(find(from), at("a/b"))
  })

  test("is the nearest adopted directory of the work tree in which the agent was started", ({ at, find, make }) => {
    const from = { cwd: "/", provider: at("a/b/c") }
    make("a/.git")
    make("a/.lint-ai")
    assert.strictEqual(find(from), at("a/b/c"))
    assert.strictEqual(find({ ...from, adopted: [at("a")] }), at("a"))
    assert.strictEqual(find({ ...from, override: at("a/b"), adopted: [at("a")] }), at("a/b"))
    make("a/b/.lint-ai")
    assert.strictEqual(find({ ...from, adopted: [at("a"), at("a/b")] }), at("a/b"))
    assert.strictEqual(find({ ...from, adopted: [at("a")] }), at("a"))
    // One's own state holds, whatever it says.
    make("a/b/c/.lint-ai")
    assert.strictEqual(find({ ...from, adopted: [at("a"), at("a/b")] }), at("a/b/c"))
  })

  test("is the checkout around a linked worktree of it, and around no other work tree", ({ at, find, make }) => {
    const from = { cwd: "/", provider: at("a/b/c"), adopted: [at("a")] }
    make("a/.git/worktrees/c")
    make("a/.lint-ai")
    make("d/.lint-ai")
    const pointTo = (repository: string) => fs.writeFileSync(at("a/b/c/.git"), `gitdir: ${repository}\n`)
    for (const repository of [at("a/.git/worktrees/c"), "../../.git/worktrees/c"]) {
      pointTo(repository)
      assert.strictEqual(find(from), at("a"), repository)
      assert.strictEqual(find({ ...from, adopted: [] }), at("a/b/c"), repository)
      assert.strictEqual(find({ ...from, adopted: [at("d")] }), at("a/b/c"), repository)
      make("a/b/c/deep")
      assert.strictEqual(find({ ...from, provider: at("a/b/c/deep") }), at("a"), repository)
    }
    // Of a submodule, of a worktree in it, of another repository, of none.
    for (const repository of [
      at("a/.git/modules/c"),
      at("a/.git/modules/c/worktrees/c"),
      at("d/.git/worktrees/c"),
      at("a/b/c/.git/worktrees/c"),
      "",
      "\u0000"
    ]) {
      pointTo(repository)
      assert.strictEqual(find({ ...from, adopted: [at("a"), at("d")] }), at("a/b/c"), repository)
    }
    // Its own state holds there.
    pointTo(at("a/.git/worktrees/c"))
    make("a/b/c/.lint-ai")
    assert.strictEqual(find(from), at("a/b/c"))
  })

  test("is none that is adopted outside of the work tree in which the agent was started", ({ at, find, make }) => {
    const from = { cwd: "/", provider: at("a/b/c"), adopted: [at("a")] }
    make("a/.lint-ai")
    assert.strictEqual(find(from), at("a/b/c"))
    make("a/b/.git")
    assert.strictEqual(find(from), at("a/b/c"))
    make("a/b/c/.git")
    assert.strictEqual(find(from), at("a/b/c"))
  })

  test("is no relative path that somebody names", ({ at, find }) => {
    assert.strictEqual(find({ cwd: at("a/b"), override: "elsewhere", provider: "../x" }), at("a/b"))
  })

  test("is the nearest directory above that is adopted", ({ at, find, make }) => {
    make("a/.lint-ai")
    make("a/b/.lint-ai")
    make("a/b/.git")
    assert.strictEqual(find({ cwd: at("a/b/c"), adopted: [at("a"), at("a/b")] }), at("a/b"))
    assert.strictEqual(find({ cwd: at("a/b/c"), adopted: [at("a")] }), at("a"))
  })

  test("is the top of the Git work tree where none is adopted", ({ at, find, make }) => {
    make("a/.git")
    make("a/b/.lint-ai")
    assert.strictEqual(find({ cwd: at("a/b/c") }), at("a"))
  })

  test("is a linked work tree by itself, where .git is a file", ({ at, find, make }) => {
    make("a/.git")
    fs.writeFileSync(at("a/b/.git"), "gitdir: /somewhere\n")
    assert.strictEqual(find({ cwd: at("a/b/c") }), at("a/b"))
  })

  test("is where the agent works when nothing says more, also when that is gone", ({ at, find }) => {
    assert.strictEqual(find({ cwd: at("a/b/c") }), at("a/b/c"))
    assert.strictEqual(find({ cwd: at("gone/deeper") }), at("gone/deeper"))
  })

  test("is the same through a link", ({ at, find, make }) => {
    make("a/.git")
    fs.symlinkSync(at("a/b"), at("link"))
    assert.strictEqual(find({ cwd: at("link/c") }), at("a"))
    assert.strictEqual(find({ cwd: "/", provider: at("link") }), at("a/b"))
  })

  test("is not one whose .lint-ai is a link or a file", ({ at, find, make }) => {
    make("elsewhere")
    fs.symlinkSync(at("elsewhere"), at("a/.lint-ai"))
    fs.writeFileSync(at("a/b/.lint-ai"), "")
    assert.strictEqual(find({ cwd: at("a/b/c"), adopted: [at("a"), at("a/b")] }), at("a/b/c"))
  })
})
