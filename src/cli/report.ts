import * as Effect from "effect/Effect"
import { Screen } from "../platform/Screen.ts"
import { fitted } from "./render/prose.ts"
import { asciiOnly, harmless, harmlessJson, type Styles, styles } from "./render/text.ts"

/** How a report is drawn: the width and the colours of the terminal. */
export interface Look {
  readonly columns: number
  readonly style: Styles
}

/** Prints a report: its data as one JSON document, or drawn for a person. */
export const report = Effect.fn("report")(function* <A>(json: boolean, data: A, draw: (data: A, look: Look) => string) {
  const screen = yield* Screen
  const look = { columns: screen.columns, style: styles(screen.colors) }
  // In a pipe a sentence stays on its line, where it can be searched for.
  const drawn = () => (screen.redraws.out ? fitted(draw(data, look), look.columns) : draw(data, look))
  yield* json ? screen.out(harmlessJson(`${JSON.stringify(data, undefined, 2)}\n`)) : print(drawn())
})

/** Prints what was drawn for a person, in characters that the terminal has. */
export const print = (text: string): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, (screen) => screen.out(screen.unicode ? harmless(text) : asciiOnly(harmless(text))))

/** A word to the person beside the report, on stderr. */
export const note = (text: string): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, (screen) => {
    const lines = screen.redraws.err ? fitted(harmless(text), screen.columns) : harmless(text)
    return screen.err(screen.unicode ? lines : asciiOnly(lines))
  })
