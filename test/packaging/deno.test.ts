import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { as, newPerson, type Person, tarball } from "./installation.ts"
import { registryOf } from "./loopbackRegistry.ts"

const require = createRequire(import.meta.url)
const denoPlatform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
const deno = path.join(path.dirname(require.resolve(`@deno/${denoPlatform}/package.json`)), "deno")

const directoriesOf = (person: Person) => {
  const [config, state] = ["config", "state"].map((name) => path.join(person.directory, name)) as [string, string]
  for (const directory of [config, state]) fs.mkdirSync(directory, { recursive: true })
  return { config, state }
}

/** The permissions of the README. */
const permissionsOf = (person: Person, entry: string) => {
  const { config, state } = directoriesOf(person)
  const read = `--allow-read=${person.project},${config},${state},${entry}`
  const write = `--allow-write=${person.project}/.lint-ai,${config},${state}`
  return {
    env: {
      LINT_AI_CONFIG_DIR: config,
      LINT_AI_STATE_DIR: state,
      DENO_NO_PROMPT: "1",
      CLAUDE_PROJECT_DIR: person.project
    },
    hook: [
      read,
      write,
      "--allow-sys=hostname,uid",
      "--allow-env=LINT_AI_*,XDG_*,CLAUDE_*,AI_AGENT,HOME,TMPDIR,TEMP,TMP"
    ],
    change: [read, write, "--allow-sys=hostname,uid", "--allow-env"],
    look: [read, "--allow-sys=hostname,uid", "--allow-env"]
  }
}

const payload = (person: Person) =>
  JSON.stringify({
    session_id: "11111111-1111-4111-8111-111111111111",
    cwd: person.project,
    hook_event_name: "UserPromptSubmit",
    prompt_id: "p1",
    prompt: "say hi"
  })

/** Records one event and looks at it, with `lint-ai` under Deno. */
const recordsWith = Effect.fnUntraced(function* (person: Person, entry: string, allowed: string, more: object = {}) {
  const permissions = permissionsOf(person, allowed)
  const lintAi = (allow: ReadonlyArray<string>, args: ReadonlyArray<string>, stdin = "") =>
    Effect.map(
      as(person, deno, ["run", ...allow, entry, ...args], { stdin, env: { ...permissions.env, ...more } }),
      (end) => end.stdout
    )
  assert.match(yield* lintAi(permissions.look, ["--version"]), /^lint-ai \S+ \((\S+, )?bundle on deno 2\./)
  yield* lintAi(permissions.change, ["record", "start", "claude", "--json"])
  assert.strictEqual(yield* lintAi(permissions.hook, ["hook", "claude"], payload(person)), "")
  const { sessions } = JSON.parse(yield* lintAi(permissions.change, ["sessions", "list", "--json"]))
  assert.strictEqual(sessions.length, 1)
  assert.strictEqual(sessions[0].event_count, 1)
  assert.include(yield* lintAi(permissions.look, ["sessions", "inspect", "--json"]), "11111111-1111")
  return lintAi
})

describe("Deno", () => {
  it.live("runs the package out of its tarball with the permissions of the README, and no others", () =>
    Effect.gen(function* () {
      const person = yield* newPerson
      yield* as(person, "tar", ["-xzf", tarball("lint-ai")], { cwd: person.directory })
      const dist = path.join(person.directory, "package", "dist")
      yield* recordsWith(person, path.join(dist, "main.mjs"), dist)
    }).pipe(Effect.scoped)
  )

  it.live("runs npm:lint-ai of a registry, and installs hooks that Deno runs", () =>
    Effect.gen(function* () {
      const person = yield* newPerson
      const registry = yield* registryOf([tarball("lint-ai")])
      const cache = path.join(person.directory, "deno")
      const more = { NPM_CONFIG_REGISTRY: registry, DENO_DIR: cache }
      const lintAi = yield* recordsWith(person, "npm:lint-ai", cache, more)
      yield* lintAi(["-A"], ["install", "claude", "--yes"])
      const settings = JSON.parse(fs.readFileSync(path.join(person.project, ".claude", "settings.local.json"), "utf8"))
      const command: string = settings.hooks.Stop[0].hooks[0].command
      assert.match(command, /^\S+deno run -A \S+\/main\.mjs hook claude \|\| exit 0$/)
      const { env } = permissionsOf(person, cache)
      const end = yield* as(person, "sh", ["-c", command], {
        cwd: person.home,
        stdin: payload(person).replace("p1", "p2"),
        env: { ...env, PATH: "/usr/bin:/bin" }
      })
      assert.strictEqual(end.stdout, "")
      const { sessions } = JSON.parse(yield* lintAi(["-A"], ["sessions", "list", "--json"]))
      assert.strictEqual(sessions[0].event_count, 2)
      assert.include(yield* lintAi(["-A"], ["doctor"]), "cache of packages")
    }).pipe(Effect.scoped)
  )
})
