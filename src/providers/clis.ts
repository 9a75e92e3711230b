import type * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process"
import type { Provider } from "../domain/provider.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { antigravityCli } from "./antigravity/cli.ts"
import { claudeCli } from "./claude/cli.ts"
import { codexCli } from "./codex/cli.ts"
import { geminiCli } from "./gemini/cli.ts"
import type { ProviderCli } from "./ProviderCli.ts"

type CliLayer = Layer.Layer<ProviderCli, never, Disk | Host | ChildProcessSpawner.ChildProcessSpawner>

/** Who runs each agent. Apart from the adapters, because the hook starts no agent. */
const clis: Readonly<Record<Provider, CliLayer>> = {
  claude: claudeCli,
  codex: codexCli,
  gemini: geminiCli,
  antigravity: antigravityCli
}

export const cliFor = (provider: Provider): CliLayer | undefined => clis[provider]
