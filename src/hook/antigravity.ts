import { antigravityAdapter } from "../providers/antigravity/adapter.ts"
import { runHook } from "./main.ts"

/** The hook of Antigravity CLI. */
export const run = runHook(antigravityAdapter)
