import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** Pieces that texts of agents are awkward by: of each UTF-8 length, half of a pair, what JSON escapes, what ends a line, markers. */
const pieces = [
  ...'a\u0000\t\n\r"\\/{}[],:\u001b\u007f',
  "é",
  "߿",
  "€",
  "\u2028",
  "\ufeff",
  "\uffff",
  "😀",
  "👩\u200d👩\u200d👧",
  "e\u0301",
  "\ud83d",
  "\ude00",
  "[REDACTED:token]",
  "[REDACTED:",
  '{"schema_version":1,',
  ',"chain_hash":"',
  "plain words that are longer than one character "
] as const

/** Texts made of awkward pieces. */
export const awkwardText = (mostPieces = 40): Arbitrary.Arbitrary<string> =>
  Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { maxLength: mostPieces }).pipe(
    Arbitrary.map((parts) => parts.join(""))
  )

/** Any JSON value with awkward texts and keys in it. */
export const awkwardJson: Arbitrary.Arbitrary<unknown> = Arbitrary.all([
  Arbitrary.schema(Schema.Json),
  Arbitrary.array(awkwardText(), { maxLength: 6 }),
  Arbitrary.array(Arbitrary.all([awkwardText(4), awkwardText()]), { maxLength: 6 })
]).pipe(Arbitrary.map(([json, texts, fields]) => ({ json, texts, ...Object.fromEntries(fields) })))
