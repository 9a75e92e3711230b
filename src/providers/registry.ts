import type { Provider } from "../domain/provider.ts"
import { antigravityAdapter } from "./antigravity/adapter.ts"
import { claudeAdapter } from "./claude/adapter.ts"
import { codexAdapter } from "./codex/adapter.ts"
import { geminiAdapter } from "./gemini/adapter.ts"
import type { ProviderAdapter } from "./ProviderAdapter.ts"

const adapters: Readonly<Record<Provider, ProviderAdapter>> = {
  claude: claudeAdapter,
  codex: codexAdapter,
  gemini: geminiAdapter,
  antigravity: antigravityAdapter
}

/** The adapter of a provider; undefined for one whose hooks lint-ai does not record. */
export const adapterFor = (provider: Provider): ProviderAdapter | undefined => adapters[provider]
