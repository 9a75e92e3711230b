import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "smol-toml"
import type { Arm } from "../../src/domain/arm.ts"
import { type Provider, providers } from "../../src/domain/provider.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { IsolatedAgent, type Place } from "../../src/replay/IsolatedAgent.ts"
import { notingAgents } from "../../src/replay/leftAgents.ts"
import { type Answering, armOf, isolatedAgentOf } from "../support/isolatedAgents.ts"
import { start } from "../support/program.ts"
import { machineOf, newUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

const silent: Answering = () => Effect.succeed({})

/** Makes a place of an arm, and looks at it while it is there. */
const inPlace = <A>(
  user: TestUser,
  arm: Arm,
  look: (place: Place) => A,
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly keep?: boolean
    readonly missing?: true
  } = {}
) =>
  Effect.gen(function* () {
    const agent = yield* IsolatedAgent
    const place = yield* agent.place({
      arm,
      source: { projectRoot: user.project, revision: undefined },
      below: path.join(user.directory, "below"),
      sessionsRoot: path.join(user.project, ".lint-ai", `${arm.provider}-sessions`),
      keep: options.keep
    })
    return look(place)
  }).pipe(Effect.scoped, Effect.provide(isolatedAgentOf(user, silent, options)))

const jsonIn = (...parts: ReadonlyArray<string>) => JSON.parse(fs.readFileSync(path.join(...parts), "utf8"))
const put = (file: string, content: string) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
}

/** Where each agent reads its hooks in a place. */
const hooksFile: Readonly<Record<Provider, string>> = {
  claude: "settings.json",
  codex: "hooks.json",
  gemini: ".gemini/settings.json",
  antigravity: ".gemini/config/hooks.json"
}
const eventsIn = (provider: Provider, place: Place): ReadonlyArray<string> => {
  const settings = jsonIn(place.settingsRoot, hooksFile[provider])
  return Object.keys(provider === "antigravity" ? settings["lint-ai"] : settings.hooks)
}

