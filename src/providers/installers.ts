import type { Provider } from "../domain/provider.ts"
import { antigravityInstaller } from "./antigravity/install.ts"
import { claudeInstaller } from "./claude/install.ts"
import { codexInstaller } from "./codex/install.ts"
import { geminiInstaller } from "./gemini/install.ts"
import type { ProviderInstaller } from "./ProviderInstaller.ts"

/** Who installs the hooks of each provider. Apart from the adapters, because the hook never installs anything. */
const installers: Readonly<Record<Provider, ProviderInstaller>> = {
  claude: claudeInstaller,
  codex: codexInstaller,
  gemini: geminiInstaller,
  antigravity: antigravityInstaller
}

export const installerFor = (provider: Provider): ProviderInstaller | undefined => installers[provider]
export const installableProviders: ReadonlyArray<Provider> = Object.keys(installers) as ReadonlyArray<Provider>
