import { geminiAdapter } from "../providers/gemini/adapter.ts"
import { runHook } from "./main.ts"

/** The hook of Gemini CLI. */
export const run = runHook(geminiAdapter)
