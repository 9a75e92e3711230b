import * as Schema from "effect/Schema"
import { document, list, struct, text } from "./CommandDocument.ts"

/** Every command prints one of these instead of its own when it fails; the exit code says how (cli/errors.ts). */
export const failureDocuments = [
  document(
    "failure",
    "What is printed instead of a command's own document when it fails; which facts an error has beside tag and message, its tag decides",
    struct({
      ok: Schema.Literal(false),
      error: Schema.Union([
        struct({ tag: Schema.Literal("Usage"), message: text, messages: list(text) }),
        Schema.StructWithRest(struct({ tag: text, message: text }), [Schema.Record(Schema.String, Schema.Unknown)])
      ])
    })
  )
]
