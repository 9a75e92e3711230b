/** A list of words. */
export interface Words {
  readonly has: (word: string) => boolean
}

/**
 * The words of a text that parts them by blanks. The text is searched, and no set is built of it: every run would build all of them, to ask each a few times.
 */
export const words = (text: string): Words => {
  const all = ` ${text} `
  return { has: (word) => all.includes(` ${word} `) }
}
