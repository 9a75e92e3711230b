import * as Schema from "effect/Schema"

/** What a command prints with `--json`. The schema is for readers and tests: the command makes the document, and a test holds one against the other. */
export interface CommandDocument {
  /** The command without `lint-ai`; it names the file of the schema, with dashes for spaces. */
  readonly command: string
  readonly about: string
  readonly schema: Schema.Constraint
  /** One document on each line, instead of one in all. */
  readonly lines?: boolean
}

export const document = (command: string, about: string, schema: Schema.Constraint): CommandDocument => ({
  command,
  about,
  schema
})

export const text = Schema.String
export const count = Schema.Natural
export const flag = Schema.Boolean
/** Milliseconds, bytes of a mean, scores: any number that JSON has. */
export const number = Schema.Finite
export const maybe = Schema.optionalKey
export const orNull = Schema.NullOr
export const list = Schema.Array
export const struct = Schema.Struct
export const oneOf = Schema.Literals
export const counts = Schema.Record(Schema.String, Schema.Natural)
