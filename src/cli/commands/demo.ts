import { Command } from "effect/cli"
import * as Effect from "effect/Effect"

export const demoCommand = Command.make("demo", {}, () => Effect.void)
