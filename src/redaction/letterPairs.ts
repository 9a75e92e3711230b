// Which letters follow which in words and identifiers: the 331 pairs that make up 96.5 % of the text of some thousand packages. Row a to row z.
const followers =
  "abcdefgiklmnprstuvwxy abcdefilmorstuy abcdefhiklmorstuy abcdefgilmorsuy abcdefghilmnopqrstuvwxy abcdefilorstuy aeghilmnorsuy aeiorstuy " +
  "abcdefgklmnoprstvxz aeosu aeis acdeilopstuvy abeilmopsu acdefgiklmnoprstuvy abcdefgiklmnoprstuvwxy aehiloprstu u abcdefgiklmnoprstuvy " +
  "acefghiklmnopstuwy acdefhilmoprstuwy abcdefgilmnprst aeio aehinors ceipt aeilmnopst aei"

let table: Uint8Array | undefined

const common = (): Uint8Array => {
  if (table !== undefined) return table
  table = new Uint8Array(26 * 26)
  for (const [first, letters] of followers.split(" ").entries()) {
    for (let i = 0; i < letters.length; i++) table[first * 26 + letters.charCodeAt(i) - 97] = 1
  }
  return table
}

/**
 * The share of neighbouring letters that words do not have, 0 to 1, whatever their case; 0 when there are fewer than six pairs.
 *
 * Words and camelCase stay below 0.3 (31 of 7,003 words of eight and more letters are above 0.34, most of them no words). Random letters have 0.5.
 */
export const unlikelyPairs = (text: string): number => {
  const pairs = common()
  let seen = 0
  let unlikely = 0
  for (let i = 1; i < text.length && i < 96; i++) {
    const first = (text.charCodeAt(i - 1) | 32) - 97
    const second = (text.charCodeAt(i) | 32) - 97
    if (first < 0 || first > 25 || second < 0 || second > 25) continue
    seen++
    if (pairs[first * 26 + second] === 0) unlikely++
  }
  return seen < 6 ? 0 : unlikely / seen
}
