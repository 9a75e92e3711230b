import * as Effect from "effect/Effect"
import { freezeBaseline } from "../replay/ReplayOrchestrator.ts"
import { sourceSession } from "../scenario/sourceSession.ts"
import type { Task } from "./openExperiment.ts"

/**
 * Freezes the recordings that scenarios are made of: an experiment refers to them, so their bytes never change again. One that is not there is no fault,
 * since only its prompts are needed; one that is another than when the scenario was made is.
 */
export const freezeSources = Effect.fnUntraced(function* (tasks: ReadonlyArray<Task>) {
  for (const { scenario, source } of tasks) {
    if (scenario.source_session === undefined) continue
    const session = yield* sourceSession(scenario.source_session, {
      projectRoot: source.projectRoot,
      provider: undefined,
      sessionRoot: undefined
    }).pipe(Effect.catchTag("SourceMissing", () => Effect.succeed(undefined)))
    if (session !== undefined) yield* freezeBaseline(session)
  }
})
