import { porterStem } from "./porterStem.ts"
import { baseForms, stopWords } from "./words.ts"

/**
 * Text as the terms that memory is indexed and asked by, in their order: stems of words without the common ones, each part of an identifier or
 * path beside the whole of it, and pairs of characters where a script has no spaces.
 *
 * A term holds letters, digits and `_` only, so that the tokenizer of the index keeps it whole.
 */
export const termsOf = (text: string, use: "index" | "query" = "index"): ReadonlyArray<string> => {
  const terms: Array<string> = []
  for (const [compound] of text.normalize("NFKC").matchAll(compounds)) {
    if (unspaced.test(compound)) addUnspaced(compound, use, terms)
    else addCompound(compound, terms)
  }
  return terms
}

/** Runs of letters and digits, joined by what joins the parts of identifiers, paths and qualified names. */
const compounds = /[\p{L}\p{M}\p{N}]+(?:(?:[_./\\-]|::|->|['’])[_./\\-]?[\p{L}\p{M}\p{N}]+)*/gu
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const unspacedRuns =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー々]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー々]+/gu
/** Where a camel-case identifier is taken apart: `getURLFor` is get, URL, For. */
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const longestTerm = 64

const addCompound = (compound: string, terms: Array<string>): void => {
  const pieces = compound.split(/(?:[_./\\'’-]|::|->)+/u).filter((piece) => piece !== "")
  const parts = pieces.flatMap((piece) => piece.split(humps)).map(folded)
  for (const part of parts) addWord(part, terms)
  if (parts.length < 2 || /['’]/.test(compound)) return
  addWhole(parts, terms)
  // A path is asked for by the name of its file too.
  const name = /[/\\]([^/\\]+)$/.exec(compound)?.[1]
  if (name === undefined) return
  const nameParts = name
    .split(/[_.-]+/u)
    .filter((piece) => piece !== "")
    .flatMap((piece) => piece.split(humps))
    .map(folded)
  if (nameParts.length > 1) addWhole(nameParts, terms)
}

const addWhole = (parts: ReadonlyArray<string>, terms: Array<string>): void => {
  const whole = parts.join("_")
  if (whole.length <= longestTerm) terms.push(whole)
}

const addWord = (word: string, terms: Array<string>): void => {
  if (word === "" || stopWords.has(word)) return
  const base = baseForms.get(word) ?? word
  if (!stopWords.has(base)) terms.push(porterStem(base).slice(0, longestTerm))
}

const folded = (text: string): string => {
  const lower = text.toLowerCase()
  return plain.test(lower) ? lower : lower.normalize("NFKD").replace(/\p{M}/gu, "")
}
const plain = /^[a-z0-9]*$/

/** Pairs of neighbours, and for the index each character too, so that a question of one character is answered. */
const addUnspaced = (compound: string, use: "index" | "query", terms: Array<string>): void => {
  for (const [run] of compound.matchAll(unspacedRuns)) {
    if (!unspaced.test(run)) {
      for (const [inner] of run.matchAll(compounds)) addCompound(inner, terms)
      continue
    }
    const characters = Array.from(run)
    if (use === "index" || characters.length === 1) terms.push(...characters)
    for (let at = 1; at < characters.length; at++) terms.push(`${characters[at - 1]}${characters[at]}`)
  }
}

/** The words of a query in which terms were found, as they were written: to a reader a stem is a misspelt word. */
export const wordsBehind = (query: string, terms: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = query.split(/\s+/u).filter((word) => termsOf(word, "query").some((term) => terms.includes(term)))
  return [...new Set(words)]
}

/** Whether a term is of a script without spaces. */
export const isUnspaced = (term: string): boolean => unspaced.test(term)
