/** A pattern that finds a text whatever its case; undefined for none. */
export const patternOf = (query: string): RegExp | undefined =>
  query === "" ? undefined : new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu")
