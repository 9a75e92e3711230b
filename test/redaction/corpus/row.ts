/** One labelled text or JSON value. */
export interface Row {
  readonly kind: string
  /**
   * `self`: the credential's own format tells it. `keyed`: a name, a header, a URL or a file format does. `prose`: only a sentence does.
   * `innocent`: nothing in it is secret.
   */
  readonly tier: "self" | "keyed" | "prose" | "innocent"
  readonly value: unknown
  /** What must not remain, in any escaping. */
  readonly secrets: ReadonlyArray<string>
}

/** A text as it stands inside a JSON string, `times` deep. */
export const escaped = (text: string, times = 1): string => {
  let out = text
  for (let i = 0; i < times; i++) out = JSON.stringify(out).slice(1, -1)
  return out
}
