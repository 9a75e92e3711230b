import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { inject } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { startAppServer } from "../../src/providers/codex/appServer.ts"
import { testedVersion } from "../../src/providers/codex/install.ts"
import { listHooks, trustHooks, trustProject, untrusted } from "../../src/providers/codex/trust.ts"
import { type AgentPackage, installAgent } from "../support/agentCli.ts"
import { codexConfig } from "../support/codexConfig.mjs"
import type { FakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { endOf, type Finished, type Program, type RanTooLong, run, start } from "../support/program.ts"

const target = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-${
  process.platform === "darwin" ? "apple-darwin" : "unknown-linux-musl"
}`

const agent: AgentPackage = {
  name: "codex",
  version: testedVersion,
  npmPackage: "@openai/codex",
  platformPackages: [`@openai/codex-${process.platform}-${process.arch}`],
  program: `vendor/${target}/bin/codex`
}

export const installCodex = installAgent(agent)

/** Hooks inherit it, so it must not turn up in an archive either. It looks like no key, so that no rule could find it. */
export const dummyKey = "the-dummy-key-in-the-environment"

/** Directories of one user with one project, and the environment in which all programs of a test run. */
export interface CodexSandbox {
  readonly root: string
  readonly project: string
  readonly codexHome: string
  /** A compiled binary of the sandbox's own, which a test may break. It is on the PATH. */
  readonly lintAi: string
  readonly env: Readonly<Record<string, string>>
}

/** A user who has nothing yet but what Codex needs to reach the fake API and nobody else. */
export const makeCodexSandbox = (api: FakeResponsesApi): Effect.Effect<CodexSandbox, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-e2e-")))),
      (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
    ),
    (root) => {
      const directory = (name: string) => {
        const made = path.join(root, name)
        fs.mkdirSync(made)
        return made
      }
      const home = directory("home")
      const codexHome = directory("home/.codex")
      fs.writeFileSync(path.join(codexHome, "config.toml"), codexConfig(api.url))
      const lintAi = path.join(directory("bin"), "lint-ai")
      fs.linkSync(path.join(inject("builtProgram"), "lint-ai"), lintAi)
      return {
        root,
        project: directory("project"),
        codexHome,
        lintAi,
        env: {
          PATH: `${path.join(root, "bin")}:/usr/local/bin:/usr/bin:/bin`,
          LANG: "C.UTF-8",
          HOME: home,
          CODEX_HOME: codexHome,
          TMPDIR: directory("tmp"),
          LINT_AI_CONFIG_DIR: directory("lint-ai-config"),
          LINT_AI_STATE_DIR: directory("lint-ai-state"),
          DUMMY_KEY: dummyKey
        }
      }
    }
  )

/** Runs lint-ai as the user of the sandbox, with `--json`, and gives the document that it prints. */
export const lintAiJson = (sandbox: CodexSandbox, ...args: ReadonlyArray<string>) =>
  Effect.map(
    run({ command: sandbox.lintAi, args: [...args, "--json"], cwd: sandbox.project, env: sandbox.env }),
    (end) => {
      if (end.exitCode !== 0)
        throw new Error(`lint-ai ${args.join(" ")} gave ${end.exitCode}: ${end.stdout}${end.stderr}`)
      return JSON.parse(end.stdout)
    }
  )

/** Registers the hooks in the project and turns recording on. Codex does not run them yet: nobody has trusted them. */
export const installLintAi = (sandbox: CodexSandbox, ...flags: ReadonlyArray<string>) =>
  lintAiJson(
    sandbox,
    ...["install", "codex", sandbox.project, "--yes", "--session-recording", "capture-only", ...flags]
  )

/** An app-server of Codex, as the user of the sandbox would start it. */
export const appServer = (codex: string, sandbox: CodexSandbox) =>
  startAppServer({ program: codex, cwd: sandbox.project, env: sandbox.env, clientVersion: "0.0.0" })

/** What Codex says of the hooks of lint-ai in a directory. */
export const hooksOf = (codex: string, sandbox: CodexSandbox, cwd = sandbox.project) =>
  appServer(codex, sandbox).pipe(
    Effect.flatMap((server) => listHooks(server, cwd)),
    Effect.scoped,
    Effect.provide(NodeServices.layer)
  )

/** Trusts the project and what lint-ai has installed in it. */
export const trustAll = (codex: string, sandbox: CodexSandbox, cwd = sandbox.project) =>
  Effect.gen(function* () {
    const server = yield* appServer(codex, sandbox)
    yield* trustProject(server, sandbox.project)
    yield* trustHooks(server, untrusted(yield* listHooks(server, cwd)))
    return untrusted(yield* listHooks(server, cwd))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

export interface CodexSession {
  readonly prompt: string
  readonly flags?: ReadonlyArray<string>
  /** `resume` or `fork` of a session. */
  readonly of?: readonly [how: "resume" | "fork", id: string]
  readonly cwd?: string
}

const printing = (codex: string, sandbox: CodexSandbox, session: CodexSession): Program => ({
  command: codex,
  args: [
    ...["exec", ...(session.of ?? []).slice(0, 1), "--json", "--skip-git-repo-check"],
    ...(session.flags ?? []),
    ...(session.of ?? []).slice(1),
    session.prompt
  ],
  cwd: session.cwd ?? sandbox.project,
  env: sandbox.env
})

/** What `codex exec --json` tells, line by line, as far as the tests look at it. */
export interface CodexResult {
  readonly sessionId: string | undefined
  readonly answer: string | undefined
}

const resultOf = (stdout: string): CodexResult => {
  const lines = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
  return {
    sessionId: lines.find((line) => line.type === "thread.started")?.thread_id,
    answer: lines.filter((line) => line.item?.type === "agent_message").at(-1)?.item.text
  }
}

/** One whole `codex exec`. */
export const runCodex = (
  codex: string,
  sandbox: CodexSandbox,
  session: CodexSession
): Effect.Effect<Finished & { readonly result: CodexResult }, RanTooLong> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = printing(codex, sandbox, session)
      const end = yield* endOf(program, yield* start(program))
      return { ...end, result: resultOf(end.stdout) }
    })
  )

/** A `codex exec` that gets a signal when `moment` comes. */
export const interruptCodex = (
  codex: string,
  sandbox: CodexSandbox,
  session: CodexSession,
  moment: Effect.Effect<unknown>,
  signal: NodeJS.Signals = "SIGINT"
): Effect.Effect<Finished, RanTooLong> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = printing(codex, sandbox, session)
      const running = yield* start(program)
      yield* Effect.raceFirst(moment, running.finished)
      yield* running.signal(signal)
      return yield* endOf(program, running)
    })
  )
