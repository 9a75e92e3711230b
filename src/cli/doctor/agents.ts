import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Consent } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { endBudgetMs, hookBudgetMs } from "../../hook/hook.ts"
import { Host } from "../../platform/Host.ts"
import { definedEnv, runProcess } from "../../providers/agentProcess.ts"
import { antigravityCli } from "../../providers/antigravity/cli.ts"
import { readHookCommand } from "../../providers/hookCommand.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { installableProviders, installerFor } from "../../providers/installers.ts"
import { ProviderCli } from "../../providers/ProviderCli.ts"
import type { InstallStatus, RegisteredHook } from "../../providers/ProviderInstaller.ts"
import { type AgentFound, findAgent } from "../agentVersion.ts"
import { type Check, fail, noted, ok, warn } from "./Check.ts"

/** Each agent: whether it is here, and whether its hooks reach us. */
export const agentChecks = Effect.fn("agentChecks")(function* (projectRoot: string, consent: Consent) {
  const checks = yield* Effect.forEach(
    installableProviders,
    Effect.fnUntraced(function* (provider) {
      const agent = yield* findAgent(provider)
      const recording = consent._tag === "adopted" && consent.providers[provider]?.recording === true
      return yield* agentCheck(provider, projectRoot, agent, recording)
    }),
    { concurrency: "unbounded" }
  )
  return checks.flat()
})

const agentCheck = Effect.fnUntraced(function* (
  provider: Provider,
  project: string,
  agent: AgentFound,
  recording: boolean
) {
  const { version } = agent
  const name = providerTitles[provider]
  const installer = installerFor(provider)
  if (installer === undefined) return []
  const again = `lint-ai install ${provider}`
  const program = yield* hookProgram
  const status = yield* installer.status({ project, program, agentVersion: version })
  const files = status.files.filter((file) => file.hooks.length > 0)
  const found: Check = agent.version === undefined ? noted(name, agent.trouble) : ok(name, agent.version)
  const others = othersCheck(`${name} hooks`, status)
  if (files.length === 0) {
    return [
      found,
      recording
        ? fail(`${name} hooks`, "recording is on, but no hooks are installed", again)
        : noted(`${name} hooks`, "not installed")
    ]
  }
  const { env } = yield* Host
  return [
    found,
    ...hookChecks(`${name} hooks`, status, again, hookBudgetMs(env.LINT_AI_HOOK_TIMEOUT_MS), version),
    ...others,
    ...(provider === "antigravity" && version !== undefined ? [yield* loadedCheck(project)] : [])
  ]
})

/** Codex alone asks for trust. */
const trustRemedy = "lint-ai codex trust"

const hookChecks = (
  name: string,
  status: InstallStatus,
  again: string,
  budgetMs: number,
  version: string | undefined
): ReadonlyArray<Check> => {
  const files = status.files.filter((file) => file.hooks.length > 0)
  const hooks = files.flatMap((file) => file.hooks)
  const checks: Array<Check> = []
  for (const file of files) {
    if (file.problem === undefined) continue
    const remedy = file.untrusted === true ? trustRemedy : `mend it, then ${again}`
    checks.push(fail(name, `the agent does not use this file: ${file.problem}`, remedy))
  }
  for (const file of status.hooksOffIn) {
    checks.push(fail(name, `${file} switches all hooks off`, "remove that setting to be recorded"))
  }
  const skipped = files.filter((file) => file.problem === undefined).flatMap((file) => file.hooks)
  const untrusted = skipped.filter((hook) => hook.trust === "untrusted")
  if (untrusted.length > 0) {
    checks.push(
      fail(name, `${eventsOf(untrusted)} not trusted, so the agent skips ${theHooks(untrusted)}`, trustRemedy)
    )
  }
  const modified = skipped.filter((hook) => hook.trust === "modified")
  if (modified.length > 0) {
    checks.push(
      fail(
        name,
        `${eventsOf(modified)} changed since you trusted ${theHooks(modified)}: the agent skips that`,
        trustRemedy
      )
    )
  }
  const missing = hooks.find((hook) => hook.state === "missing" && hook.form !== "shared")
  const unfound = files.find((file) => file.hooks.some((hook) => hook.state === "missing" && hook.form === "shared"))
  if (unfound !== undefined) {
    checks.push(
      fail(
        name,
        `${unfound.path} names lint-ai without a path, and it is not on the PATH`,
        "npm install --global lint-ai"
      )
    )
  }
  if (missing !== undefined) checks.push(fail(name, `the program is gone: ${missing.command}`, again))
  const other = hooks.find((hook) => hook.state === "other")
  if (other !== undefined) checks.push(warn(name, `another lint-ai answers: ${other.program ?? other.command}`, again))
  const unwanted = hooks.filter((hook) => hook.state === "unwanted")
  // What a version knows that is not known cannot be told, and to install again would take out what it may know.
  if (unwanted.length > 0 && version !== undefined) {
    checks.push(
      warn(
        name,
        `registered for ${unwanted.map((hook) => hook.event).join(", ")}, which this version does not know or which are not recorded`,
        again
      )
    )
  }
  // What stands in a file that the agent does not use is registered: to install it again would change nothing.
  const missed = status.missing.filter((event) => !hooks.some((hook) => hook.event === event))
  if (missed.length > 0) checks.push(warn(name, `not registered for ${missed.join(", ")}`, again))
  if (status.repeated.length > 0) {
    checks.push(
      warn(name, `registered more than once for ${status.repeated.join(", ")}`, "uninstall from one of the files")
    )
  }
  const short = hooks.filter(({ event, timeoutMs }) => timeoutMs !== undefined && timeoutMs < budgetOf(event, budgetMs))
  if (short.length > 0) {
    const least = Math.min(...short.map((hook) => hook.timeoutMs ?? 0))
    checks.push(
      warn(
        name,
        `the agent ends ${eventsOf(short)} after ${least} ms, before lint-ai would give up itself: what is not written by then is lost`,
        `take the timeout out of ${[...new Set(files.filter((file) => file.hooks.some((hook) => short.includes(hook))).map((file) => file.path))].join(" and ")}, then ${again}; or set LINT_AI_HOOK_TIMEOUT_MS to less`
      )
    )
  }
  return checks.length > 0
    ? checks
    : [ok(name, `${counted(hooks.length, "event")} in ${files.map((file) => file.path).join(", ")}`)]
}

