import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { snapshot } from "../support/recording.ts"
import {
  as,
  binaryPackage,
  claudeSettings,
  filesBelow,
  hookCommands,
  installGlobally,
  lintAi,
  newPerson,
  npm,
  type Person,
  recordDemo,
  tarball
} from "./installation.ts"
import { registryOf } from "./loopbackRegistry.ts"

/** The two ways in which a machine has lint-ai: with the package of its binary, or without. */
const ways = [
  {
    name: "with the binary",
    tarballs: () => [tarball("lint-ai"), tarball(binaryPackage())],
    version: () => `compiled ${inject("hostTarget")}`,
    hook: (person: Person) =>
      `${path.join(person.prefix, "lib/node_modules", binaryPackage(), "bin/lint-ai")} hook claude || exit 0`
  },
  {
    name: "without the binary",
    tarballs: () => [tarball("lint-ai")],
    version: () => `bundle on node ${process.versions.node}`,
    hook: (person: Person) =>
      `${process.execPath} ${path.join(person.prefix, "lib/node_modules/lint-ai/dist/hook.cjs")} hook claude || exit 0`
  }
]

/** npm's own files in a home. */
const isOfNpm = (file: string): boolean => file.startsWith(`.npm${path.sep}`)

for (const way of ways) {
  describe(`npm install --global, ${way.name}`, () => {
    it.live(
      "records the demonstration by the hooks that it installed, shows it, and leaves nothing when it is purged",
      () =>
        Effect.gen(function* () {
          const person = yield* newPerson
          yield* installGlobally(person, ...way.tarballs())
          assert.match(
            yield* lintAi(person, ["--version"]),
            new RegExp(`^lint-ai \\S+ \\((\\S+, )?${way.version()}\\)\n$`)
          )
          const before = snapshot(person.project)
          assert.deepStrictEqual(
            filesBelow(person.home).filter((file) => !isOfNpm(file)),
            []
          )

          assert.include(yield* lintAi(person, ["demo"]), "none found")
          assert.deepStrictEqual(
            filesBelow(person.home).filter((file) => !isOfNpm(file)),
            []
          )

          yield* lintAi(person, ["install", "claude", "--session-recording", "capture-only", "--yes"])
          assert.deepStrictEqual(hookCommands(person, "PreToolUse"), [way.hook(person)])
          const { secrets } = yield* recordDemo(person)
          const { sessions } = JSON.parse(yield* lintAi(person, ["sessions", "list", "--json"]))
          assert.deepStrictEqual(
            sessions.map((one: { session_id: string; status: string }) => [one.session_id, one.status]),
            [["claude:5f0d7c1e-demo-session", "completed"]]
          )
          assert.include(yield* lintAi(person, ["sessions", "inspect"]), "5f0d7c1e-demo-session")
          yield* lintAi(person, ["sessions", "verify"])
          const seen = yield* lintAi(person, ["sessions", "export", "--format", "markdown"])
          for (const secret of secrets) assert.notInclude(seen, secret)
          const page = path.join(person.directory, "session.html")
          yield* lintAi(person, ["sessions", "view", "--no-open", "--out", page])
          const html = fs.readFileSync(page, "utf8")
          assert.include(html, "5f0d7c1e-demo-session")
          for (const secret of secrets) assert.notInclude(html, secret)
          yield* lintAi(person, ["memory", "promote", "5f0d7c1e", "--yes"])
          assert.include(yield* lintAi(person, ["doctor"]), "hook")

          const uninstalled = yield* lintAi(person, ["uninstall", "claude"])
          const kept = [".lint-ai", ".config/lint-ai/keys.json", ".local/state/lint-ai/anchors"]
          for (const file of kept) {
            const absolute = path.join(file === ".lint-ai" ? person.project : person.home, file)
            assert.include(uninstalled, absolute)
            assert.isTrue(fs.existsSync(absolute))
          }
          yield* lintAi(person, ["uninstall", "--purge", "--yes"])
          assert.deepStrictEqual(snapshot(person.project), before)
          assert.deepStrictEqual(
            filesBelow(person.home).filter((file) => !isOfNpm(file)),
            []
          )
          yield* npm(person, ["uninstall", "lint-ai", binaryPackage()])
          assert.deepStrictEqual(filesBelow(person.prefix), [])
        }).pipe(Effect.scoped)
    )
  })
}

describe("npm install --global lint-ai", () => {
  it.live("takes the binary of this platform out of a registry, and no other, and hooks start that", () =>
    Effect.gen(function* () {
      const person = yield* newPerson
      const registry = yield* registryOf([tarball("lint-ai"), tarball(binaryPackage())])
      yield* as(
        person,
        "npm",
        [
          "install",
          "--global",
          "--prefix",
          person.prefix,
          "--registry",
          registry,
          "--no-audit",
          "--no-fund",
          "lint-ai"
        ],
        { cwd: person.home }
      )
      assert.include(yield* lintAi(person, ["--version"]), `compiled ${inject("hostTarget")}`)
      const modules = path.join(person.prefix, "lib/node_modules/lint-ai/node_modules")
      assert.deepStrictEqual(
        fs.readdirSync(modules).filter((name) => !name.startsWith(".")),
        [binaryPackage()]
      )
      yield* lintAi(person, ["install", "claude", "--yes"])
      assert.include(hookCommands(person, "Stop")[0] ?? "", path.join(modules, binaryPackage(), "bin/lint-ai"))
    }).pipe(Effect.scoped)
  )
})

describe("an installation that changes", () => {
  it.live("is found by doctor, harms no agent until then, and install repairs the hooks", () =>
    Effect.gen(function* () {
      const person = yield* newPerson
      yield* installGlobally(person, tarball("lint-ai"))
      const before = filesBelow(person.project)
      yield* lintAi(person, ["install", "claude", "--yes"])

      // The binary comes later.
      yield* installGlobally(person, tarball(binaryPackage()))
      assert.include(yield* lintAi(person, ["doctor"]), "another lint-ai answers")
      yield* lintAi(person, ["install", "claude", "--yes"])
      assert.notInclude(yield* lintAi(person, ["doctor"]), "another lint-ai answers")
      assert.include(hookCommands(person, "Stop")[0] ?? "", binaryPackage())

      // All of it moves.
      const moved = path.join(person.directory, "elsewhere")
      fs.renameSync(person.prefix, moved)
      const now = { ...person, prefix: moved, env: { ...person.env, PATH: `${moved}/bin:${process.env.PATH ?? ""}` } }
      const [command = ""] = hookCommands(now, "PreToolUse")
      const end = yield* as(now, "sh", ["-c", command], { stdin: "{}" })
      assert.strictEqual(end.stdout, "")
      assert.include(yield* lintAi(now, ["doctor"], 1), "the program is gone")
      yield* lintAi(now, ["install", "claude", "--yes"])
      assert.notInclude(yield* lintAi(now, ["doctor"]), "the program is gone")
      assert.include(hookCommands(now, "PreToolUse")[0] ?? "", moved)

      yield* lintAi(now, ["uninstall", "claude"])
      assert.isFalse(fs.existsSync(claudeSettings(now)))
      assert.deepStrictEqual(filesBelow(now.project), before)
    }).pipe(Effect.scoped)
  )
})
