import { sha256 } from "../../platform/digest.ts"

/** A source of numbers that a seed decides: the same seed gives the same numbers on every machine. */
export interface SeededRandom {
  /** At least 0 and under 1, in steps of 2^-53. */
  readonly next: () => number
  /** A whole number from 0 to `count` - 1; `count` at most 2^32. */
  readonly below: (count: number) => number
  /** 32 random bits. */
  readonly bits: () => number
}

/**
 * xoshiro128** 1.1 (Blackman and Vigna, prng.di.unimi.it, public domain), with SHA-256 of the seed as its state. Different names give streams that have
 * nothing to do with each other, so that one more draw in one place changes no other.
 */
export const seededRandom = (seed: number | string, stream = ""): SeededRandom => {
  const digest = sha256(`${seed}\n${stream}`)
  const state = Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(digest.slice(at, at + 8), 16))
  let [a, b, c, d] = [state[0] ?? 1, state[1] ?? 1, state[2] ?? 1, state[3] ?? 1]
  const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by))
  const bits = () => {
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotated(d, 11)
    return result
  }
  return {
    bits,
    next: () => ((bits() >>> 5) * 0x4000000 + (bits() >>> 6)) / 0x20000000000000,
    // Lemire's multiplication without rejection: its bias is under count / 2^32.
    below: (count) => Math.floor((bits() / 0x100000000) * count)
  }
}

/** The elements in an order that the random source decides (Fisher and Yates, in Durstenfeld's form); the given array stays. */
export const shuffled = <A>(elements: ReadonlyArray<A>, random: SeededRandom): ReadonlyArray<A> => {
  const result = [...elements]
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const held = result[at] as A
    result[at] = result[other] as A
    result[other] = held
  }
  return result
}
