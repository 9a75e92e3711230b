import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser"
import { Experiment } from "../domain/experiment.ts"
import { Disk } from "../platform/Disk.ts"
import { isObject } from "../providers/jsonObject.ts"
import { ExperimentInvalid, ExperimentUnreadable } from "./errors.ts"

const decode = Schema.decodeUnknownResult(Experiment, { errors: "all", onExcessProperty: "error" })
const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads an experiment: JSON, in which comments and commas at the end of a list may stand. Every fault is named with its place. */
export const readExperiment = Effect.fn("readExperiment")(function* (file: string) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(file).pipe(Effect.mapError(({ code }) => new ExperimentUnreadable({ file, code })))
  const errors: Array<ParseError> = []
  const text = bytes.toString("utf8").replace(/^\ufeff/, "")
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [broken] = errors
  if (broken !== undefined) {
    const line = text.slice(0, broken.offset).split("\n").length
    return yield* new ExperimentInvalid({
      file,
      problems: [`It is no JSON: ${printParseErrorCode(broken.error)} in line ${line}`]
    })
  }
  if (!isObject(value)) return yield* new ExperimentInvalid({ file, problems: ["It holds no JSON object"] })
  const { $schema: _schema, ...fields } = value
  const decoded = decode(fields)
  if (Result.isFailure(decoded)) return yield* new ExperimentInvalid({ file, problems: problemsOf(decoded.failure) })
  return decoded.success
})

const problemsOf = (error: Schema.SchemaError): ReadonlyArray<string> => {
  const problems = formatIssues(error.issue).issues.map(({ path = [], message }) => {
    const keys = path.map((part) => (typeof part === "object" ? String(part.key) : String(part)))
    const what = /excess property/i.test(message)
      ? "there is no such field"
      : message === "Missing key"
        ? "it is missing"
        : message.replace(/^Expected/, "expected")
    return `${keys.join(".") || "The file"}: ${what}`
  })
  // An arm that is neither form gives the faults of both.
  return [...new Set(problems)].slice(0, 12)
}
