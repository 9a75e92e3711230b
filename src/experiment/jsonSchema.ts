import * as Schema from "effect/Schema"
import { Experiment } from "../domain/experiment.ts"

/** The JSON Schema (draft 2020-12) of an experiment's file, by the name of its own file in docs/json. Fields that an experiment does not have are faults. */
export const experimentSchemas = (): Readonly<Record<string, object>> => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(Experiment, { onExcessProperty: "error" })
  const properties = "properties" in root && typeof root.properties === "object" ? root.properties : {}
  return {
    "experiment.schema.json": {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "An experiment of lint-ai",
      ...root,
      // So that the file may name this schema.
      properties: { $schema: { type: "string" }, ...properties },
      ...(Object.keys(definitions).length === 0 ? undefined : { $defs: definitions })
    }
  }
}
