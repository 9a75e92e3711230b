/**
 * Of `effect/encoding/Hex` what Effect's tracer uses. The build puts it in its place in the hook's bundles: the whole of it fills a table as it is
 * loaded, for ids of spans that no hook makes.
 */

/** Random hexadecimal digits, as many as asked for. */
export const random = (length: number): string =>
  Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join("")
