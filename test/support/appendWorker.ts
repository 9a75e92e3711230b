import * as Effect from "effect/Effect"
import { blockingPause, Pause } from "../../src/archive/LockService.ts"
import { append, prompt } from "./events.ts"
import { machineOf, type TestUser } from "./recording.ts"

// A process of its own that appends prompts to the session of a test, one by one, with the lock of the hook. argv: the user as JSON, a name, how many.
const [, , user = "", name = "", count = "0"] = process.argv
const who: TestUser = JSON.parse(user)

const all = Effect.gen(function* () {
  for (let n = 0; n < Number(count); n++) {
    const result = yield* append(who, [prompt(`${name}-${n}`)], { lockWaitMs: 60_000 })
    if (result._tag !== "Appended") throw new Error(result._tag)
  }
})
Effect.runSync(all.pipe(Effect.provide(machineOf(who)), Effect.provideService(Pause, blockingPause)))
