import type { SettingsHome } from "../settingsHome.ts"

export const codexSettings: SettingsHome = { variable: "CODEX_HOME", usual: ".codex", credential: "auth.json" }
