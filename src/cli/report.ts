import * as Effect from "effect/Effect"
import { Screen } from "../platform/Screen.ts"
import { asciiOnly, harmless, harmlessJson, type Styles, styles } from "./render/text.ts"

/** How a report is drawn: the width and the colours of the terminal. */
export interface Look {
  readonly columns: number
  readonly style: Styles
}

/** Prints a report: its data as one JSON document, or drawn for a person. */
export const report = Effect.fn("report")(function* <A>(json: boolean, data: A, draw: (data: A, look: Look) => string) {
  const screen = yield* Screen
  yield* json
    ? screen.out(harmlessJson(`${JSON.stringify(data, undefined, 2)}\n`))
    : print(draw(data, { columns: screen.columns, style: styles(screen.colors) }))
})

/** Prints what was drawn for a person, in characters that the terminal has. */
export const print = (text: string): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, (screen) => screen.out(screen.unicode ? harmless(text) : asciiOnly(harmless(text))))

/** A word to the person beside the report, on stderr. */
export const note = (text: string): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, (screen) => screen.err(screen.unicode ? harmless(text) : asciiOnly(harmless(text))))
