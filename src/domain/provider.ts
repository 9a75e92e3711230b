import * as Schema from "effect/Schema"

/** The coding agents that lint-ai knows. */
export const Provider = Schema.Literals(["claude", "codex", "gemini", "antigravity"])
export type Provider = typeof Provider.Type
export const providers: ReadonlyArray<Provider> = Provider.literals

/** What a person calls them. */
export const providerTitles: Record<Provider, string> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  antigravity: "Antigravity CLI"
}
