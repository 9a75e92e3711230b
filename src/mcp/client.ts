import type { Provider } from "../domain/provider.ts"

/** How each agent tells an MCP server about itself, measured; Antigravity CLI by the reports of others. */
interface ClientWords {
  /** Environment variable with the project's directory. */
  readonly projectDirectory: string | undefined
  /** Environment variable with the id of the session in which the server was started. */
  readonly sessionId: string | undefined
  /** Member of a call's `_meta` with the id of the session that calls. */
  readonly meta: string | undefined
  /** In the name of the client that `initialize` tells. */
  readonly name: RegExp
}

export const clientWords: Readonly<Record<Provider, ClientWords>> = {
  claude: {
    projectDirectory: "CLAUDE_PROJECT_DIR",
    sessionId: "CLAUDE_CODE_SESSION_ID",
    meta: undefined,
    name: /claude/i
  },
  codex: { projectDirectory: undefined, sessionId: undefined, meta: "sessionId", name: /codex/i },
  gemini: { projectDirectory: "GEMINI_PROJECT_DIR", sessionId: "GEMINI_SESSION_ID", meta: undefined, name: /gemini/i },
  antigravity: {
    projectDirectory: undefined,
    sessionId: undefined,
    meta: "antigravity.google/conversation_id",
    name: /antigravity|\bagy\b/i
  }
}

/** The agent behind a client's name; undefined for a client that is none of them. */
export const providerOfClient = (name: string): Provider | undefined =>
  (Object.keys(clientWords) as ReadonlyArray<Provider>).find((provider) => clientWords[provider].name.test(name))
