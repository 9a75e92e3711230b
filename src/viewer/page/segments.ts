/** A piece of recorded text: as it is, the mark of a redaction, or a character that would not be seen or would change how others are read. */
export type Segment =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Redaction"; readonly rule: string }
  | { readonly _tag: "Control"; readonly code: string; readonly shown: string; readonly meaning: string }

/**
 * Redaction marks; control characters but tab and newline; and those that turn the direction of writing (UAX 9) or are invisible. Zero-width
 * joiners stay: emoji are made with them.
 */
const special =
  /\[REDACTED:([a-z0-9][a-z0-9-]*)\]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

/** Of the control characters, in their order (ISO 646). */
const abbreviations =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " "
  )

const meanings: Readonly<Record<string, string>> = {
  "\u001b": "escape, begins a command for a terminal",
  "\u061c": "Arabic letter mark",
  "\u200b": "zero-width space",
  "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark",
  "\u202a": "left-to-right embedding",
  "\u202b": "right-to-left embedding",
  "\u202c": "end of embedding or override",
  "\u202d": "left-to-right override",
  "\u202e": "right-to-left override",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "first strong isolate",
  "\u2069": "end of isolate"
}

export const segmentsOf = (text: string): ReadonlyArray<Segment> => {
  const segments: Array<Segment> = []
  let done = 0
  for (const match of text.matchAll(special)) {
    const { index } = match
    const [whole, rule] = match
    // Half of a Windows line end says nothing.
    if (whole === "\r" && text[index + 1] === "\n") {
      if (index > done) segments.push({ _tag: "Text", text: text.slice(done, index) })
      done = index + 1
      continue
    }
    if (index > done) segments.push({ _tag: "Text", text: text.slice(done, index) })
    segments.push(rule === undefined ? control(whole) : { _tag: "Redaction", rule })
    done = index + whole.length
  }
  if (done < text.length) segments.push({ _tag: "Text", text: text.slice(done) })
  return segments
}

const control = (character: string): Segment => {
  const point = character.charCodeAt(0)
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`
  return {
    _tag: "Control",
    code,
    shown: abbreviations[point] ?? (point === 0x7f ? "DEL" : code),
    meaning: meanings[character] ?? "a character that is not seen"
  }
}

/** A recorded text where only text can stand, as in a tooltip: what is not seen by its name. */
export const plainText = (text: string): string =>
  segmentsOf(text)
    .map((segment) =>
      segment._tag === "Text"
        ? segment.text
        : segment._tag === "Redaction"
          ? `[REDACTED:${segment.rule}]`
          : `<${segment.shown}>`
    )
    .join("")
