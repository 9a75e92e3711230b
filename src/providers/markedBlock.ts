import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { planUndoing, planWriting } from "./settingsPlan.ts"

/**
 * A block of text of ours in a file that belongs to the user, such as GEMINI.md: between two markers that Markdown does not show.
 */
const begin = "<!-- lint-ai:begin -->"
const end = "<!-- lint-ai:end -->"

/** The change that puts the block at the end of the file, or makes the one that is there what it should be. */
export const planBlock = (provider: Provider, file: string, text: string, shared: boolean) =>
  planWriting(provider, file, shared, ({ file: { bytes } }) =>
    Effect.sync(() => {
      const before = (bytes ?? Buffer.alloc(0)).toString("latin1")
      const lineBreak = before.includes("\r\n") ? "\r\n" : "\n"
      const block = latin1([begin, ...text.trim().split("\n"), end].join(lineBreak))
      const there = blockIn(before)
      const after =
        there === undefined
          ? `${before}${separator(before, lineBreak)}${block}${lineBreak}`
          : before.slice(0, there.start) + block + before.slice(there.end)
      const change = there === undefined ? "add the block of lint-ai" : "correct the block of lint-ai"
      return {
        after: Buffer.from(after, "latin1"),
        changes: after === before ? [] : [change],
        installed: there !== undefined,
        emptyBefore: [],
        commands: []
      }
    })
  )

/** The change that takes the block out, with the blank line before it. */
export const planBlockRemoval = (provider: Provider, file: string) =>
  planUndoing(provider, file, ({ file: { bytes } }) =>
    Effect.sync(() => {
      const before = (bytes ?? Buffer.alloc(0)).toString("latin1")
      const there = blockIn(before)
      if (there === undefined) return { after: bytes ?? Buffer.alloc(0), changes: [], nothingLeft: false }
      const head = before.slice(0, there.start).replace(/(\r?\n)\r?\n$/, "$1")
      const after = head + before.slice(there.end).replace(/^\r?\n/, "")
      return {
        after: Buffer.from(after, "latin1"),
        changes: ["remove the block of lint-ai"],
        nothingLeft: after.trim() === ""
      }
    })
  )

const blockIn = (text: string): { readonly start: number; readonly end: number } | undefined => {
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start)
  return stop < 0 ? undefined : { start, end: stop + end.length }
}

/** A blank line between the user's text and the block. */
const separator = (before: string, lineBreak: string): string =>
  before === "" ? "" : before.endsWith("\n") ? lineBreak : lineBreak + lineBreak

/** The file is handled byte for byte, whatever its encoding; our own text is ASCII in UTF-8. */
const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")
