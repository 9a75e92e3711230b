// The alphabets that credentials are written in, one bit each, so that one table answers "is this character of that class" for all.

const digit = "0123456789"
const lowerLetter = "abcdefghijklmnopqrstuvwxyz"
const upperLetter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const letterOrDigit = digit + lowerLetter + upperLetter

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

const members: ReadonlyArray<readonly [CharacterClass, string]> = [
  [digits, digit],
  [lowerhex, `${digit}abcdef`],
  [hex, `${digit}abcdefABCDEF`],
  [lower, lowerLetter],
  [loweralnum, digit + lowerLetter],
  [upperalnum, digit + upperLetter],
  [alnum, letterOrDigit],
  [word, `${letterOrDigit}_`],
  [alnumdash, `${letterOrDigit}-`],
  [base64url, `${letterOrDigit}-_`],
  [base64, `${letterOrDigit}+/`],
  [anyb64, `${letterOrDigit}+/-_`],
  [urleq, `${letterOrDigit}-_=`],
  [urldot, `${letterOrDigit}-_.`],
  [urldoteq, `${letterOrDigit}-_.=`],
  [anyb64eq, `${letterOrDigit}+/-_=`],
  [anyb64dot, `${letterOrDigit}+/-_.~`],
  [hexdash, `${digit}abcdefABCDEF-`],
  [bech32upper, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"],
  [azuread, `${letterOrDigit}-_.~`],
  [uri, `${letterOrDigit}-_.~%+!$&*,;=`],
  [django, `${letterOrDigit}!@#$%^&*(-_=+)`],
  [tokenSign, `${letterOrDigit}_+/.$|:~%@=-`]
]

// In a function: a loop at the top level makes Bun's engine compile the whole module that it runs in, which is the whole hook (4 ms).
const tableOf = (sets: typeof members): Uint32Array => {
  const table = new Uint32Array(128)
  for (const [bit, characters] of sets) {
    for (let i = 0; i < characters.length; i++) {
      const code = characters.charCodeAt(i)
      table[code] = (table[code] ?? 0) | bit
    }
  }
  return table
}

/** For each ASCII code, the classes that hold it. Anything above 127 is in none. */
export const classesOf: Uint32Array = tableOf(members)

/** Whether the character code belongs to the class. */
export const isIn = (code: number, characters: CharacterClass): boolean =>
  code < 128 && ((classesOf[code] ?? 0) & characters) !== 0
