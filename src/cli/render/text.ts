/**
 * Text from outside made ellipsis for a terminal: control characters, which could move the cursor or change its colours, and the characters that
 * turn the direction of writing become U+FFFD.
 */
export const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")

/** Columns that a text takes: wide East Asian characters take two, combining ones none (UAX 11, the usual ranges). */
export const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (/\p{M}/u.test(character) || code === 0x200b || code === 0x200d) continue
    width += wide.test(character) ? 2 : 1
  }
  return width
}
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** A text cut to a number of columns, with an ellipsis where something went. */
export const ellipsis = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text
  let kept = ""
  for (const character of text) {
    if (widthOf(kept + character) > columns - 1) break
    kept += character
  }
  return `${kept}…`
}

export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - widthOf(text)))

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
