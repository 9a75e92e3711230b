import * as Schema from "effect/Schema"
import { Evaluation, Scenario } from "../domain/scenario.ts"

/** The JSON Schemas (draft 2020-12) of what a scenario file and an evaluation hold, by the names of their files in docs/json. */
export const scenarioSchemas = (): Readonly<Record<string, object>> => ({
  "scenario.schema.json": documentOf(Scenario, "A scenario of lint-ai"),
  "evaluation.schema.json": documentOf(Evaluation, "What a scenario of lint-ai found in a session")
})

/** Fields that a scenario does not have are faults, since a misspelled one would be passed over. */
const documentOf = (schema: Schema.Constraint, title: string): object => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...root,
    ...(Object.keys(definitions).length === 0 ? undefined : { $defs: definitions })
  }
}
