import type { Provider } from "../domain/provider.ts"
import { claudeIsolation } from "./claude/isolation.ts"
import type { ProviderIsolation } from "./ProviderIsolation.ts"

/** How each agent is run apart from its user. Beside the table of who runs it (clis.ts). */
const isolations: Readonly<Partial<Record<Provider, ProviderIsolation>>> = {
  claude: claudeIsolation
}

export const isolationFor = (provider: Provider): ProviderIsolation | undefined => isolations[provider]
