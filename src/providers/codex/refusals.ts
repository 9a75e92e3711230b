import type { ToolOutcome } from "../../domain/event.ts"

/**
 * How the answer to a call begins that was refused or cut off: the words of 0.171.0, measured, but for those of the MCP dialogs, which are read
 * from the program. An answer that begins otherwise says nothing about an outcome.
 */
const answers: ReadonlyArray<readonly [outcome: ToolOutcome, pattern: RegExp]> = [
  // An unknown tool, an input that does not fit, or one that the tool refuses before it runs.
  ["invalid", /^unsupported call: /],
  ["invalid", /^failed to parse function arguments: /],
  ["invalid", /^apply_patch verification failed: /],
  ["denied", /^(?:Command|Tool call) blocked by PreToolUse hook: /],
  ["denied", /^exec_command failed(?: for [^\n]{0,2000}?)?: CreateProcess \{ message: "Rejected\(/],
  ["denied", /^approval policy is \w+; reject command\b/],
  ["denied", /^MCP tool call requires approval, but approval policy is \w+/],
  ["denied", /^user (?:rejected|cancelled) MCP tool call\b/],
  ["denied", /^rejected by user\b/],
  ["interrupted", /^aborted by user\b/],
  ["failed", /^unable to locate image at /],
  ["failed", /^exec_command failed\b/]
]

/** Codex puts the time that a tool took before what the tool said. */
const preamble = /^(?:Chunk ID: [^\n]*\n)?(?:Wall time:? [^\n]*\n)?(?:Output:\n?)?/

/** Why a call has no result; undefined when its answer does not say. */
export const outcomeOfAnswer = (answer: string): ToolOutcome | undefined => {
  const said = answer.replace(preamble, "")
  return answers.find(([, pattern]) => pattern.test(said))?.[0]
}

/** Whether the command of a call went on after its answer: its end comes later. */
export const isRunning = (answer: string): boolean =>
  /^Process running with session ID \d+$/m.test(answer.slice(0, 500))