describe("a place for an arm", () => {
  for (const provider of providers) {
    it.live(`of ${provider} has nothing of the user but the login, and the hooks of this program`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        put(path.join(user.home, ".claude", "CLAUDE.md"), "mine")
        put(path.join(user.home, ".claude", "settings.json"), '{"hooks":{"Stop":[]},"model":"opus"}')
        put(path.join(user.home, ".codex", "AGENTS.md"), "mine")
        put(path.join(user.home, ".gemini", "GEMINI.md"), "mine")
        const before = snapshot(user.home)
        const seen = yield* inPlace(user, armOf(provider), (place) => ({
          place,
          hooks: fs.readFileSync(path.join(place.settingsRoot, hooksFile[provider]), "utf8"),
          all: JSON.stringify(snapshot(path.dirname(place.settingsRoot)))
        }))
        assert.include(seen.hooks, `/opt/lint-ai/dist/main.mjs hook ${provider}`)
        assert.isFalse(seen.all.includes("mine"))
        const { env } = seen.place
        const root = path.dirname(seen.place.settingsRoot)
        assert.isTrue(env.HOME?.startsWith(root))
        assert.isTrue(env.TMPDIR?.startsWith(root))
        assert.deepInclude(env, { LINT_AI_CONFIG_DIR: user.config, LINT_AI_STATE_DIR: user.state })
        assert.deepInclude(env, { GIT_CONFIG_PARAMETERS: "'core.hooksPath=/dev/null'" })
        assert.deepStrictEqual(snapshot(user.home), before)
        assert.isFalse(fs.existsSync(root))
        assert.match(seen.place.notes[0] ?? "", /^Login: none was found/)
      }).pipe(Effect.scoped)
    )

    it.live(`of ${provider} has only the hooks that all agents have where agents are compared`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const all = yield* inPlace(user, armOf(provider), (place) => eventsIn(provider, place))
        const common = yield* inPlace(user, armOf(provider, { profile: "hooks-common" }), (place) =>
          eventsIn(provider, place)
        )
        assert.isAbove(common.length, 2)
        assert.includeMembers([...all], [...common])
        if (provider !== "antigravity") assert.isAbove(all.length, common.length)
      }).pipe(Effect.scoped)
    )
  }

  it.live("uses the user's login by a link, keeps a renewed one, and says so", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const login = path.join(user.home, ".claude", ".credentials.json")
      put(login, "old")
      const notes = yield* inPlace(user, armOf("claude"), (place) => {
        const linked = path.join(place.settingsRoot, ".credentials.json")
        assert.strictEqual(fs.readFileSync(linked, "utf8"), "old")
        // As an agent does that writes a new file and puts it in the place of the old one.
        fs.rmSync(linked)
        fs.writeFileSync(linked, "renewed")
        return place.notes
      })
      assert.strictEqual(fs.readFileSync(login, "utf8"), "renewed")
      assert.include(notes[0] ?? "", `Login: ${login}, by a link`)
      const named = yield* inPlace(user, armOf("claude"), (place) => place.notes, {
        env: { ANTHROPIC_API_KEY: "the-key" }
      })
      assert.strictEqual(named[0], "Login: ANTHROPIC_API_KEY of your environment.")
      assert.include(named[1] ?? "", "these pass: ANTHROPIC_API_KEY.")
      assert.isFalse(named.join().includes("the-key"))
    }).pipe(Effect.scoped)
  )

  it.live("of Claude Code is told by its own switches what to read, and carries how to log in", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      put(
        path.join(user.home, ".claude", "settings.json"),
        JSON.stringify({ apiKeyHelper: "/bin/key", model: "opus", env: { ANTHROPIC_BASE_URL: "http://x", OTHER: "y" } })
      )
      put(
        path.join(user.home, ".claude.json"),
        JSON.stringify({ projects: { [user.project]: { hasTrustDialogAccepted: true } } })
      )
      const off = armOf("claude", { native_memory: false, instruction_files: false })
      yield* inPlace(user, off, (place) => {
        assert.deepInclude(place.env, {
          CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
          CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
          CLAUDE_CONFIG_DIR: place.settingsRoot
        })
        const { hooks: _, ...settings } = jsonIn(place.settingsRoot, "settings.json")
        assert.deepStrictEqual(settings, { apiKeyHelper: "/bin/key", env: { ANTHROPIC_BASE_URL: "http://x" } })
        assert.deepStrictEqual(jsonIn(place.settingsRoot, ".claude.json").projects, {
          [place.workspace]: { hasTrustDialogAccepted: true }
        })
      })
      const on = armOf("claude", { native_memory: true })
      yield* inPlace(user, on, ({ env }) => {
        assert.isUndefined(env.CLAUDE_CODE_DISABLE_AUTO_MEMORY)
        assert.isUndefined(env.CLAUDE_CODE_DISABLE_CLAUDE_MDS)
      })
    }).pipe(Effect.scoped)
  )

  it.live("of Codex carries how the model is reached, trusts its own hooks, and switches by configuration", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      put(
        path.join(user.home, ".codex", "config.toml"),
        [
          'model = "m"\nmodel_provider = "mine"\nnotify = ["say"]\nmodel_catalog_json = "models.json"',
          '[model_providers.mine]\nbase_url = "http://x"\nenv_key = "MY_KEY"\nenv_http_headers = { "X-Org" = "MY_ORG" }',
          '[mcp_servers.other]\ncommand = "other"',
          `[projects."${user.project}"]\ntrust_level = "trusted"`
        ].join("\n\n")
      )
      const arm = armOf("codex", { instruction_files: false })
      const env = { MY_KEY: "k", MY_ORG: "o", OTHER_KEY: "x" }
      yield* inPlace(
        user,
        arm,
        (place) => {
          assert.deepInclude(place.env, { CODEX_HOME: place.settingsRoot, MY_KEY: "k", MY_ORG: "o" })
          assert.isUndefined(place.env.OTHER_KEY)
          // Codex makes no helpers where its home is among temporary files.
          assert.isFalse(place.settingsRoot.startsWith(place.env.TMPDIR ?? "?"))
          const config = parse(fs.readFileSync(path.join(place.settingsRoot, "config.toml"), "utf8"))
          assert.deepInclude(config, {
            model: "m",
            model_provider: "mine",
            model_catalog_json: path.join(user.home, ".codex", "models.json"),
            project_doc_max_bytes: 0,
            memories: { use_memories: false, generate_memories: false },
            projects: { [place.workspace]: { trust_level: "trusted" } }
          })
          assert.doesNotHaveAnyKeys(config, ["notify", "mcp_servers"])
          const { state } = config.hooks as { readonly state: Record<string, { readonly trusted_hash: string }> }
          assert.strictEqual(Object.keys(state).length, eventsIn("codex", place).length)
          assert.match(state[`${place.settingsRoot}/hooks.json:stop:0:0`]?.trusted_hash ?? "", /^sha256:[0-9a-f]{64}$/)
        },
        { env }
      )
    }).pipe(Effect.scoped)
  )

  it.live("of Gemini CLI keeps its sessions, is trusted, and says what cannot be switched off", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      put(
        path.join(user.home, ".gemini", "settings.json"),
        '{"security":{"auth":{"selectedType":"gemini-api-key"}},"mcpServers":{"x":{}},"general":{"vimMode":true}}'
      )
      put(path.join(user.home, ".gemini", "oauth_creds.json"), "login")
      const arm = armOf("gemini", { instruction_files: false })
      yield* inPlace(user, arm, (place) => {
        const { hooks: _, ...settings } = jsonIn(place.settingsRoot, ".gemini", "settings.json")
        assert.deepStrictEqual(settings, {
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false, sessionRetention: { enabled: false } }
        })
        assert.deepStrictEqual(jsonIn(place.settingsRoot, ".gemini", "trustedFolders.json"), {
          [place.workspace]: "TRUST_FOLDER"
        })
        assert.strictEqual(
          fs.readFileSync(path.join(place.settingsRoot, ".gemini", "oauth_creds.json"), "utf8"),
          "login"
        )
        assert.include(place.notes.join(), "GEMINI.md cannot be switched off")
        assert.include(place.notes.join(), "The replay trusts its copy")
      })
    }).pipe(Effect.scoped)
  )

  it.live("with the MCP server alone has it registered, and its reading tools allowed", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const arm = armOf("claude", { lint_ai: true, profile: "mcp-only", memory: { from: "empty" } })
      yield* inPlace(user, arm, (place) => {
        const { mcpServers } = jsonIn(place.settingsRoot, ".claude.json")
        assert.include(mcpServers["lint-ai"].args.join(" "), "mcp serve claude")
        assert.include(jsonIn(place.settingsRoot, "settings.json").permissions.allow, "mcp__lint-ai__search")
      })
      const off = armOf("claude", { profile: "mcp-only" })
      yield* inPlace(user, off, (place) => assert.isUndefined(jsonIn(place.settingsRoot, ".claude.json").mcpServers))
    }).pipe(Effect.scoped)
  )

  it.live("stays when it is to be kept", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const place = yield* inPlace(user, armOf("claude"), (one) => one, { keep: true })
      assert.isTrue(fs.existsSync(place.workspace))
      assert.include(place.notes.join("\n"), `The place stays: ${path.dirname(place.settingsRoot)}`)
      // Nobody takes it for what a killed replay left.
      yield* inPlace(user, armOf("claude"), () => undefined)
      assert.isTrue(fs.existsSync(place.workspace))
    }).pipe(Effect.scoped)
  )

  it.live("that a killed process left is removed by the next, and one of a process that runs is not", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const registry = path.join(user.state, "replay-places")
      const leave = (name: string, owner: object) => {
        const directory = path.join(user.directory, name)
        fs.mkdirSync(path.join(directory, "work"), { recursive: true })
        put(path.join(registry, `${name}.json`), JSON.stringify({ schema_version: 1, owner, directory }))
        return directory
      }
      const owner = yield* inPlace(user, armOf("claude"), () => {
        const [name = ""] = fs.readdirSync(registry)
        return jsonIn(registry, name).owner as { readonly boot: string }
      })
      const gone = { ...owner, boot: "another-boot" }
      const left = leave(`lint-ai-place-${"0".repeat(16)}`, gone)
      const running = leave(`lint-ai-place-${"1".repeat(16)}`, owner)
      // What is not named like a place is not removed, whatever the file says.
      const foreign = leave("documents", gone)
      // One that cannot be removed keeps none of the others.
      const file = path.join(user.directory, "a-file")
      put(file, "")
      const stuck = `lint-ai-place-${"0".repeat(15)}`
      const entry = { schema_version: 1, owner: gone, directory: path.join(file, `${stuck}0`) }
      put(path.join(registry, `${stuck}.json`), JSON.stringify(entry))
      yield* inPlace(user, armOf("claude"), () => undefined)
      assert.deepStrictEqual(
        [left, running, foreign].map((directory) => fs.existsSync(directory)),
        [false, true, true]
      )
      assert.isTrue(fs.existsSync(path.join(registry, `${stuck}.json`)))
    }).pipe(Effect.scoped)
  )

  it.live(
    "that a killed process left is removed with the agent that still runs in it, and nobody who only has its pid",
    () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const registry = path.join(user.state, "replay-places")
        const owner = yield* inPlace(user, armOf("claude"), () => {
          const [name = ""] = fs.readdirSync(registry)
          return jsonIn(registry, name).owner as { readonly boot: string }
        })
        const name = `lint-ai-place-${"0".repeat(16)}`
        const directory = path.join(user.directory, name)
        fs.mkdirSync(directory)
        const sleeper = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], cwd: "/", env: {} }
        const [left, other] = [yield* start(sleeper), yield* start(sleeper)]
        yield* Effect.gen(function* () {
          const note = yield* notingAgents(directory)
          yield* note(left.pid)
          yield* note(other.pid)
        }).pipe(Effect.provide(machineOf(user)))
        // Somebody else has got the pid since.
        const noted = path.join(directory, "agents", `${other.pid}.json`)
        put(noted, JSON.stringify({ ...jsonIn(noted), start: "1" }))
        put(
          path.join(registry, `${name}.json`),
          JSON.stringify({ schema_version: 1, owner: { ...owner, boot: "another-boot" }, directory })
        )
        yield* inPlace(user, armOf("claude"), () => undefined)
        assert.strictEqual((yield* left.finished).signal, "SIGKILL")
        yield* other.signal("SIGTERM")
        assert.strictEqual((yield* other.finished).signal, "SIGTERM")
        assert.isFalse(fs.existsSync(directory))
      }).pipe(Effect.scoped)
  )

  it.live("is refused with a sentence where the agent is not there", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const failure = yield* Effect.flip(inPlace(user, armOf("claude"), () => undefined, { missing: true }))
      assert.strictEqual(
        failure.message,
        'The arm "claude-off" cannot be set up: Claude Code was not found: there is no claude on the PATH. Install it, or put its directory on the PATH.'
      )
      assert.deepStrictEqual(fs.readdirSync(path.join(user.directory, "below")), [])
    }).pipe(Effect.scoped)
  )

  it.live("is refused where the project is not there: the session came from another machine", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const elsewhere = { ...user, project: "/home/somebody/else" }
      const failure = yield* Effect.flip(inPlace(elsewhere, armOf("claude"), () => undefined))
      assert.include(failure.message, "its project is not there: /home/somebody/else.")
    }).pipe(Effect.scoped)
  )
})

