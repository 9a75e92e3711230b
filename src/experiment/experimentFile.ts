import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { type ParseError, parse } from "jsonc-parser"
import { Arm } from "../domain/arm.ts"
import { Experiment, PresetArm } from "../domain/experiment.ts"
import { isObject } from "../domain/jsonObject.ts"
import { Disk } from "../platform/Disk.ts"
import { fieldPath } from "../scenario/fault.ts"
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
    const before = text.slice(0, broken.offset).split("\n")
    return yield* new ExperimentInvalid({
      file,
      problems: [`It is no JSON from line ${before.length}, column ${(before.at(-1) ?? "").length + 1} on`]
    })
  }
  if (!isObject(value)) return yield* new ExperimentInvalid({ file, problems: ["It holds no JSON object"] })
  const { $schema: _schema, ...fields } = value
  const decoded = decode(fields)
  if (Result.isFailure(decoded))
    return yield* new ExperimentInvalid({ file, problems: problemsOf(fields, decoded.failure) })
  return decoded.success
})

const problemsOf = (fields: Readonly<Record<string, unknown>>, error: Schema.SchemaError): ReadonlyArray<string> => {
  const arms = Array.isArray(fields.arms) ? fields.arms.flatMap(armIssues) : []
  // An arm that is neither form would give the faults of both.
  const others = formatIssues(error.issue).issues.filter(
    ({ path = [] }) => arms.length === 0 || keysOf(path)[0] !== "arms"
  )
  const problems = [...others, ...arms].map(({ path = [], message }) => {
    const what = /excess property/i.test(message)
      ? "there is no such field"
      : message === "Missing key"
        ? "it is missing"
        : message
            .replace(/^Expected/, "expected")
            .replace(/a string matching the RegExp.*/, "a name: lower-case letters, digits and dashes")
    return `${fieldPath(keysOf(path)) || "The file"}: ${what}`
  })
  return [...new Set(problems)].slice(0, mostProblems)
}

/** More than a person reads. */
const mostProblems = 12

const keysOf = (path: NonNullable<StandardSchemaV1.Issue["path"]>): ReadonlyArray<PropertyKey> =>
  path.map((part) => (typeof part === "object" ? part.key : part))

const decodePreset = Schema.decodeUnknownResult(PresetArm, { errors: "all", onExcessProperty: "error" })
const decodeArm = Schema.decodeUnknownResult(Arm, { errors: "all", onExcessProperty: "error" })

/** What is wrong with an arm in the form that it is meant in. */
const armIssues = (arm: unknown, at: number): ReadonlyArray<StandardSchemaV1.Issue> => {
  const decoded: Result.Result<unknown, Schema.SchemaError> =
    isObject(arm) && Object.hasOwn(arm, "preset") ? decodePreset(arm) : decodeArm(arm)
  if (Result.isSuccess(decoded)) return []
  return formatIssues(decoded.failure.issue).issues.map(({ path = [], message }) => ({
    path: ["arms", at, ...path],
    message
  }))
}
