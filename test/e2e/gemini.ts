import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { inject } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { geminiInstaller, testedVersion } from "../../src/providers/gemini/install.ts"
import { applyPlan, type InstallOptions } from "../../src/providers/ProviderInstaller.ts"
import { type AgentPackage, installAgent } from "../support/agentCli.ts"
import type { FakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { endOf, type Finished, type Program, type RanTooLong, run, start } from "../support/program.ts"

const agent: AgentPackage = {
  name: "gemini",
  version: testedVersion,
  npmPackage: "@google/gemini-cli",
  platformPackages: ["@google/gemini-cli"],
  program: "bundle/gemini.js"
}

/** A script for node: the package has no program of its own. */
export const installGemini = installAgent(agent)

/** Hooks inherit it, so it must not turn up in an archive either. It looks like no key, so that no rule could find it. */
export const dummyKey = "the-dummy-key-in-the-environment"

/** Directories of one user with one project, and the environment in which all programs of a test run. */
export interface GeminiSandbox {
  readonly root: string
  readonly project: string
  /** `.gemini` of the user: settings and session files. */
  readonly geminiHome: string
  /** A compiled binary of the sandbox's own, which a test may break. */
  readonly lintAi: string
  readonly env: Readonly<Record<string, string>>
}

/** A user who has nothing yet but what Gemini CLI needs to run without a login. */
export const makeGeminiSandbox = (api: FakeGeminiApi): Effect.Effect<GeminiSandbox, never, Scope.Scope> =>
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
      const geminiHome = directory("home/.gemini")
      fs.writeFileSync(
        path.join(geminiHome, "settings.json"),
        JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false, sessionRetention: { enabled: false } }
        })
      )
      const lintAi = path.join(directory("bin"), "lint-ai")
      fs.linkSync(path.join(inject("builtProgram"), "lint-ai"), lintAi)
      return {
        root,
        project: directory("project"),
        geminiHome,
        lintAi,
        env: {
          PATH: `${path.join(root, "bin")}:/usr/local/bin:/usr/bin:/bin`,
          LANG: "C.UTF-8",
          HOME: home,
          TMPDIR: directory("tmp"),
          LINT_AI_CONFIG_DIR: directory("lint-ai-config"),
          LINT_AI_STATE_DIR: directory("lint-ai-state"),
          GEMINI_API_KEY: dummyKey,
          GOOGLE_GEMINI_BASE_URL: api.url,
          GEMINI_CLI_TRUST_WORKSPACE: "true",
          GEMINI_CLI_NO_RELAUNCH: "1"
        }
      }
    }
  )

/** The machine as the user of the sandbox has it. */
export const machineOf = ({ project, env }: GeminiSandbox) =>
  Layer.merge(
    Disk.layer,
    Host.layerTest({
      env,
      cwd: project,
      home: env.HOME ?? "/",
      platform: process.platform,
      randomHex: (bytes) => "ab".repeat(bytes)
    })
  )

/** Runs lint-ai as the user of the sandbox, in the project, with `--json`, and gives the document that it prints. */
export const lintAiJson = (sandbox: GeminiSandbox, ...args: ReadonlyArray<string>) =>
  Effect.map(
    run({ command: sandbox.lintAi, args: [...args, "--json"], cwd: sandbox.project, env: sandbox.env }),
    (end) => {
      if (end.exitCode !== 0)
        throw new Error(`lint-ai ${args.join(" ")} gave ${end.exitCode}: ${end.stdout}${end.stderr}`)
      return JSON.parse(end.stdout)
    }
  )

/** Registers the hooks in the user's settings, which any project obeys, and what is asked for besides. */
export const registerHooks = (sandbox: GeminiSandbox, extras: NonNullable<InstallOptions["extras"]> = []) =>
  geminiInstaller
    .planInstall({
      project: sandbox.project,
      scope: "user",
      program: { file: sandbox.lintAi, args: [] },
      agentVersion: testedVersion,
      extras
    })
    .pipe(Effect.flatMap(applyPlan), Effect.provide(machineOf(sandbox)))

/** Registers the hooks and turns recording on in the project. */
export const recordProject = (sandbox: GeminiSandbox) =>
  Effect.andThen(registerHooks(sandbox), lintAiJson(sandbox, "record", "start", "gemini"))

/** Puts the agent on the PATH, as its npm package does. */
export const placeGemini = (gemini: string, { root }: GeminiSandbox): void =>
  fs.writeFileSync(path.join(root, "bin", "gemini"), `#!/bin/sh\nexec '${process.execPath}' '${gemini}' "$@"\n`, {
    mode: 0o755
  })

export interface GeminiSession {
  readonly prompt: string
  readonly flags?: ReadonlyArray<string>
}

const printing = (gemini: string, sandbox: GeminiSandbox, { prompt, flags = [] }: GeminiSession): Program => ({
  command: process.execPath,
  args: [
    ...[gemini, "-p", prompt, "-m", "gemini-2.5-flash", "-o", "json", "-e", "none"],
    ...["--approval-mode", "yolo", ...flags]
  ],
  cwd: sandbox.project,
  env: sandbox.env
})

/** What `gemini -o json` says at its end, as far as the tests look at it. */
export interface GeminiResult {
  readonly session_id?: string
  readonly response?: string
}

/** One whole `gemini -p`. */
export const runGemini = (
  gemini: string,
  sandbox: GeminiSandbox,
  session: GeminiSession
): Effect.Effect<Finished & { readonly result: GeminiResult }, RanTooLong> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = printing(gemini, sandbox, session)
      const end = yield* endOf(program, yield* start(program))
      return { ...end, result: end.stdout.startsWith("{") ? (JSON.parse(end.stdout) as GeminiResult) : {} }
    })
  )

/** A `gemini -p` that gets a signal when `moment` comes. */
export const interruptGemini = (
  gemini: string,
  sandbox: GeminiSandbox,
  session: GeminiSession,
  moment: Effect.Effect<unknown>,
  signal: NodeJS.Signals = "SIGINT"
): Effect.Effect<Finished, RanTooLong> =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = printing(gemini, sandbox, session)
      const running = yield* start(program)
      yield* Effect.raceFirst(moment, running.finished)
      yield* running.signal(signal)
      return yield* endOf(program, running)
    })
  )
