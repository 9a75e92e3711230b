/**
 * A word of a command that a person is told to run, as a POSIX shell takes it for one word and nothing else. Ids and names of files come from outside, as
 * with a clone: unquoted, what is copied from the screen could run what somebody wrote into them.
 */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
