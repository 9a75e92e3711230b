/**
 * The Porter stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980), with the three departures of the author's own program that the
 * tokenizer of SQLite has too: `logi` -> `log`, `bli` -> `ble`, and words of one or two letters stay.
 */

const memo = new Map<string, string>()

/** More words than this are not kept: a long run would remember every number it ever saw. */
const mostRemembered = 50_000

/** The stem of one lower-case word. A word with other characters than a to z stays as it is. */
export const porterStem = (word: string): string => {
  const known = memo.get(word)
  if (known !== undefined) return known
  const stem = plainWord.test(word) ? stemOf(word) : word
  if (memo.size >= mostRemembered) memo.clear()
  memo.set(word, stem)
  return stem
}

const plainWord = /^[a-z]{3,40}$/

const isConsonant = (word: string, at: number): boolean => {
  const letter = word[at]
  if (letter === "y") return at === 0 || !isConsonant(word, at - 1)
  return letter !== "a" && letter !== "e" && letter !== "i" && letter !== "o" && letter !== "u"
}

/** How many times a vowel is followed by a consonant: the m of the paper. */
const measure = (stem: string): number => {
  let count = 0
  let afterVowel = false
  for (let at = 0; at < stem.length; at++) {
    const consonant = isConsonant(stem, at)
    if (consonant && afterVowel) count++
    afterVowel = !consonant
  }
  return count
}

const hasVowel = (stem: string): boolean => {
  for (let at = 0; at < stem.length; at++) if (!isConsonant(stem, at)) return true
  return false
}

const endsInDouble = (word: string): boolean =>
  word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1)

/** Consonant, vowel, consonant, the last not w, x or y: what makes `hop` of `hopping` stay short. */
const endsInShort = (word: string): boolean => {
  const last = word.length - 1
  return (
    last >= 2 &&
    isConsonant(word, last) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last - 2) &&
    !/[wxy]$/.test(word)
  )
}

type Rule = readonly [suffix: string, replacement: string]

const step2: ReadonlyArray<Rule> = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["alli", "al"],
  ["ator", "ate"],
  ["logi", "log"],
  ["bli", "ble"],
  ["eli", "e"]
]

const step3: ReadonlyArray<Rule> = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""]
]

const step4 = [
  ..."ement ance ence able ible ment ant ent ism ate iti ous ive ize ion".split(" "),
  ..."al er ic ou".split(" ")
].sort((a, b) => b.length - a.length)

const cut = (word: string, suffix: string): string => word.slice(0, word.length - suffix.length)

const stemOf = (word: string): string => {
  let stem = withoutPlural(word)
  stem = withoutPast(stem)
  if (stem.endsWith("y") && hasVowel(cut(stem, "y"))) stem = `${cut(stem, "y")}i`
  stem = replaced(stem, step2)
  stem = replaced(stem, step3)
  stem = withoutEnding(stem)
  return tidied(stem)
}

const withoutPlural = (word: string): string => {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2)
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word
}

const withoutPast = (word: string): string => {
  if (word.endsWith("eed")) return measure(cut(word, "eed")) > 0 ? word.slice(0, -1) : word
  const suffix = word.endsWith("ed") ? "ed" : word.endsWith("ing") ? "ing" : undefined
  if (suffix === undefined || !hasVowel(cut(word, suffix))) return word
  const stem = cut(word, suffix)
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`
  if (endsInDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsInShort(stem) ? `${stem}e` : stem
}

/** The first rule whose suffix fits decides, whether it applies or not: the longest stand before those that end like them. */
const replaced = (word: string, rules: ReadonlyArray<Rule>): string => {
  const rule = rules.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const stem = cut(word, rule[0])
  return measure(stem) > 0 ? stem + rule[1] : word
}

const withoutEnding = (word: string): string => {
  const suffix = step4.find((one) => word.endsWith(one))
  if (suffix === undefined) return word
  const stem = cut(word, suffix)
  return measure(stem) > 1 && (suffix !== "ion" || /[st]$/.test(stem)) ? stem : word
}

const tidied = (word: string): string => {
  let stem = word
  if (stem.endsWith("e")) {
    const shorter = stem.slice(0, -1)
    const m = measure(shorter)
    if (m > 1 || (m === 1 && !endsInShort(shorter))) stem = shorter
  }
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem
}
