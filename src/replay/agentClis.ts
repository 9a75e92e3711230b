import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ChildProcessSpawner } from "effect/process"
import type { Provider } from "../domain/provider.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { cliFor } from "../providers/clis.ts"
import { ProviderCli } from "../providers/ProviderCli.ts"

type Cli = Context.Service.Shape<typeof ProviderCli>

/** The program of each agent; undefined for one that lint-ai cannot start. A reference, so that tests have others. */
export const AgentClis = Context.Reference<
  (provider: Provider) => Effect.Effect<Cli | undefined, never, Disk | Host | ChildProcessSpawner.ChildProcessSpawner>
>("lint-ai/replay/AgentClis", {
  defaultValue: () => (provider) => {
    const layer = cliFor(provider)
    return layer === undefined
      ? Effect.succeed(undefined)
      : // Apart: it is built with the host that is asked, which two places have not in common.
        Effect.provide(ProviderCli, layer, { local: true })
  }
})
