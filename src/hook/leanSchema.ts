/**
 * The part of `effect/Schema` that the hook's schemas are written in. The build puts this module in the place of `effect/Schema` in the hook's
 * bundle, and nowhere else: loading the whole of it, and making its syntax trees, is a quarter of what `node -e 0` takes.
 *
 * It accepts and refuses what `effect/Schema` does and gives the same values, in the same order of keys; it does not say why it refuses. That is held
 * against `effect/Schema` for every schema of the hook in test/hook/leanSchema.test.ts. What is not here cannot be used in the hook: the build then
 * fails and names it.
 */
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

const invalid = Symbol("invalid")

interface Mode {
  /** The input is a decoded value already: transformations are left out. */
  readonly decoded: boolean
  /** Keys that a struct does not know are refused, not left out. */
  readonly strict: boolean
}

/** The value, or `invalid`. */
type Parse = (input: unknown, mode: Mode) => unknown

interface Facts {
  readonly optional?: boolean
  readonly fields?: Fields
  readonly literals?: ReadonlyArray<unknown>
  readonly members?: ReadonlyArray<Schema>
}

type Check = (value: unknown) => boolean

class Schema {
  readonly parse: Parse
  readonly facts: Facts

  constructor(parse: Parse, facts: Facts = {}) {
    this.parse = parse
    this.facts = facts
  }

  get fields(): Fields | undefined {
    return this.facts.fields
  }

  get literals(): ReadonlyArray<unknown> | undefined {
    return this.facts.literals
  }

  pipe(...steps: ReadonlyArray<(schema: Schema) => Schema>): Schema {
    let schema: Schema = this
    for (const step of steps) schema = step(schema)
    return schema
  }

  check(...checks: ReadonlyArray<Check>): Schema {
    const checked: Parse = (input, mode) => {
      const value = this.parse(input, mode)
      for (const holds of checks) if (value === invalid || !holds(value)) return invalid
      return value
    }
    return new Schema(checked, this.facts)
  }

  make(value: unknown): unknown {
    const made = this.parse(value, { decoded: true, strict: false })
    if (made === invalid) throw new Error("Schema validation failed")
    return made
  }
}

type Fields = Readonly<Record<string, Schema>>

const where = (holds: Check): Schema => new Schema((input) => (holds(input) ? input : invalid))

const isObject = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && !globalThis.Array.isArray(input)

/** Sets a key of a new object, also one that would be its prototype. */
const set = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key !== "__proto__") object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

export const Unknown = where(() => true)
const text = where((input) => typeof input === "string")

export { text as String }

const boolean = where((input) => typeof input === "boolean")

export { boolean as Boolean }

export const Finite = where((input) => typeof input === "number" && globalThis.Number.isFinite(input))
export const Natural = where(
  (input) => typeof input === "number" && globalThis.Number.isSafeInteger(input) && input >= 0
)
export const NonEmptyString = where((input) => typeof input === "string" && input !== "")

export const Literals = (literals: ReadonlyArray<unknown>): Schema =>
  new Schema((input) => (literals.includes(input) ? input : invalid), { literals })
export const Literal = (literal: unknown): Schema => Literals([literal])
export const tag = Literal

export const NullOr = (schema: Schema): Schema =>
  new Schema((input, mode) => (input === null ? null : schema.parse(input, mode)))

export const optionalKey = (schema: Schema): Schema => new Schema(schema.parse, { ...schema.facts, optional: true })

const list = (item: Schema): Schema =>
  new Schema((input, mode) => {
    if (!globalThis.Array.isArray(input)) return invalid
    const values: Array<unknown> = []
    for (const part of input) {
      const value = item.parse(part, mode)
      if (value === invalid) return invalid
      values.push(value)
    }
    return values
  })

export { list as Array }

export const Record = (_key: Schema, value: Schema): Schema =>
  new Schema((input, mode) => {
    if (!isObject(input)) return invalid
    const values: Record<string, unknown> = {}
    for (const key of Object.keys(input)) {
      const parsed = value.parse(input[key], mode)
      if (parsed === invalid) return invalid
      set(values, key, parsed)
    }
    return values
  })

