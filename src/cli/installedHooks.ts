import * as Effect from "effect/Effect"
import { type Provider, providerTitles } from "../domain/provider.ts"
import { hookProgram } from "../providers/hookProgram.ts"
import { installerFor } from "../providers/installers.ts"

/** Whether a settings file that the agent uses starts a lint-ai that is there. */
export const hooksInstalled = Effect.fn("hooksInstalled")(function* (provider: Provider, projectRoot: string) {
  const installer = installerFor(provider)
  if (installer === undefined) return false
  const { files } = yield* installer.status({ project: projectRoot, program: yield* hookProgram })
  return files.some((file) => file.problem === undefined && file.hooks.some((hook) => hook.state !== "missing"))
})

/** For a person who turned something on without hooks that could do it. */
export const hooksMissing = (provider: Provider): string =>
  `But no hooks of lint-ai run in ${providerTitles[provider]} here, so nothing comes of it yet: lint-ai install ${provider}`
