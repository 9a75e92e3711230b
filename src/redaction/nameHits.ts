import { classesOf, isIn, urldot } from "./characterClasses.ts"

// Pieces of words that sensitive names hold. A hit only starts a look at its surroundings, so the list may be generous. In lower case, and the short ones
// only at the end of a word.
const pieces =
  "pass|pwd|kennwort|contrase|senha|parola|wachtwoord|haslo|losenord|heslo|salasana|secr|token|key|cred|auth|bearer|jwt|salt|seed|phrase|pword|psw|totp|session|cookie|hmac|verifier|mnemonic|clave|segredo|geheim|chave|assword|jelsz|lozink|geslo|adgangsk|kodeord|pasahitz|sifre|pepper|api_hash|recovery|(?:kup|pin|mfa|otp|ication|urity).?code|schl|jeton|klucz|anahtar|chiave|(?:pw|otp|psk|pin|pat|sid|encrypt|codes|mdp|sas)\\b"

/** Made at the first use: a run that has no text to scan does not pay for it. */
let piece: RegExp | undefined

const longestRest = 64

/** What a name is written with, ASCII and the letters of Latin Extended. */
export const isNameCode = (code: number): boolean => isIn(code, urldot) || (code >= 0xc0 && code <= 0x24f)

/** The end of the name that goes on at `from`; -1 when it is longer than names are. `isNameCode` is written out: here it is asked most. */
const nameEnd = (text: string, from: number): number => {
  for (let end = from; end <= from + longestRest; end++) {
    const code = text.charCodeAt(end)
    if (code < 128 ? ((classesOf[code] || 0) & urldot) === 0 : !(code >= 0xc0 && code <= 0x24f)) return end
  }
  return -1
}

/**
 * The places of a text that sensitive names may have, in order: for each the start of the telling piece and the end of the name.
 *
 * @param lower the text in lower case, one byte a character
 * @param from where to begin
 * @param most stop after that many
 */
export const findNames = (
  text: string,
  lower: string,
  from = 0,
  most = Number.POSITIVE_INFINITY
): ReadonlyArray<number> => {
  const found: Array<number> = []
  piece ??= new RegExp(pieces, "g")
  piece.lastIndex = from
  for (let hit = piece.exec(lower); hit !== null; hit = piece.exec(lower)) {
    const start = hit.index
    const behind = start + hit[0].length
    const end = nameEnd(text, behind)
    if (end === -1 || text.slice(start, behind).toLowerCase() !== hit[0]) {
      piece.lastIndex = start + 1
      continue
    }
    found.push(start, end)
    if (found.length >= 2 * most) break
    piece.lastIndex = end
  }
  return found
}
