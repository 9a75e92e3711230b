import { claudeAdapter } from "../providers/claude/adapter.ts"
import { runHook } from "./main.ts"

/** The hook of Claude Code. */
export const run = runHook(claudeAdapter)
