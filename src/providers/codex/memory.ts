import { isObject } from "../../domain/jsonObject.ts"
import { additionalContext, type ProviderMemory, type TranscriptMessage, textOfBlocks } from "../ProviderMemory.ts"

/** What Codex itself puts into the user's place: the environment, instructions of the project, skills. */
const notTheUser =
  /^(?:<(?:environment_context|user_instructions|permissions|skill|user_shell_command|turn_aborted)|# AGENTS\.md)/

/**
 * Codex 0.171.0: context of these events becomes a message of the developer. More than 2,500 tokens are put into a file; Codex counts four bytes
 * a token, and ours stay well under it also where it counts otherwise. Subagents of the first generation send prompts too: those are not asked for.
 */
export const codexMemory: ProviderMemory = {
  takesContext: (event, payload) =>
    (event === "SessionStart" || event === "UserPromptSubmit") &&
    !(isObject(payload) && payload.agent_id !== undefined),
  answer: additionalContext,
  mostBytes: 7_000,
  messageOf: (line): TranscriptMessage | undefined => {
    if (!isObject(line) || line.type !== "response_item" || !isObject(line.payload)) return undefined
    const { type, role, content } = line.payload
    if (type !== "message") return undefined
    const text = textOfBlocks(content, ["text", "input_text", "output_text"])
    if (text.trim() === "") return undefined
    if (role === "assistant") return { role, text }
    return role === "user" && !notTheUser.test(text.trimStart()) ? { role, text } : undefined
  }
}