const struct = (fields: Fields, rest: Schema | undefined): Schema => {
  // Of the many schemas of a hook few are used by one delivery.
  let known: ReadonlyArray<readonly [string, Schema]> | undefined
  const parse: Parse = (input, mode) => {
    if (!isObject(input)) return invalid
    const values: Record<string, unknown> = {}
    known ??= Object.entries(fields)
    for (const [key, field] of known) {
      if (!Object.hasOwn(input, key)) {
        if (field.facts.optional === true) continue
        return invalid
      }
      const value = field.parse(input[key], mode)
      if (value === invalid) return invalid
      values[key] = value
    }
    if (rest === undefined && !mode.strict) return values
    for (const key of Object.keys(input)) {
      if (Object.hasOwn(fields, key)) continue
      const value = rest === undefined ? invalid : rest.parse(input[key], mode)
      if (value === invalid) return invalid
      set(values, key, value)
    }
    return values
  }
  return new Schema(parse, { fields })
}
export const Struct = (fields: Fields): Schema => struct(fields, undefined)
/** The only rest that the hook's schemas have: text keys and values of any kind. */
export const StructWithRest = (known: Schema, _rest: ReadonlyArray<Schema>): Schema =>
  struct(known.fields ?? {}, Unknown)

export const Union = (members: ReadonlyArray<Schema>): Schema =>
  new Schema(
    (input, mode) => {
      for (const member of members) {
        const value = member.parse(input, mode)
        if (value !== invalid) return value
      }
      return invalid
    },
    { members }
  )

/** Looks the member up by its tag. */
export const toTaggedUnion =
  (key: string) =>
  (union: Schema): Schema => {
    const members = union.facts.members ?? []
    // Made at the first value, like the fields of a struct.
    let memberOf: ReadonlyMap<unknown, Schema> | undefined
    const parse: Parse = (input, mode) => {
      if (!isObject(input)) return invalid
      memberOf ??= byTag(members, key)
      return memberOf.get(input[key])?.parse(input, mode) ?? invalid
    }
    return new Schema(parse, { members })
  }

const byTag = (members: ReadonlyArray<Schema>, key: string): ReadonlyMap<unknown, Schema> => {
  const memberOf = new Map<unknown, Schema>()
  for (const member of members) {
    for (const literal of member.fields?.[key]?.literals ?? []) memberOf.set(literal, member)
  }
  return memberOf
}

export const check =
  (...checks: ReadonlyArray<Check>) =>
  (schema: Schema): Schema =>
    schema.check(...checks)
export const brand = (_name: string) => (schema: Schema) => schema
export const isPattern =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value)
export const isMinLength =
  (least: number): Check =>
  (value) =>
    typeof value === "string" && value.length >= least
export const isNonEmpty = (): Check => isMinLength(1)

/** Of effect/SchemaTransformation. The hook only decodes. */
export const transform = (both: { readonly decode: (value: unknown) => unknown }) => both.decode

export const decodeTo =
  (to: Schema, decode: (value: unknown) => unknown) =>
  (from: Schema): Schema =>
    new Schema((input, mode) => {
      if (mode.decoded) return to.parse(input, mode)
      const value = from.parse(input, mode)
      return value === invalid ? invalid : to.parse(decode(value), mode)
    })

export const fromJsonString = (schema: Schema): Schema =>
  new Schema((input, mode) => {
    if (mode.decoded) return schema.parse(input, mode)
    if (typeof input !== "string") return invalid
    try {
      return schema.parse(JSON.parse(input), mode)
    } catch {
      return invalid
    }
  })

const given: Mode = { decoded: true, strict: false }
/** Whether a value is what the schema decodes to. */
export const is =
  (schema: Schema) =>
  (value: unknown): boolean =>
    schema.parse(value, given) !== invalid

const decoder = (schema: Schema, options?: { readonly onExcessProperty?: "error" }) => {
  const mode: Mode = { decoded: false, strict: options?.onExcessProperty === "error" }
  return (input: unknown): unknown => schema.parse(input, mode)
}

export const decodeUnknownOption = (schema: Schema) => {
  const decode = decoder(schema)
  return (input: unknown): Option.Option<unknown> => {
    const value = decode(input)
    return value === invalid ? Option.none() : Option.some(value)
  }
}

export const decodeUnknownExit = (schema: Schema) => {
  const decode = decoder(schema)
  return (input: unknown): Exit.Exit<unknown, undefined> => {
    const value = decode(input)
    return value === invalid ? Exit.fail(undefined) : Exit.succeed(value)
  }
}

export const decodeUnknownResult = (schema: Schema, options?: { readonly onExcessProperty?: "error" }) => {
  const decode = decoder(schema, options)
  return (input: unknown): Result.Result<unknown, { readonly issue: undefined }> => {
    const value = decode(input)
    return value === invalid ? Result.fail({ issue: undefined }) : Result.succeed(value)
  }
}

/** Of effect/SchemaIssue. What is wrong with a configuration is told by the CLI; the hook only leaves it aside. */
export const makeFormatterStandardSchemaV1 = () => (_issue: undefined) => ({
  issues: [{ path: [], message: "is not of the expected form" }]
})
