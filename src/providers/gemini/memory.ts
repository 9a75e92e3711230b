import { isObject } from "../../domain/jsonObject.ts"
import { additionalContext, type ProviderMemory, type TranscriptMessage, textOfBlocks } from "../ProviderMemory.ts"
import { withoutContext } from "./injectedContext.ts"

/** What nobody said: a thought, and what a hook gave as context with a prompt, which is a part of its own. */
const isNotSaid = ({ thought, text }: Readonly<Record<string, unknown>>): boolean =>
  thought === true || (typeof text === "string" && /^<hook_context>[^<]*<\/hook_context>\s*$/.test(text))

/**
 * Gemini CLI 0.61.0: BeforeAgent is the only event whose context always arrives, as a part of the prompt. What SessionStart gives is lost when a
 * session is resumed at the terminal, and becomes a part of the recorded prompt elsewhere.
 */
export const geminiMemory: ProviderMemory = {
  takesContext: (event) => event === "BeforeAgent",
  answer: additionalContext,
  mostBytes: 8_000,
  repeatsAnswers: true,
  messageOf: (line): TranscriptMessage | undefined => {
    if (!isObject(line) || typeof line.id !== "string") return undefined
    const { type, content } = line
    if (Array.isArray(content) && content.some((part) => isObject(part) && part.functionResponse !== undefined)) {
      return undefined
    }
    const parts = Array.isArray(content) ? content.filter((part) => isObject(part) && !isNotSaid(part)) : content
    const text = textOfBlocks(parts, ["text"])
    if (text.trim() === "") return undefined
    if (type === "gemini") return { role: "assistant", text }
    if (type !== "user" || text.startsWith("<session_context>")) return undefined
    return { role: "user", text: String(withoutContext(text)) }
  }
}
