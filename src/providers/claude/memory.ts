import { isObject } from "../../domain/jsonObject.ts"
import { additionalContext, type ProviderMemory, type TranscriptMessage, textOfBlocks } from "../ProviderMemory.ts"

/** What Claude Code writes in the user's place: output of commands, ends of background tasks, interruptions. */
const notTheUser = /^(?:<(?:task-notification|command-|local-command-|bash-|system-reminder)|\[Request interrupted)/

/**
 * Claude Code, 2.1.197 and 2.1.332: context of these events reaches the model, up to 10,000 characters; more is put into a file, of which
 * the model sees the beginning.
 */
export const claudeMemory: ProviderMemory = {
  takesContext: (event) => event === "SessionStart" || event === "UserPromptSubmit" || event === "UserPromptExpansion",
  answer: additionalContext,
  mostBytes: 8_000,
  messageOf: (line): TranscriptMessage | undefined => {
    if (!isObject(line) || !isObject(line.message)) return undefined
    if (line.isSidechain === true || line.isMeta === true || line.isCompactSummary === true) return undefined
    if (line.isApiErrorMessage === true || line.message.model === "<synthetic>") return undefined
    const text = textOfBlocks(line.message.content, ["text"])
    if (text.trim() === "") return undefined
    if (line.type === "assistant") return { role: "assistant", text }
    return line.type === "user" && !notTheUser.test(text.trimStart()) ? { role: "user", text } : undefined
  }
}
