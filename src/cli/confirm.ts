import * as Effect from "effect/Effect"
import { Screen } from "../platform/Screen.ts"
import { Cancelled, NeedsConfirmation } from "./errors.ts"

/** Asks for a yes before `action`; `--yes` answers it. Without a terminal nobody can be asked, and nothing happens. */
export const confirm = Effect.fn("confirm")(function* (options: {
  readonly question: string
  readonly action: string
  readonly yes: boolean
}) {
  if (options.yes) return
  const screen = yield* Screen
  if (!screen.interactive) return yield* new NeedsConfirmation({ action: options.action })
  if (!(yield* confirmed(options.question))) return yield* new Cancelled({})
})

/** Asks for a yes; anything else is a no. */
export const confirmed = Effect.fn("confirmed")(function* (question: string) {
  const screen = yield* Screen
  const answer = yield* screen.ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer?.trim() ?? "")
})
