import type * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process"
import type { Provider } from "../domain/provider.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { claudeCli } from "./claude/cli.ts"
import { codexCli } from "./codex/cli.ts"
import type { ProviderCli } from "./ProviderCli.ts"

type CliLayer = Layer.Layer<ProviderCli, never, Disk | Host | ChildProcessSpawner.ChildProcessSpawner>

/** Who runs each agent. Apart from the adapters, because the hook starts no agent. */
const clis: Readonly<Partial<Record<Provider, CliLayer>>> = { claude: claudeCli, codex: codexCli }

export const cliFor = (provider: Provider): CliLayer | undefined => clis[provider]
