/** A seeded source of everything that the corpus draws. The same seed gives the same corpus, so a failure can be run again. */
export interface Random {
  readonly next: () => number
  readonly int: (from: number, to: number) => number
  readonly pick: <A>(choices: ReadonlyArray<A>) => A
  /** `length` characters of the alphabet. */
  readonly of: (alphabet: string, length: number) => string
  readonly bytes: (length: number) => Buffer
  readonly uuid: () => string
}

export const digits = "0123456789"
export const lower = "abcdefghijklmnopqrstuvwxyz"
export const upper = lower.toUpperCase()
export const hex = "0123456789abcdef"
export const alnum = digits + lower + upper
export const base64url = `${alnum}-_`
export const base64 = `${alnum}+/`

/** Mulberry32 over an FNV hash of the seed. */
export const makeRandom = (seed: string): Random => {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16777619)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  const pick = <A>(choices: ReadonlyArray<A>): A => {
    const choice = choices[int(0, choices.length - 1)]
    if (choice === undefined) throw new Error("nothing to pick from")
    return choice
  }
  const of = (alphabet: string, length: number): string => {
    let text = ""
    for (let i = 0; i < length; i++) text += alphabet.charAt(Math.floor(next() * alphabet.length))
    return text
  }
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => int(0, 255)))
  const uuid = (): string =>
    `${of(hex, 8)}-${of(hex, 4)}-4${of(hex, 3)}-${pick(["8", "9", "a", "b"])}${of(hex, 3)}-${of(hex, 12)}`
  return { next, int, pick, of, bytes, uuid }
}
