import * as Schema from "effect/Schema"
import type { CommandDocument } from "./CommandDocument.ts"
import { documents } from "./documents.ts"

/** The name of a command's schema in docs/json. */
export const schemaFile = ({ command }: CommandDocument): string =>
  `${command.replace(/[^a-z]+/g, "-")}.output.schema.json`

/**
 * The JSON Schema (draft 2020-12) of a command's document. Readers must expect fields that a later version adds; `closed` gives the one that tests
 * use, for which a field that is not in it is a fault.
 */
export const jsonSchemaOf = (one: CommandDocument, closed = false): Readonly<Record<string, unknown>> => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(
    Schema.toType(one.schema as Schema.Top),
    closed ? { onExcessProperty: "error" } : {}
  )
  const called = one.command === "failure" ? "any command with --json" : `lint-ai ${one.command} --json`
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: one.lines === true ? `A line of ${called}` : called,
    description: `${one.about}.`,
    ...schema,
    ...(Object.keys(definitions).length === 0 ? undefined : { $defs: definitions })
  }
}

/** All schemas by the names of their files. */
export const outputSchemas = (): Readonly<Record<string, object>> =>
  Object.fromEntries(documents.map((one) => [schemaFile(one), jsonSchemaOf(one)]))
