/** A message of a transcript, as memory reads it: who wrote it and its text, without what tools did. */
export interface TranscriptMessage {
  readonly role: "user" | "assistant"
  readonly text: string
}

/** What memory needs to know of one provider. Loaded only where memory is on. */
export interface ProviderMemory {
  /**
   * The hook events whose answer can carry context to the model, and on which of these it should.
   *
   * @param payload what the hook was given
   */
  readonly takesContext: (event: string, payload: unknown) => boolean
  /** The answer that carries it. */
  readonly answer: (event: string, context: string) => string
  /** Bytes of context beyond which the agent cuts it, or puts it elsewhere. */
  readonly mostBytes: number
  /** The hook tells an answer with pieces of it repeated: where the transcript has it already, it is taken from there. */
  readonly repeatsAnswers?: true
  /** The message on one line of a transcript, parsed; undefined for every other line. */
  readonly messageOf: (line: unknown) => TranscriptMessage | undefined
}

/** The form in which Claude Code, Codex and Gemini CLI read context. */
export const additionalContext = (event: string, context: string): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: context } })

/** The texts of a message's blocks of the given types; a text that stands alone counts as one. Tool blocks have other types. */
export const textOfBlocks = (content: unknown, types: ReadonlyArray<string>): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .flatMap((block: unknown) => {
      if (typeof block !== "object" || block === null) return []
      const { type, text } = block as { readonly type?: unknown; readonly text?: unknown }
      return typeof text === "string" && types.includes(typeof type === "string" ? type : "text") ? [text] : []
    })
    .join("\n")
}
