// The alphabets that credentials are written in, one bit each, so that one table answers "is this character of that class" for all.

/** A set of characters: one bit of `classesOf`. */
export type CharacterClass = number

export const digits: CharacterClass = 1 << 0
export const lowerhex: CharacterClass = 1 << 1
export const hex: CharacterClass = 1 << 2
export const lower: CharacterClass = 1 << 3
export const loweralnum: CharacterClass = 1 << 4
export const upperalnum: CharacterClass = 1 << 5
export const alnum: CharacterClass = 1 << 6
export const word: CharacterClass = 1 << 7
export const alnumdash: CharacterClass = 1 << 8
export const base64url: CharacterClass = 1 << 9
export const base64: CharacterClass = 1 << 10
export const anyb64: CharacterClass = 1 << 11
export const urleq: CharacterClass = 1 << 12
export const urldot: CharacterClass = 1 << 13
export const urldoteq: CharacterClass = 1 << 14
export const anyb64eq: CharacterClass = 1 << 15
export const anyb64dot: CharacterClass = 1 << 16
export const hexdash: CharacterClass = 1 << 17
export const bech32upper: CharacterClass = 1 << 18
export const azuread: CharacterClass = 1 << 19
export const uri: CharacterClass = 1 << 20
export const django: CharacterClass = 1 << 21
/** What tokens are written with, whatever their kind. */
export const tokenSign: CharacterClass = 1 << 22

/** For each class whether it holds the digits, the small letters and the capitals (`h`: only to f), and what else. */
const members: ReadonlyArray<readonly [characters: CharacterClass, groups: string, others: string]> = [
  [digits, "0", ""],
  [lowerhex, "0h", ""],
  [hex, "0hH", ""],
  [lower, "a", ""],
  [loweralnum, "0a", ""],
  [upperalnum, "0A", ""],
  [alnum, "0aA", ""],
  [word, "0aA", "_"],
  [alnumdash, "0aA", "-"],
  [base64url, "0aA", "-_"],
  [base64, "0aA", "+/"],
  [anyb64, "0aA", "+/-_"],
  [urleq, "0aA", "-_="],
  [urldot, "0aA", "-_."],
  [urldoteq, "0aA", "-_.="],
  [anyb64eq, "0aA", "+/-_="],
  [anyb64dot, "0aA", "+/-_.~"],
  [hexdash, "0hH", "-"],
  [bech32upper, "", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"],
  [azuread, "0aA", "-_.~"],
  [uri, "0aA", "-_.~%+!$&*,;="],
  [django, "0aA", "!@#$%^&*(-_=+)"],
  [tokenSign, "0aA", "_+/.$|:~%@=-"]
]

// In a function: a loop at the top level makes Bun's engine compile the whole module that it runs in, which is the whole hook (4 ms). The groups are filled
// once for all classes, because every run makes this table.
const tableOf = (sets: typeof members): Uint32Array => {
  const table = new Uint32Array(128)
  let inDigits = 0
  let inSmall = 0
  let inCapitals = 0
  let inSmallHex = 0
  let inCapitalHex = 0
  for (const [bit, groups, others] of sets) {
    if (groups.includes("0")) inDigits |= bit
    if (groups.includes("a")) inSmall |= bit
    if (groups.includes("A")) inCapitals |= bit
    if (groups.includes("h")) inSmallHex |= bit
    if (groups.includes("H")) inCapitalHex |= bit
    for (let i = 0; i < others.length; i++) {
      const code = others.charCodeAt(i)
      table[code] = (table[code] ?? 0) | bit
    }
  }
  for (let i = 0; i < 26; i++) {
    const isHexLetter = i < 6
    table[97 + i] = (table[97 + i] ?? 0) | inSmall | (isHexLetter ? inSmallHex : 0)
    table[65 + i] = (table[65 + i] ?? 0) | inCapitals | (isHexLetter ? inCapitalHex : 0)
    if (i < 10) table[48 + i] = (table[48 + i] ?? 0) | inDigits
  }
  return table
}

/** For each ASCII code, the classes that hold it. Anything above 127 is in none. */
export const classesOf: Uint32Array = tableOf(members)

/** Whether the character code belongs to the class. */
export const isIn = (code: number, characters: CharacterClass): boolean =>
  code < 128 && ((classesOf[code] ?? 0) & characters) !== 0

/** Whether all characters from `from` to `to` belong to the class. */
export const isAll = (text: string, from: number, to: number, characters: CharacterClass): boolean => {
  for (let at = from; at < to; at++) if (!isIn(text.charCodeAt(at), characters)) return false
  return true
}
