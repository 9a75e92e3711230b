import * as Effect from "effect/Effect"
import { Configuration } from "./Configuration.ts"
import { Toggles } from "./Toggles.ts"

/** What holds for a project, by what its user has agreed to there. Who has read the consent already loads the configuration with that one. */
export const projectSettings = Effect.fn("projectSettings")(function* (projectRoot: string) {
  const toggles = yield* Toggles
  const configuration = yield* Configuration
  return yield* configuration.load(projectRoot, yield* toggles.read(projectRoot))
})
