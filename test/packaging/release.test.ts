import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { targets } from "../../scripts/compile.mjs"
import { release } from "../../scripts/release.mjs"
import { run } from "../support/program.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"
import { tarball } from "./installation.ts"

/** Unpacks a tarball; gives the directory of its package. */
const unpacked = Effect.fnUntraced(function* (file: string) {
  const directory = yield* temporaryDirectory
  const end = yield* run({
    command: "tar",
    args: ["-xzf", file],
    cwd: directory,
    env: { PATH: process.env.PATH ?? "" }
  })
  if (end.exitCode !== 0) throw new Error(end.stderr)
  return path.join(directory, "package")
})

const manifestIn = (directory: string): Record<string, unknown> =>
  JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"))

const sha256 = (file: string): string => crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex")

/** What the first bytes of a binary say it is for. */
const machineOf = (file: string): string => {
  const head = Buffer.alloc(4096)
  const descriptor = fs.openSync(file, "r")
  fs.readSync(descriptor, head)
  fs.closeSync(descriptor)
  if (head.readUInt32BE(0) === 0x7f454c46) return `elf ${head.readUInt16LE(18)}`
  if (head.readUInt32LE(0) === 0xfeedfacf) return `mach-o ${head.readUInt32LE(4)}`
  const pe = head.readUInt32LE(0x3c)
  return head.toString("latin1", pe, pe + 2) === "PE" ? `pe ${head.readUInt16LE(pe + 4)}` : "unknown"
}

/** Numbers of processors: e_machine of ELF, cputype of Mach-O, Machine of PE. */
const machines: Readonly<Record<string, string>> = {
  "darwin-arm64": "mach-o 16777228",
  "darwin-x64": "mach-o 16777223",
  "linux-arm64": "elf 183",
  "linux-arm64-musl": "elf 183",
  "linux-x64": "elf 62",
  "linux-x64-musl": "elf 62",
  "win32-x64": "pe 34404"
}

describe("a release", () => {
  it.live("has the same bytes when it is made again, in a directory of another name", () =>
    Effect.gen(function* () {
      const again = path.join(yield* temporaryDirectory, "made", "again")
      const names = yield* Effect.promise(() => release({ out: again, targets: [inject("crossTarget")] }))
      for (const name of names) {
        if (name === "SHA256SUMS") continue
        assert.strictEqual(
          sha256(path.join(again, name)),
          sha256(path.join(inject("release"), name)),
          `${name} differs, unless sources were edited meanwhile`
        )
      }
      assert.strictEqual(names.length, 3)
    }).pipe(Effect.scoped)
  )

  it("has sums that fit its files, sorted by their names", () => {
    const lines = fs
      .readFileSync(path.join(inject("release"), "SHA256SUMS"), "utf8")
      .trimEnd()
      .split("\n")
    const files = fs.readdirSync(inject("release")).filter((name) => name !== "SHA256SUMS")
    assert.deepStrictEqual(
      lines,
      files.sort().map((name) => `${sha256(path.join(inject("release"), name))}  ${name}`)
    )
  })

  it.live("has a package that names the binaries of all platforms and needs nothing else", () =>
    Effect.gen(function* () {
      const directory = yield* unpacked(tarball("lint-ai"))
      const manifest = manifestIn(directory)
      assert.isUndefined(manifest.dependencies)
      assert.isUndefined(manifest.scripts)
      assert.deepStrictEqual(
        Object.keys(manifest.optionalDependencies as object).sort(),
        ["libsql", ...Object.keys(targets).map((target) => `lint-ai-${target}`)].sort()
      )
      for (const [name, version] of Object.entries(manifest.optionalDependencies as Record<string, string>)) {
        assert.match(version, /^\d+\.\d+\.\d+$/, name)
      }
      const dist = fs.readdirSync(path.join(directory, "dist"))
      assert.notInclude(dist, "lint-ai")
      assert.include(dist, "lint-ai.cjs")
      for (const name of ["README.md", "LICENSE", "CHANGELOG.md"])
        assert.isTrue(fs.existsSync(path.join(directory, name)))
      const licenses = fs.readFileSync(path.join(directory, "THIRD_PARTY_LICENSES"), "utf8")
      for (const name of ["effect", "preact", "simple-git", "smol-toml"]) {
        assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"))
      }
    }).pipe(Effect.scoped)
  )

  for (const which of ["hostTarget", "crossTarget"] as const) {
    it.live(
      `has a package for ${which === "hostTarget" ? "this platform" : "another platform"} that npm installs nowhere else`,
      () =>
        Effect.gen(function* () {
          const target = inject(which)
          const directory = yield* unpacked(tarball(`lint-ai-${target}`))
          const manifest = manifestIn(directory)
          const [os, cpu, musl] = target.split("-")
          assert.deepStrictEqual([manifest.os, manifest.cpu], [[os], [cpu]])
          assert.deepStrictEqual(manifest.libc, os === "linux" ? [musl ?? "glibc"] : undefined)
          assert.isUndefined(manifest.scripts)
          assert.isUndefined(manifest.optionalDependencies)
          const binary = path.join(directory, "bin", os === "win32" ? "lint-ai.exe" : "lint-ai")
          assert.strictEqual(machineOf(binary), machines[target])
          assert.strictEqual(fs.statSync(binary).mode & 0o777, 0o755)
          const licenses = fs.readFileSync(path.join(directory, "THIRD_PARTY_LICENSES"), "utf8")
          assert.include(licenses, "JavaScriptCore")
          assert.include(licenses, "\neffect ")
        }).pipe(Effect.scoped)
    )
  }

  it.live("carries no path of the machine that made it", () =>
    Effect.gen(function* () {
      const root = path.join(import.meta.dirname, "../..")
      for (const name of ["lint-ai", `lint-ai-${inject("hostTarget")}`]) {
        const directory = yield* unpacked(tarball(name))
        for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
          if (!entry.isFile()) continue
          const bytes = fs.readFileSync(path.join(entry.parentPath, entry.name))
          assert.isFalse(bytes.includes(`${root}${path.sep}`), entry.name)
        }
      }
    }).pipe(Effect.scoped)
  )
})
