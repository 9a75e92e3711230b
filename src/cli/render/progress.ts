import * as Effect from "effect/Effect"
import { Screen } from "../../platform/Screen.ts"
import { asciiOnly, ellipsis, harmless, pad, plain, widthOf } from "./text.ts"

const longestBar = 30
const shortestBar = 8

/**
 * How far something is, on one line of at most `width` columns: `replaying  ██████████░░░░░░░░  12/40  30%`.
 *
 * @param done steps that are done; taken for 0 below and for `total` above
 * @param total steps in all; 0 for work whose end is not known, which has no bar
 * @param label what is being done now; from outside, so made plain, and cut where the line is narrow. The bar goes before the label is cut short
 */
export const progressLine = (done: number, total: number, label: string, width: number): string => {
  const words = plain(label)
  if (!(total > 0)) return ellipsis(progressWords(done, total, label), width)
  const known = within(done, total)
  const counts = countsOf(known, total)
  const room = width - counts.length - 2
  if (room < 4) return ellipsis(counts.trim(), width)
  const bar = Math.min(longestBar, room - widthOf(words) - 2)
  if (bar < shortestBar) return `${pad(ellipsis(words, room), Math.min(room, widthOf(words)))}  ${counts}`
  const filled = Math.floor((known / total) * bar)
  return `${words}  ${"█".repeat(filled)}${"░".repeat(bar - filled)}  ${counts}`
}

/** The same where nothing is drawn, as in a pipe or a log: `replaying  12/40   30%`. */
export const progressWords = (done: number, total: number, label: string): string => {
  const known = within(done, total)
  const counts = total > 0 ? countsOf(known, total) : known > 0 ? String(known) : ""
  return `${plain(label)}${counts === "" ? "" : `  ${counts}`}`
}

const within = (done: number, total: number): number => Math.min(Math.max(0, done), total > 0 ? total : done)

/** Of the same width at every step, so that a line that is drawn over does not jump. */
const countsOf = (known: number, total: number): string =>
  `${String(known).padStart(String(total).length)}/${total}  ${String(Math.floor((known / total) * 100)).padStart(3)}%`

/** Tells a person how far a command is. */
export interface Progress {
  /** `done` steps are done, and `label` is what comes next or what was just done. */
  readonly step: (done: number, label: string) => Effect.Effect<void>
  /** A line that stays, above the one that is drawn over. */
  readonly note: (text: string) => Effect.Effect<void>
}

/**
 * Runs `use` with a progress of `total` steps on stderr: on a terminal one line that is drawn over and is gone at the end, however that comes; else
 * a line for each step. `quiet` shows nothing, for `--json`.
 */
export const withProgress = <A, E, R>(
  options: { readonly total: number; readonly quiet?: boolean },
  use: (progress: Progress) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Screen> =>
  Effect.flatMap(Screen, (screen) => {
    if (options.quiet === true) return use({ step: () => Effect.void, note: () => Effect.void })
    const err = (text: string) => screen.err(screen.unicode ? text : asciiOnly(text))
    const line = (done: number, label: string) => progressLine(done, options.total, label, screen.columns - 1)
    if (!screen.redraws.err) {
      return use({
        step: (done, label) => err(`${progressWords(done, options.total, label)}\n`),
        note: (text) => err(`${harmless(text)}\n`)
      })
    }
    let last = ""
    const draw = (text: string) => {
      last = text
      // One write: carriage return, the line, and whatever the last one had beyond it erased.
      return err(`\r${text}\u001b[K`)
    }
    return Effect.ensuring(
      use({
        step: (done, label) => draw(line(done, label)),
        note: (text) => Effect.andThen(err(`\r\u001b[K${harmless(text)}\n`), draw(last))
      }),
      Effect.suspend(() => (last === "" ? Effect.void : err("\r\u001b[K")))
    )
  })
