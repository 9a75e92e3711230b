import { findNames } from "./nameHits.ts"
import { classifyName, type NameClass } from "./names.ts"
import { isSecretValue } from "./values.ts"
import { words } from "./words.ts"

// Objects of which one field holds a name and another its value.

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>

const names = "name key Name Key header variable param field label ParameterKey keyName option id k".split(" ")
const values = words(
  "value Value ParameterValue val stringValue S content secret text default defaultValue current setting argument v #text _text"
)
/** Fields that describe a place where somebody types, as the tools of browsers take them, or ask for what is typed. */
const places = "element selector locator question".split(" ")
const typed = words("value text content answer")

const longestName = 96

/** The class of the last name in a description: `Password textbox`, `#password`, `input[name="password"]`, `What is the admin password?`. */
const placeClass = (description: string): NameClass | undefined => {
  const found = findNames(description, description.toLowerCase())
  const end = found.at(-1)
  if (end === undefined) return undefined
  const name = /[\w-]*$/.exec(description.slice(0, end))?.[0] ?? ""
  return classifyName(name) === "password" ? "password" : undefined
}

/** What the names of some fields say about the values in others. */
export interface Pair {
  readonly kind: NameClass | undefined
  /** Whether the field holds the value. */
  readonly holds: (key: string) => boolean
}

const holdsValue = (key: string): boolean => values.has(key)
const holdsTyped = (key: string): boolean => typed.has(key)
const none: Pair = { kind: undefined, holds: holdsValue }

/**
 * `{name: "DB_PASSWORD", value: "…"}`, `{element: "Password textbox", text: "…"}`: the class of the name that a field holds. Without one, a name that the
 * object itself stands under may still be that of its value.
 */
export const pairOf = (fields: Fields): Pair => {
  for (const key of names) {
    const name = fields[key]
    if (typeof name !== "string" || name.length > longestName) continue
    const kind = classifyName(name)
    if (kind !== undefined) return { kind, holds: holdsValue }
  }
  for (const key of places) {
    const place = fields[key]
    const kind = typeof place === "string" && place.length <= 2 * longestName ? placeClass(place) : undefined
    if (kind !== undefined) return { kind, holds: holdsTyped }
  }
  return none
}

/** A file of one word. Code and JSON hold names of their own. */
const oneWord = /^\s*([^\s"'{}<>[\]]{6,512})\s*$/
const named = /([\w.-]{1,96}?)(?:\.(?:txt|key|secret|token|pass|password))?$/

/**
 * `{file_path: "/run/secrets/db_password", content: "…"}`: the place of the secret in a file that is named for it and holds nothing else; undefined when the
 * file is none.
 */
export const secretOfFile = (
  fields: Fields,
  content: string
): readonly [start: number, end: number, kind: NameClass] | undefined => {
  const file = fields.file_path ?? fields.filePath
  if (typeof file !== "string") return undefined
  const kind = classifyName(named.exec(file)?.[1] ?? "")
  if (kind !== "password" && kind !== "secret") return undefined
  const value = oneWord.exec(content)?.[1]
  if (value === undefined || !isSecretValue(kind, value, "quoted")) return undefined
  const start = content.indexOf(value)
  return [start, start + value.length, kind]
}
