import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CurrentDeadline, type Deadline } from "../../src/platform/Deadline.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { readRepository } from "../../src/recorder/repository.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

/** A repository with one commit, and what Git itself and our reader say of it. */
const repository = Effect.map(temporaryDirectory, (directory) => {
  const root = path.join(directory, "project")
  const git = (...args: ReadonlyArray<string>): string => {
    const end = spawnSync("git", args, {
      cwd: root,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@example.org",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@example.org"
      }
    })
    if (end.status !== 0) throw new Error(`git ${args.join(" ")}: ${end.stderr}`)
    return end.stdout.trim()
  }
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), text)
    // Long ago, so that Git and we know the file by its time.
    fs.utimesSync(path.join(root, name), 1_700_000_000, 1_700_000_000)
  }
  const read = (place = root, deadline?: Deadline) => {
    const reading = readRepository(place).pipe(Effect.provide(Disk.layer))
    return Effect.runSync(deadline === undefined ? reading : Effect.provideService(reading, CurrentDeadline, deadline))
  }
  fs.mkdirSync(root)
  git("init", "-q", "-b", "main")
  write("a.txt", "one\n")
  write("deep/er/é😀.txt", "two\n")
  write("deep/er/b.txt", "three\n")
  git("add", ".")
  git("commit", "-q", "-m", "first")
  return { root, git, write, read, head: () => git("rev-parse", "HEAD") }
})
type Repository = Effect.Success<typeof repository>

const test = (sentence: string, body: (repository: Repository) => void) =>
  it.live(sentence, () => Effect.map(repository, (made) => body(made)))

describe("the repository of a project", () => {
  test("that is clean has its revision and branch", ({ read, head }) => {
    assert.deepStrictEqual(read(), {
      repository_revision: head(),
      repository_branch: "main",
      repository_dirty: false
    })
  })

  const changes: ReadonlyArray<
    readonly [what: string, dirty: boolean | null, change: (repository: Repository) => void]
  > = [
    ["a file of another size", true, ({ write }) => write("a.txt", "longer than it was\n")],
    ["a file that is gone", true, ({ root }) => fs.rmSync(path.join(root, "deep/er/é😀.txt"))],
    [
      "a link in the place of a file",
      true,
      ({ root }) => {
        fs.rmSync(path.join(root, "a.txt"))
        fs.symlinkSync("deep", path.join(root, "a.txt"))
      }
    ],
    // Only what is in the files tells, and a hook does not read them all.
    [
      "a file of the same size and another time",
      null,
      ({ root }) => fs.utimesSync(path.join(root, "a.txt"), 1_700_000_001, 1_700_000_001)
    ],
    [
      "a change that is staged",
      null,
      ({ write, git }) => {
        write("a.txt", "of another size\n")
        git("add", "a.txt")
      }
    ],
    ["a file that Git does not track", false, ({ write }) => write("new.txt", "new\n")]
  ]
  for (const [what, dirty, change] of changes) {
    test(`with ${what} is ${dirty === null ? "perhaps changed" : dirty ? "changed" : "not changed"}`, (made) => {
      change(made)
      assert.strictEqual(made.read().repository_dirty, dirty)
    })
  }

  for (const version of ["2", "3", "4"]) {
    test(`is read from an index of version ${version}`, ({ git, read, write }) => {
      git("update-index", "--index-version", version)
      assert.strictEqual(read().repository_dirty, false)
      write("deep/er/b.txt", "another size\n")
      assert.strictEqual(read().repository_dirty, true)
    })
  }

  test("with a conflict is changed", ({ git, write, read }) => {
    git("checkout", "-q", "-b", "other")
    write("a.txt", "other\n")
    git("commit", "-q", "-am", "other")
    git("checkout", "-q", "main")
    write("a.txt", "ours!\n")
    git("commit", "-q", "-am", "ours")
    assert.throws(() => git("merge", "-q", "other"))
    assert.deepInclude(read(), { repository_dirty: true, repository_branch: "main" })
  })

  test("whose references are packed has its revision", ({ git, read, head, root }) => {
    git("pack-refs", "--all")
    assert.isFalse(fs.existsSync(path.join(root, ".git/refs/heads/main")))
    assert.deepInclude(read(), { repository_revision: head(), repository_branch: "main" })
  })

  test("on no branch has a revision alone", ({ git, read, head }) => {
    git("checkout", "-q", "--detach")
    assert.deepInclude(read(), { repository_revision: head(), repository_branch: null })
  })

  test("on a branch with slashes has its whole name", ({ git, read, head }) => {
    git("checkout", "-q", "-b", "feature/deep/one")
    assert.deepInclude(read(), { repository_revision: head(), repository_branch: "feature/deep/one" })
  })

  test("in a linked work tree has that work tree's branch", ({ git, read, head, root }) => {
    const linked = path.join(path.dirname(root), "linked")
    git("worktree", "add", "-q", "-b", "side", linked)
    assert.deepInclude(read(linked), { repository_revision: head(), repository_branch: "side" })
    fs.rmSync(path.join(linked, "a.txt"))
    assert.strictEqual(read(linked).repository_dirty, true)
    assert.strictEqual(read().repository_dirty, false)
  })

  test("without a commit has a branch and no revision", ({ root, read }) => {
    const empty = path.join(root, "empty")
    fs.mkdirSync(empty)
    spawnSync("git", ["init", "-q", "-b", "trunk", empty])
    assert.deepInclude(read(empty), { repository_revision: null, repository_branch: "trunk" })
  })

  test("is none where there is no Git", ({ root, read }) => {
    const none = { repository_revision: null, repository_branch: null, repository_dirty: null }
    assert.deepStrictEqual(read(path.join(root, "deep")), none)
    assert.deepStrictEqual(read("/nowhere"), none)
  })

  for (const [what, spoil] of [
    ["an empty index", (git: string) => fs.truncateSync(path.join(git, "index"), 0)],
    ["half an index", (git: string) => fs.truncateSync(path.join(git, "index"), 100)],
    ["an index of something else", (git: string) => fs.writeFileSync(path.join(git, "index"), "DIRC".repeat(100))],
    ["a HEAD that leads out", (git: string) => fs.writeFileSync(path.join(git, "HEAD"), "ref: refs/../../../secret\n")],
    ["a HEAD of something else", (git: string) => fs.writeFileSync(path.join(git, "HEAD"), "\u0000".repeat(50))]
  ] as const) {
    test(`with ${what} tells nothing that is not so`, ({ root, read }) => {
      fs.writeFileSync(path.join(path.dirname(root), "secret"), "a".repeat(40))
      spoil(path.join(root, ".git"))
      const { repository_dirty, repository_revision } = read()
      assert.isTrue(what.includes("index") ? repository_dirty === null : repository_revision === null)
    })
  }

  test("is not looked through when the time is short", ({ read, write }) => {
    write("a.txt", "longer than it was\n")
    let remaining = 1_000
    const deadline = {
      budgetMs: 1_000,
      remainingMs: () => {
        remaining -= 600
        return remaining
      }
    }
    assert.strictEqual(read(undefined, deadline).repository_dirty, null)
  })
})
