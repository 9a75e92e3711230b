import * as fs from "node:fs"
import * as path from "node:path"
import type { Provider } from "../../src/domain/provider.ts"
import { captured, claudeSequence, type Payload } from "./sessions.ts"

const fixtures = path.join(import.meta.dirname, "../fixtures")

/** The captured files of a provider whose session is one of `ids`, by the events that a session has, in that order. */
const gathered = (provider: Provider, order: ReadonlyArray<string>): ReadonlyArray<Payload> => {
  const names = fs.readdirSync(path.join(fixtures, provider)).filter((name) => name.endsWith(".json"))
  const rank = (name: string) => order.findIndex((event) => new RegExp(`^${event}-\\d`).test(name))
  const chosen = names
    .filter((name) => rank(name) >= 0)
    .sort((left, right) => rank(left) - rank(right) || left.localeCompare(right, "en", { numeric: true }))
    .map((name) => name.slice(0, -".json".length))
  return captured(provider, chosen)
}

/** Sessions of all four providers: captured whole where whole ones were captured, else of captured payloads. */
export const everySession: ReadonlyArray<
  readonly [name: string, provider: Provider, payloads: ReadonlyArray<Payload>]
> = [
  ...fs
    .readdirSync(path.join(fixtures, "claude/sequences"))
    .map((file) => path.basename(file, ".jsonl"))
    .map((name) => [`claude ${name}`, "claude", claudeSequence(name)] as const),
  [
    "codex",
    "codex",
    gathered("codex", [
      "session-start",
      "user-prompt-submit",
      "pre-model-request",
      "post-model-request",
      "pre-tool-use",
      "permission-request",
      "post-tool-use",
      "subagent-start",
      "subagent-stop",
      "pre-compact",
      "post-compact",
      "stop",
      "session-end"
    ])
  ],
  [
    "gemini",
    "gemini",
    gathered("gemini", [
      "SessionStart",
      "BeforeAgent",
      "BeforeTool",
      "AfterTool",
      "PreCompress",
      "AfterAgent",
      "SessionEnd"
    ])
  ],
  [
    "antigravity",
    "antigravity",
    gathered("antigravity", ["SessionStart", "PreInvocation", "PostToolUse", "PostInvocation", "Stop"])
  ]
]
