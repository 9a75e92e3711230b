import * as Effect from "effect/Effect"
import { claudeVersions, installClaude } from "./claude.ts"
import { installCodex } from "./codex.ts"
import { installGemini } from "./gemini.ts"

/** Installs every agent before the tests: files that run at the same time would each download several hundred megabytes. */
export default () =>
  Effect.runPromise(
    Effect.all([...claudeVersions.map(installClaude), installCodex, installGemini], { concurrency: 2, discard: true })
  )
