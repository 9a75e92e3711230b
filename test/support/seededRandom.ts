/** Numbers in [0, 1) that a seed repeats (mulberry32), with what tests draw from them. */
export const seededRandom = (seed: number) => {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (limit: number) => Math.floor(next() * limit),
    /** True once in `times` draws. */
    oneIn: (times: number) => next() * times < 1,
    /** Some of all, in their order; all where there are no more. */
    sample: <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
      let wanted = Math.min(count, all.length)
      return all.filter((_, index) => {
        const taken = next() * (all.length - index) < wanted
        if (taken) wanted--
        return taken
      })
    },
    pick: <A>(all: ReadonlyArray<A>): A => {
      const found = all[Math.floor(next() * all.length)]
      if (found === undefined) throw new Error("nothing to pick from")
      return found
    }
  }
}
export type Random = ReturnType<typeof seededRandom>
