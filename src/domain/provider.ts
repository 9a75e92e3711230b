import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

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

/** A provider as archives name it: older recorders called two of them by their programs. */
export const ReadableProvider = Schema.Literals([...Provider.literals, "gemini-cli", "agy"]).pipe(
  Schema.decodeTo(
    Provider,
    SchemaTransformation.transform({
      decode: (name) => (name === "gemini-cli" ? "gemini" : name === "agy" ? "antigravity" : name),
      encode: (name) => name
    })
  )
)
