import * as Effect from "effect/Effect"
import type { Consent } from "../../control/Toggles.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { counted } from "../../export/format.ts"
import { installableProviders, installerFor } from "../../providers/installers.ts"
import type { InstallStatus } from "../../providers/ProviderInstaller.ts"
import { agentVersion } from "../agentVersion.ts"
import { hookProgram } from "../hookProgram.ts"
import { type Check, fail, noted, ok, warn } from "./Check.ts"

/** Each agent: whether it is here, and whether its hooks reach us. */
export const agentChecks = Effect.fn("agentChecks")(function* (projectRoot: string, consent: Consent) {
  const checks: Array<Check> = []
  for (const provider of installableProviders) {
    const version = yield* agentVersion(provider)
    const recording = consent._tag === "adopted" && consent.providers[provider]?.recording === true
    checks.push(...(yield* agentCheck(provider, projectRoot, version, recording)))
  }
  return checks
})

const agentCheck = Effect.fnUntraced(function* (
  provider: Provider,
  project: string,
  version: string | undefined,
  recording: boolean
) {
  const name = providerTitles[provider]
  const installer = installerFor(provider)
  if (installer === undefined) return []
  const again = `lint-ai install ${provider}`
  const status = yield* installer.status({ project, program: yield* hookProgram, agentVersion: version })
  const files = status.files.filter((file) => file.hooks.length > 0)
  const found: Check = version === undefined ? noted(name, "not on the PATH") : ok(name, version)
  if (files.length === 0) {
    return [
      found,
      recording
        ? fail(`${name} hooks`, "recording is on, but no hooks are installed", again)
        : noted(`${name} hooks`, "not installed")
    ]
  }
  return [found, ...hookChecks(`${name} hooks`, status, again)]
})

const hookChecks = (name: string, status: InstallStatus, again: string): ReadonlyArray<Check> => {
  const files = status.files.filter((file) => file.hooks.length > 0)
  const hooks = files.flatMap((file) => file.hooks)
  const checks: Array<Check> = []
  for (const file of files) {
    if (file.problem !== undefined)
      checks.push(fail(name, `the agent does not use ${file.path}: ${file.problem}`, `mend it, then ${again}`))
  }
  for (const file of status.hooksOffIn) {
    checks.push(fail(name, `${file} switches all hooks off`, "remove that setting to be recorded"))
  }
  const missing = hooks.find((hook) => hook.state === "missing")
  if (missing !== undefined) checks.push(fail(name, `the program is gone: ${missing.command}`, again))
  const other = hooks.find((hook) => hook.state === "other")
  if (other !== undefined) checks.push(warn(name, `another lint-ai answers: ${other.program ?? other.command}`, again))
  const unwanted = hooks.filter((hook) => hook.state === "unwanted")
  if (unwanted.length > 0) {
    checks.push(
      warn(
        name,
        `registered for ${unwanted.map((hook) => hook.event).join(", ")}, which this version does not know or which are not recorded`,
        again
      )
    )
  }
  if (status.missing.length > 0) checks.push(warn(name, `not registered for ${status.missing.join(", ")}`, again))
  if (status.repeated.length > 0) {
    checks.push(
      warn(name, `registered more than once for ${status.repeated.join(", ")}`, "uninstall from one of the files")
    )
  }
  return checks.length > 0
    ? checks
    : [ok(name, `${counted(hooks.length, "event")} in ${files.map((file) => file.path).join(", ")}`)]
}
