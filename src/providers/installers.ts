import type { Provider } from "../domain/provider.ts"
import { claudeInstaller } from "./claude/install.ts"
import { codexInstaller } from "./codex/install.ts"
import type { ProviderInstaller } from "./ProviderInstaller.ts"

/** Who installs the hooks of each provider. Apart from the adapters, because the hook never installs anything. */
const installers: Readonly<Partial<Record<Provider, ProviderInstaller>>> = {
  claude: claudeInstaller,
  codex: codexInstaller
}

export const installerFor = (provider: Provider): ProviderInstaller | undefined => installers[provider]
export const installableProviders: ReadonlyArray<Provider> = Object.keys(installers) as ReadonlyArray<Provider>
