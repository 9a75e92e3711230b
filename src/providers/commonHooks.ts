import type { Provider } from "../domain/provider.ts"

/**
 * The hook events of each agent that all agents have in one form or another: the session begins, a prompt, a tool call and what became of it, the turn
 * ends, the session ends. An experiment that compares agents registers these and no others, so that none is seen more closely than another. What an agent
 * lacks is absent from its row: Antigravity CLI tells neither of a call before its end nor of the end of a session.
 */
export const commonHooks: Readonly<Record<Provider, ReadonlyArray<string>>> = {
  claude: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"],
  // Codex tells its tokens there; the others' are read from their transcripts when a turn ends.
  codex: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostModelRequest", "Stop", "SessionEnd"],
  gemini: ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"],
  antigravity: ["SessionStart", "PreInvocation", "PostToolUse", "Stop"]
}
