import * as path from "node:path"
import { policyRules } from "../policyText.ts"

/** The file of the skill below a directory that Claude Code reads: a project's `.claude`, or the user's configuration. */
export const skillFile = (claudeDirectory: string): string =>
  path.join(claudeDirectory, "skills", "lint-ai-memory", "SKILL.md")

/**
 * What Claude Code is told about the tools of lint-ai, and when it may use them. It names no path, because colleagues may read it.
 */
export const skillText = `---
name: lint-ai-memory
description: Use when the user asks what was decided, tried or done earlier in this project, or asks to record this session, to stop recording, or to turn lint-ai on or off.
---

# lint-ai

lint-ai is a local recorder and project memory. Its tools are \`mcp__lint-ai__search\`, \`mcp__lint-ai__list_memories\`, \`mcp__lint-ai__info\`, \`mcp__lint-ai__lint_ai_status\`, \`mcp__lint-ai__record_session\`, \`mcp__lint-ai__enable_lint_ai\` and \`mcp__lint-ai__disable_lint_ai\`.

## When the user asks about earlier work

Call \`mcp__lint-ai__search\` before you search the files. When it finds nothing, say so and go on with the files. \`mcp__lint-ai__list_memories\` shows what there is.

## When the user asks about recording

- "Record this session": \`mcp__lint-ai__record_session\` with \`{"action":"start"}\`. It records and puts nothing into your context.
- "Stop recording": \`{"action":"stop"}\`. Memory stays as it is, and nothing is deleted.
- "Is this being recorded?": \`mcp__lint-ai__lint_ai_status\`.
- "Turn lint-ai on": \`mcp__lint-ai__enable_lint_ai\`. It turns recording on too; say so.
- "Turn lint-ai off": \`mcp__lint-ai__disable_lint_ai\`. Recording goes on until it is stopped; say so.

All of it holds for this project and for Claude Code only. When the tools are not there, say that \`lint-ai record start claude\` does the same in a terminal, and leave it to the user.

## Rules

${policyRules}
`
