import type { ToolOutcome } from "../../domain/event.ts"

/**
 * PostToolBatch carries the answer to each call as the model sees it, and nothing else tells of a call that was denied or invalid. The words
 * are those of the shipped program (2.1.197 and 2.1.332), at the beginning of the answer, where output of a tool rarely looks like them.
 */
const answers: ReadonlyArray<readonly [outcome: ToolOutcome, pattern: RegExp]> = [
  ["interrupted", /^<tool_use_error>(?:Cancelled\b|Error: Streaming fallback)/],
  // An unknown tool, an input that does not fit, or one that the tool itself refuses before it runs.
  ["invalid", /^<tool_use_error>/],
  ["denied", /^Permission (?:to|for) [^\n]{1,1000}? denied\b/],
  ["denied", /^Claude requested permissions? to [^\n]{1,1000}? but you haven't granted it\b/],
  ["denied", /^The user doesn't want to (?:proceed with this tool use|take this action)\b/],
  ["denied", /^This \w{1,40} command contains multiple oper/],
  ["denied", /^[^\n]{0,200}\brequires approval\b/],
  ["denied", /^PreToolUse:\S{1,200} hook error: /],
  ["denied", /^Tool use is not allowed during compaction$/]
]

/** Why a call has no result, where its answer says so in the agent's own words. */
export const outcomeOfAnswer = (answer: unknown): ToolOutcome | undefined => {
  const text = firstText(answer)
  return text === undefined ? undefined : answers.find(([, pattern]) => pattern.test(text))?.[0]
}

/** An answer is text or content blocks. */
const firstText = (answer: unknown): string | undefined => {
  const first: unknown = Array.isArray(answer) ? answer[0] : answer
  if (typeof first === "string") return first
  if (typeof first === "object" && first !== null && "text" in first && typeof first.text === "string")
    return first.text
  return undefined
}
