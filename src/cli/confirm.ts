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
  const answer = yield* screen.ask(`${options.question} [y/N] `)
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) return yield* new Cancelled({})
})
