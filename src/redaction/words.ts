/** A list of words. */
export interface Words {
  readonly has: (word: string) => boolean
}

/** From so many questions on a set is worth what it costs. */
const many = 8

/**
 * The words of a text that parts them by blanks. At first the text is searched: most runs ask each list a few times, and would have to build a set for it.
 *
 * @param wide those with letters beyond Latin-1, apart: one of them would make the text two bytes wide, and the search half as fast
 */
export const words = (text: string, wide = ""): Words => {
  const narrow = ` ${text} `
  const others = wide && ` ${wide} `
  let asked = 0
  let set: ReadonlySet<string> | undefined
  return {
    has: (word) => {
      if (asked++ < many) {
        const sought = ` ${word} `
        return narrow.includes(sought) || (others !== "" && others.includes(sought))
      }
      set ??= new Set(`${text}${others}`.trimEnd().split(" "))
      return set.has(word)
    }
  }
}
