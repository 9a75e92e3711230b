import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { cliFor } from "../providers/clis.ts"
import { ProviderCli } from "../providers/ProviderCli.ts"

/** The version that the installed agent names itself; undefined when there is none on the PATH, or when it does not say. */
export const agentVersion = Effect.fn("agentVersion")(function* (provider: Provider) {
  const cli = cliFor(provider)
  if (cli === undefined) return undefined
  return yield* Effect.flatMap(ProviderCli, ({ version }) => version).pipe(
    Effect.provide(cli),
    Effect.orElseSucceed(() => undefined)
  )
})
