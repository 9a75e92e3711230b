import { eastAsianWidth } from "get-east-asian-width"

/**
 * Text from outside made plain for a terminal: control characters, which could move the cursor or change its colours, and the characters that
 * turn the direction of writing or are not seen at all become U+FFFD.
 */
export const plain = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu,
    "\ufffd"
  )

/**
 * What was drawn for a person, with nothing left in it that moves a cursor, sets a colour that is not ours or turns the direction of writing: the last look
 * at everything that is printed, should a field have got past `plain`. Stays: our own styles, and at the beginning what `redrawing` puts there.
 */
export const harmless = (text: string): string =>
  text.replace(
    /^\u001b\[\d+A\r\u001b\[J|\u001b\[(?:1|2|22|31|32|33|36|39)m|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (found) => (found.length > 1 ? found : found === "\t" ? "  " : "\ufffd")
  )

/** A JSON text that means the same, and holds none of the characters that a terminal obeys: JSON itself escapes only those below U+0020. */
export const harmlessJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7e) return false
  return true
}

let segmenter: Intl.Segmenter | undefined
/** What a reader takes for one character: a letter with its accents, an emoji of several code points. */
const charactersOf = (text: string): Iterable<{ readonly segment: string }> => {
  // Costs milliseconds to make, and most reports need none.
  segmenter ??= new Intl.Segmenter("en")
  return segmenter.segment(text)
}

/** Columns of one character: an emoji and a wide East Asian one take two, one that only combines takes none (UAX 11, UTS 51). */
const columnsOf = (character: string): number => {
  if (emoji.test(character)) return 2
  let columns = 0
  for (const part of character) if (!invisible.test(part)) columns += eastAsianWidth(part.codePointAt(0) ?? 0)
  return columns
}
const emoji = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\d#*]\ufe0f?\u20e3)/u
/** Marks, format characters, and the vowels and ends of a Hangul syllable that is written letter by letter: its beginning is wide. */
const invisible = /^[\p{M}\p{Cf}\u1160-\u11ff]$/u

/** Columns that a text without control characters takes in a terminal. */
export const widthOf = (text: string): number => {
  if (isAscii(text)) return text.length
  let width = 0
  for (const { segment } of charactersOf(text)) width += columnsOf(segment)
  return width
}

/** A text cut to a number of columns, with an ellipsis where something went. */
export const ellipsis = (text: string, columns: number): string => {
  if (columns <= 0) return ""
  if (isAscii(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`
  let kept = ""
  let width = 0
  for (const { segment } of charactersOf(text)) {
    width += columnsOf(segment)
    if (width > columns) return `${kept}…`
    if (width < columns) kept += segment
  }
  return text
}

export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - widthOf(text)))

/**
 * A drawn text for a terminal whose character set is not Unicode: what we draw with has a likeness of the same width, anything else becomes a
 * question mark. Such a terminal would take bytes of UTF-8 for control characters.
 */
export const asciiOnly = (text: string): string => {
  if (isAscii(text)) return text
  let drawn = ""
  for (const { segment } of charactersOf(text)) {
    drawn += isAscii(segment) ? segment : (likenesses[segment] ?? "?".repeat(columnsOf(segment)))
  }
  return drawn
}
const likenesses: Readonly<Record<string, string>> = {
  "…": "~",
  "·": "-",
  "•": "*",
  "–": "-",
  "—": "-",
  "→": ">",
  "←": "<",
  "×": "x",
  "±": "~",
  "≤": "<",
  "≥": ">",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "✓": "+",
  "✗": "x",
  "█": "#",
  "▌": "=",
  "░": ".",
  "─": "-",
  "│": "|",
  "├": "|",
  "└": "`",
  "\u00a0": " "
}

/** Colours of a terminal, or none. */
export const styles = (colors: boolean) => {
  const style = (open: number, close: number) => (text: string) =>
    colors ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39)
  }
}
export type Styles = ReturnType<typeof styles>
