import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { cliFor } from "../providers/clis.ts"
import { ProviderCli } from "../providers/ProviderCli.ts"

/** What asking the installed agent for its version gave: `trouble` says in a few words why none was told. */
export type AgentFound = { readonly version: string } | { readonly version?: never; readonly trouble: string }

/** Asks the agent on the PATH for its version. */
export const findAgent = Effect.fn("findAgent")(function* (provider: Provider) {
  const missing: AgentFound = { trouble: "not on the PATH" }
  const cli = cliFor(provider)
  if (cli === undefined) return missing
  return yield* Effect.flatMap(ProviderCli, ({ version }) => version).pipe(
    Effect.map((version): AgentFound => ({ version })),
    Effect.catchTag("AgentMissing", () => Effect.succeed(missing)),
    Effect.catchTag("AgentUnusable", ({ program, reason }) =>
      Effect.succeed<AgentFound>({ trouble: `${program} cannot be used: ${reason}` })
    ),
    Effect.catchTag("AgentTooSlow", ({ program, limitMs }) =>
      Effect.succeed<AgentFound>({ trouble: `${program} did not tell its version within ${limitMs} ms` })
    ),
    Effect.provide(cli)
  )
})

/** The version that the installed agent names itself; undefined when there is none on the PATH, or when it does not say. */
export const agentVersion = (provider: Provider) => Effect.map(findAgent(provider), ({ version }) => version)