describe("the memory of an arm with lint-ai", () => {
  const remember = (user: TestUser, text: string, created: string, root = user.project) =>
    Effect.gen(function* () {
      const store = yield* MemoryStore
      const place = yield* memoryPlace(root, "claude")
      const about = { sessionId: "claude:s1", place: "turn/1", revision: null, branch: null }
      yield* store.add(place, [{ kind: "outcome", text, identity: [text], created, ...about }])
    }).pipe(Effect.provide(machineOf(user), { local: true }))

  const linesOf = (place: Place): string => {
    const directory = path.join(path.dirname(place.settingsRoot), "memory", ".lint-ai", "claude-memory", "segments")
    return fs.existsSync(directory)
      ? fs
          .readdirSync(directory)
          .map((name) => fs.readFileSync(path.join(directory, name), "utf8"))
          .join("")
      : "none"
  }
  const enabled = (memory: Arm["memory"]) => armOf("claude", { lint_ai: true, memory })

  it.live("is the project's as it was when the baseline began, and the project's stays as it is", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* remember(user, "known before", "2026-08-01T00:00:00.000Z")
      yield* remember(user, "found out later", "2026-08-03T00:00:00.000Z")
      const before = snapshot(user.project)
      const memory = { from: "project", as_of: "2026-08-02T00:00:00.000Z" } as const
      const { lines, notes } = yield* inPlace(user, enabled(memory), (place) => ({
        lines: linesOf(place),
        notes: place.notes.join("\n")
      }))
      assert.include(lines, "known before")
      assert.notInclude(lines, "found out later")
      assert.include(notes, "the project's, as it was at 2026-08-02T00:00:00.000Z, 1 memory.")
      assert.deepStrictEqual(snapshot(user.project), before)
      const whole = yield* inPlace(user, enabled({ from: "project" }), linesOf)
      assert.include(whole, "found out later")
      assert.strictEqual(yield* inPlace(user, armOf("claude"), linesOf), "none")
    }).pipe(Effect.scoped)
  )

  it.live("is refused when there is nothing to find, unless an empty one is asked for", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* remember(user, "found out later", "2026-08-03T00:00:00.000Z")
      const memory = { from: "project", as_of: "2026-08-02T00:00:00.000Z" } as const
      const failure = yield* Effect.flip(inPlace(user, enabled(memory), linesOf))
      assert.match(
        failure.message,
        /there is nothing for it to find: .*claude-memory holds no memory of yours from before 2026-08-02.*--empty-memory/
      )
      assert.strictEqual(yield* inPlace(user, enabled({ from: "empty" }), linesOf), "")
    }).pipe(Effect.scoped)
  )

  it.live("may be a copy of another one, by its directory or its project, of what the user's key signed", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const named = path.join(user.directory, "named")
      fs.mkdirSync(named)
      yield* remember(user, "in the named one", "2026-08-01T00:00:00.000Z", named)
      const stranger = userIn(user.directory, "stranger")
      yield* remember(stranger, "of a stranger", "2026-08-01T00:00:00.000Z")
      const from = (directory: string) => inPlace(user, enabled({ from: "named", directory }), linesOf)
      assert.include(yield* from(named), "in the named one")
      assert.include(yield* from(path.join(named, ".lint-ai", "claude-memory")), "in the named one")
      assert.match((yield* Effect.flip(from(stranger.project))).message, /holds no memory of yours/)
      assert.match((yield* Effect.flip(from("/nowhere"))).message, /holds no memory of yours/)
    }).pipe(Effect.scoped)
  )
})