const eventsOf = (hooks: ReadonlyArray<RegisteredHook>): string => {
  const events = [...new Set(hooks.map((hook) => hook.event))]
  const shown = events.slice(0, 4).join(", ")
  return events.length > 4 ? `${shown} and ${events.length - 4} more` : shown
}
const theHooks = (hooks: ReadonlyArray<RegisteredHook>): string => (hooks.length === 1 ? "it" : "them")

/** The end of a session has less time than all else. */
const budgetOf = (event: string, budgetMs: number): number =>
  event === "SessionEnd" ? Math.min(budgetMs, endBudgetMs) : budgetMs

/** Whom else the agent runs at our events. Nothing is wrong with that: it explains what is slow, or what stops the agent. */
const othersCheck = (name: string, status: InstallStatus): ReadonlyArray<Check> => {
  const others = status.files.flatMap((file) => file.others.map((one) => ({ ...one, path: file.path })))
  const [first] = others
  if (first === undefined) return []
  const events = [...new Set(others.map((one) => one.event))].join(", ")
  return [
    noted(`${name} of others`, `${counted(others.length, "command")} of other tools at ${events}, as in ${first.path}`)
  ]
}

/**
 * Antigravity CLI leaves a whole file aside for one wrong shape, and tells it to its log alone: what it has loaded only it can say. The shape
 * of its answer is not documented, so any text in it that is a command of ours counts.
 */
const loadedCheck = Effect.fnUntraced(function* (project: string) {
  const name = `${providerTitles.antigravity} hooks, as it says itself`
  const { env } = yield* Host
  const answer = yield* Effect.gen(function* () {
    const program = yield* Effect.flatMap(ProviderCli, ({ find }) => find)
    return yield* runProcess({
      provider: "antigravity",
      program,
      args: ["-p", "/hooks", "--output-format", "json"],
      cwd: project,
      env: definedEnv(env),
      timeout: Duration.seconds(20)
    })
  }).pipe(
    Effect.provide(antigravityCli),
    Effect.catch((error) => Effect.succeed({ exitCode: 1, stdout: "", stderr: error.message }))
  )
  const texts = answer.stdout.split("\n").flatMap((line) => textsIn(parsed(line)))
  const whole = textsIn(parsed(answer.stdout))
  const loaded = [...texts, ...whole].some(
    (text) => readHookCommand(text, "antigravity") !== undefined || /lint-ai\S* hook antigravity/.test(text)
  )
  if (loaded) return ok(name, "`agy -p /hooks` lists lint-ai")
  if (answer.exitCode !== 0)
    return noted(name, "`agy -p /hooks` gives no answer", "sign in to Antigravity CLI, then look again")
  return fail(
    name,
    "`agy -p /hooks` does not list lint-ai",
    "look for other files in the same directory that it cannot read, then lint-ai install antigravity"
  )
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Every text in a value of JSON. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}
