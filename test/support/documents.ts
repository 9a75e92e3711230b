import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { CommandDocument } from "../../src/cli/documents/CommandDocument.ts"
import { documents } from "../../src/cli/documents/documents.ts"
import { jsonSchemaOf } from "../../src/cli/documents/jsonSchema.ts"

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
const compiled = new Map<string, ValidateFunction>()

/** The document that a command line asks for; undefined for a command that has none. */
export const documentOf = (args: ReadonlyArray<string>): CommandDocument | undefined => {
  const words = [...args]
  const once = args.includes("--once")
  const found = documents
    .filter(({ command }) => {
      const own = command.split(" ").filter((word) => word !== "--once")
      return own.every((word, at) => words[at] === word) && (own[0] !== "watch" || command.endsWith("--once") === once)
    })
    .sort((left, right) => right.command.length - left.command.length)
  return found[0]
}

/** What of a text does not fit the schema of a document, fields that the schema does not have among it; empty when all fits. */
export const misfits = (one: CommandDocument, text: string): ReadonlyArray<string> => {
  const validate = compiled.get(one.command) ?? ajv.compile(jsonSchemaOf(one, true))
  compiled.set(one.command, validate)
  const texts = one.lines === true ? text.split("\n").filter((line) => line !== "") : [text]
  return texts.flatMap((part) => {
    if (validate(JSON.parse(part))) return []
    return (validate.errors ?? []).map(
      (error) => `${one.command}: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`
    )
  })
}
