import type { Provider } from "../domain/provider.ts"
import { antigravityIsolation } from "./antigravity/isolation.ts"
import { claudeIsolation } from "./claude/isolation.ts"
import { codexIsolation } from "./codex/isolation.ts"
import { geminiIsolation } from "./gemini/isolation.ts"
import type { ProviderIsolation } from "./ProviderIsolation.ts"

/** How each agent is run apart from its user. Beside the table of who runs it (clis.ts). */
const isolations: Readonly<Record<Provider, ProviderIsolation>> = {
  claude: claudeIsolation,
  codex: codexIsolation,
  gemini: geminiIsolation,
  antigravity: antigravityIsolation
}

export const isolationFor = (provider: Provider): ProviderIsolation | undefined => isolations[provider]
