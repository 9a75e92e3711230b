import type { Provider } from "../domain/provider.ts"
import { antigravityMemory } from "./antigravity/memory.ts"
import { claudeMemory } from "./claude/memory.ts"
import { codexMemory } from "./codex/memory.ts"
import { geminiMemory } from "./gemini/memory.ts"
import type { ProviderMemory } from "./ProviderMemory.ts"

/** What memory knows of each provider. */
export const memories: Readonly<Record<Provider, ProviderMemory>> = {
  claude: claudeMemory,
  codex: codexMemory,
  gemini: geminiMemory,
  antigravity: antigravityMemory
}
