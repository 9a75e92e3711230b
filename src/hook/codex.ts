import { codexAdapter } from "../providers/codex/adapter.ts"
import { runHook } from "./main.ts"

/** The hook of Codex. */
export const run = runHook(codexAdapter)
