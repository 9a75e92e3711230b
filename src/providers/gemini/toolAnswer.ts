import type { ToolOutcome } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import type { HookPayload } from "./payload.ts"

/**
 * How a call ended that AfterTool tells of; undefined when it worked.
 *
 * A failed tool has an `error`, but a shell command never: that it was cancelled, ran too long or gave another exit code than 0 stands in
 * the text for the model only. The words and their order are those of the shipped program (0.61.0). What follows the exit code is
 * written after the command's own output, so output that looks like it does not count, except as its very last line.
 */
export const outcomeOf = ({ tool_name, tool_response }: HookPayload): ToolOutcome | undefined => {
  if (!isObject(tool_response)) return undefined
  if (isObject(tool_response.error)) return "failed"
  if (tool_name !== "run_shell_command") return undefined
  const text = withoutFence(textOf(tool_response.llmContent))
  if (text.startsWith("Command was cancelled by user before it could ")) return "interrupted"
  if (text.startsWith("Command was automatically cancelled because it exceeded the timeout")) return "failed"
  return /\nExit Code: [1-9]\d*(?:\nSignal: \S+)?(?:\nBackground PIDs: [\d, ]+)?(?:\nProcess Group PGID: \d+)?$/.test(
    text
  )
    ? "failed"
    : undefined
}

/** What went wrong: the agent's own error, else the text for the model. */
export const errorOf = ({ tool_response }: HookPayload): unknown =>
  isObject(tool_response) && tool_response.error !== undefined
    ? tool_response.error
    : isObject(tool_response)
      ? withoutFence(textOf(tool_response.llmContent))
      : tool_response

/** The answer without what is for the screen only: in a terminal, a grid of styled spans with a cell for every column. */
export const responseOf = ({ tool_response }: HookPayload): unknown => {
  if (!isObject(tool_response) || !Array.isArray(tool_response.returnDisplay)) return tool_response
  const { returnDisplay: _, ...rest } = tool_response
  return rest
}

/** Text, or a list of parts for MCP tools and sub-agents. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("")
}

const withoutFence = (text: string): string =>
  /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/.exec(text)?.[1] ?? text
