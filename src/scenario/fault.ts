/** Something that is wrong with a scenario: where, what, and what to do. Sentences; `path` is "" for the file as a whole. */
export interface Fault {
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

/** A place in a JSON document, as a person writes it: `arms[0].model`; "" for the whole. */
export const fieldPath = (keys: ReadonlyArray<PropertyKey>): string =>
  keys.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )
