// Which letters follow which in words and identifiers: the 331 pairs that make up 96.5 % of the text of some thousand packages. A row for each letter from a
// to z, in it a bit for each letter that follows it, a the lowest. Written as numbers, because every run would have to make them of letters.
const followers = [
  0x1febd7f, 0x11e593f, 0x11e5dbf, 0x116597f, 0x1fff9ff, 0x11e493f, 0x11679d1, 0x11e4111, 0x2aefc7f, 0x144011, 0x40111,
  0x13cc91d, 0x14d913, 0x13efd7d, 0x1fefd7f, 0x1ec991, 0x100000, 0x13efd7f, 0x15cfdf5, 0x15ed9bd, 0xeb97f, 0x4111,
  0x66191, 0x88114, 0xcf911, 0x111
]

/**
 * The share of neighbouring letters that words do not have, 0 to 1, whatever their case; 0 when there are fewer than six pairs.
 *
 * Words and camelCase stay below 0.3 (31 of 7,003 words of eight and more letters are above 0.34, most of them no words). Random letters have 0.5.
 */
export const unlikelyPairs = (text: string): number => {
  let seen = 0
  let unlikely = 0
  for (let i = 1; i < text.length && i < 96; i++) {
    const first = (text.charCodeAt(i - 1) | 32) - 97
    const second = (text.charCodeAt(i) | 32) - 97
    if (first < 0 || first > 25 || second < 0 || second > 25) continue
    seen++
    if ((((followers[first] ?? 0) >> second) & 1) === 0) unlikely++
  }
  return seen < 6 ? 0 : unlikely / seen
}
