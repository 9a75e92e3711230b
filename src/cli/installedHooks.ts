import * as Effect from "effect/Effect"
import { type Provider, providerTitles } from "../domain/provider.ts"
import { hookProgram } from "../providers/hookProgram.ts"
import { installerFor } from "../providers/installers.ts"
import type { InstallStatus } from "../providers/ProviderInstaller.ts"

/** What a person who turns something on must know of the hooks that are to do it. */
export interface HooksThere {
  /** A settings file starts a lint-ai that is there. */
  readonly installed: boolean
  /** Why they do not run all the same, with what helps; undefined where they run. */
  readonly idle: string | undefined
}

export const hooksThere = Effect.fn("hooksThere")(function* (provider: Provider, projectRoot: string) {
  const installer = installerFor(provider)
  if (installer === undefined) return { installed: false, idle: withoutHooks(provider) } satisfies HooksThere
  const status = yield* installer.status({ project: projectRoot, program: yield* hookProgram })
  const hooks = status.files.flatMap((file) => file.hooks)
  return {
    installed: hooks.some((hook) => hook.state !== "missing"),
    idle: whyIdle(status)
  } satisfies HooksThere
})

const whyIdle = (status: InstallStatus): string | undefined => {
  const name = providerTitles[status.provider]
  const files = status.files.filter((file) => file.hooks.length > 0)
  if (status.hooksOffIn.length > 0 && files.length > 0) {
    return `${status.hooksOffIn.join(" and ")} switches all hooks of ${name} off, so nothing comes of it yet: remove that setting`
  }
  const used = files.filter((file) => file.problem === undefined).flatMap((file) => file.hooks)
  const there = used.filter((hook) => hook.state !== "missing")
  if (there.some((hook) => hook.trust === undefined || hook.trust === "trusted")) return undefined
  if (there.length > 0 || files.some((file) => file.untrusted === true)) {
    return `${name} does not trust the hooks of lint-ai here and runs none, so nothing comes of it yet: lint-ai codex trust`
  }
  const unused = files.find((file) => file.problem !== undefined)
  if (unused !== undefined && used.length === 0) {
    return `${name} does not use ${unused.path}, so nothing comes of it yet: ${unused.problem}`
  }
  return withoutHooks(status.provider)
}

const withoutHooks = (provider: Provider): string =>
  `no hooks of lint-ai run in ${providerTitles[provider]} here, so nothing comes of it yet: lint-ai install ${provider}`

/** The same in a document. */
export const hooksFields = ({ installed, idle }: HooksThere) => ({
  hooks_installed: installed,
  hooks_idle_because: idle ?? null
})
