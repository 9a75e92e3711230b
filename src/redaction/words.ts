/** A list of words. */
export interface Words {
  readonly has: (word: string) => boolean
}

/** From so many questions on a set is worth what it costs. */
const many = 64

/**
 * The words of a text that parts them by blanks. At first the text is searched: most runs ask each list a few times, and would have to build a set for it.
 */
export const words = (text: string): Words => {
  let asked = 0
  let set: ReadonlySet<string> | undefined
  return {
    has: (word) => {
      if (asked++ < many) return ` ${text} `.includes(` ${word} `)
      set ??= new Set(text.split(" "))
      return set.has(word)
    }
  }
}
