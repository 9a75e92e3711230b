import { widthOf } from "./text.ts"

const escapes = /\u001b\[[0-9;]*m/g
const visible = (text: string): string => text.replace(escapes, "")

/** A line that holds nothing but a command, a path or an id to copy, maybe with a label before it. */
const isToCopy = (line: string): boolean => /^\s*([A-Za-z]+:? +)?(lint-ai |[/~.]\S*$|\S+$)/.test(line)

/** What a line begins with before its text: the lines that continue it begin below that. */
const opening = /^ *(?:(?:- |→ |\d+\. |ok {2,}|note {2,}|warn {2,}|FAIL {2,}))?/

/**
 * A drawn text whose lines are no wider than the terminal, as far as words allow: longer ones go on below their own beginning. What is to be copied
 * stays whole: a command between backticks, a path, a line that is nothing else.
 */
export const fitted = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      const seen = visible(line)
      return widthOf(seen) <= columns || isToCopy(seen) ? [line] : wrapped(line, columns)
    })
    .join("\n")

const wrapped = (line: string, columns: number): ReadonlyArray<string> => {
  const [start = ""] = opening.exec(visible(line)) ?? []
  const hang = " ".repeat(Math.min(widthOf(start), Math.floor(columns / 3)))
  const lines: Array<string> = []
  const [first = "", ...words] = unbroken(line)
  let current = first
  for (const word of words) {
    const next = `${current} ${word}`
    if (widthOf(visible(next)) > columns && visible(current).trim() !== "") {
      lines.push(current.trimEnd())
      current = hang + word
    } else current = next
  }
  return [...lines, current]
}

/** The words of a line; what stands between backticks is one. */
const unbroken = (line: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  let open = false
  for (const word of line.split(" ")) {
    const last = words.length - 1
    if (open) words[last] = `${words[last]} ${word}`
    else words.push(word)
    if ((word.split("`").length - 1) % 2 === 1) open = !open
  }
  return words
}
