import { RE2JS } from "re2js"
import type { Fact, Verdict } from "../domain/scenario.ts"

/** What a session answered last, as far as it is known. */
export interface Answer {
  readonly text: string
  /** Why the text may lack something that was said, as a clause; undefined when it is all there is. */
  readonly lacks: string | undefined
}

export interface FactFinding {
  readonly id: string
  readonly kind: "expected" | "forbidden"
  readonly verdict: Verdict
  /** A clause: what was found, or what keeps it from being told. */
  readonly why: string
}

/** Characters of an answer that are looked at: more than any archive keeps of one. */
const mostCharacters = 1_048_576
/** Characters of a pattern. */
const mostPattern = 512

/** Judges the facts of a scenario by an answer. Pure; linear in the length of the answer for every fact. */
export const judgeFacts = (
  expected: ReadonlyArray<Fact>,
  forbidden: ReadonlyArray<Fact>,
  answer: Answer | undefined
): ReadonlyArray<FactFinding> => {
  const readings = answer === undefined ? undefined : readingsOf(answer.text.slice(0, mostCharacters))
  const lacks =
    answer === undefined
      ? "no answer was recorded"
      : answer.text.length > mostCharacters
        ? "the answer is longer than what is looked at"
        : answer.lacks
  return [
    ...expected.map((fact) => ({ fact, kind: "expected" as const })),
    ...forbidden.map((fact) => ({ fact, kind: "forbidden" as const }))
  ].map(({ fact, kind }) => {
    const found = readings === undefined ? undefined : whatFits(fact, readings)
    if (found === undefined && lacks !== undefined) {
      return { id: fact.id, kind, verdict: "unknown", why: lacks }
    }
    return {
      id: fact.id,
      kind,
      verdict: (found !== undefined) === (kind === "expected") ? "pass" : "fail",
      why: found === undefined ? "none of its texts is in the answer" : `the answer holds "${found}"`
    }
  })
}

/** The texts that one answer may be read as: a text may be written over marks of Markdown, and a mark may be meant as it stands. */
interface Readings {
  /** In one case, on one line. */
  readonly plain: ReadonlyArray<string>
  /** For regular expressions: in the case and on the lines of the answer. */
  readonly asWritten: ReadonlyArray<string>
}

const readingsOf = (text: string): Readings => {
  const same = sameCharacters(text)
  const unmarked = withoutLineMarks(text)
  return {
    plain: [...new Set([plainText(text), plainText(unmarked)])],
    asWritten: [...new Set([text, same, sameCharacters(withoutInlineMarks(unmarked))])]
  }
}

/** The first text or pattern of a fact that fits, as its author wrote it. */
const whatFits = (fact: Fact, readings: Readings): string | undefined =>
  fact.match_any.find((wanted) => {
    if (fact.regex === true) {
      const pattern = patternOf(wanted)
      return pattern._tag === "Pattern" && readings.asWritten.some((text) => pattern.pattern.test(text))
    }
    const text = plainText(wanted)
    return text !== "" && readings.plain.some((reading) => reading.includes(text))
  })

/**
 * A text as facts are compared: one case, one form of each character, without emphasis and code marks of Markdown, and with one space for all white
 * space. Never fails; the same text again when given its own result.
 */
export const plainText = (text: string): string =>
  oneCase(sameCharacters(withoutInlineMarks(sameCharacters(text))))
    .replace(/\s+/g, " ")
    .trim()

/** Characters that look alike to a reader as one: compatibility forms, kinds of quotes and dashes; and nothing that cannot be seen. */
const sameCharacters = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g, "")
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")

/** Both ways, because one letter may have two capitals or none (ß, the two small sigmas). */
const oneCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll("\u03c2", "\u03c3").normalize("NFKC")

/** Emphasis, strikethrough and code marks. An underscore inside a word belongs to it: `index_store` is no emphasis. */
const withoutInlineMarks = (text: string): string =>
  text
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/`+|\*+|~~/g, "")
    .replace(/(?<![\p{L}\p{N}_])_+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])_+(?![\p{L}\p{N}_])/gu, "")

/** Headings, quotes, list items and links of a text of several lines. */
const withoutLineMarks = (text: string): string =>
  text.replace(/^[ \t]*(?:#{1,6}|>|[-+*]|\d{1,9}[.)])[ \t]+/gm, "").replace(/\[([^\]\n]*)\]\([^)\n]*\)/g, "$1")

type ReadPattern =
  | { readonly _tag: "Pattern"; readonly pattern: RE2JS }
  | { readonly _tag: "Refused"; readonly problem: string }

/**
 * A regular expression of a scenario, for an engine that takes linear time whatever is asked of it: the syntax of RE2, without look-around and
 * back-references. Case does not count unless the pattern says `(?-i)`. `problem` is a clause.
 */
export const patternOf = (source: string): ReadPattern => {
  if (source.length > mostPattern) return { _tag: "Refused", problem: `is longer than ${mostPattern} characters` }
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    return pattern.test("")
      ? { _tag: "Refused", problem: "matches the empty text, so it is in every answer" }
      : { _tag: "Pattern", pattern }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "unknown"
    return { _tag: "Refused", problem: `is no regular expression that can be used (${reason})` }
  }
}
