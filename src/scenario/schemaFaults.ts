import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { Fact, Limits, Scenario, Validator } from "../domain/scenario.ts"
import { mostSlips, slipsBetween } from "../domain/slips.ts"
import { type Fault, fieldPath } from "./fault.ts"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** More faults than a person reads. */
const mostFaults = 100

/** What does not fit the schema of a scenario, with what to write there. */
export const schemaFaults = (error: Schema.SchemaError): ReadonlyArray<Fault> => {
  const { issues } = formatIssues(error.issue)
  const told = issues.slice(0, mostFaults).map(faultOf)
  const more = issues.length - told.length
  return more === 0
    ? told
    : [...told, { path: "", problem: `There are ${more} more faults.`, remedy: "Mend these first." }]
}

const faultOf = ({ path = [], message }: StandardSchemaV1.Issue): Fault => {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part))
  const last = keys.at(-1)
  const where = fieldPath(keys)
  if (message.includes("excess property")) {
    return {
      path: where,
      problem: "There is no such field.",
      remedy: unknownField(String(last), keys.find((key) => typeof key === "string") ?? "")
    }
  }
  if (message === "Missing key") {
    return typeof last === "number"
      ? { path: fieldPath(keys.slice(0, -1)), problem: "The list is empty.", remedy: "Give it at least one item." }
      : { path: where, problem: "It is missing.", remedy: remedies[String(last)] ?? "Add it." }
  }
  const problem = `${message
    .replace(/^Expected/, "It must be")
    .replace(/\barray\b/, "a list")
    .replace(/a string matching the RegExp.*/, "a name")}.`
  return { path: where, problem, remedy: remedies[String(last)] ?? "Change it to that." }
}

/** What to write in a field, by its name. */
export const remedies: Readonly<Record<string, string>> = {
  schema_version: "Write 1.",
  id: "Use lower-case letters, digits, dots, dashes and underscores, at most 120.",
  name: "Use lower-case letters, digits, dots, dashes and underscores, at most 120.",
  category: 'Write one, such as "session-review".',
  continuation_prompt: "Write the prompt whose answer is scored.",
  setup_messages: "Write [] when nothing comes before the prompt that is scored.",
  expected_facts: "Write [] when no fact is expected.",
  validators: "Write [] when there are none.",
  limits: "Write {} when there are none.",
  command: 'Write the program and its arguments as a list: ["npm", "test"].',
  match_any: 'Write a list of texts: ["IndexStore"].',
  prompt: "Write the text of the prompt."
}

/** The fields of an object, by the field of the scenario that holds it. */
const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  source_session: ["provider", "session_id", "archive", "repository_revision", "events_sha256"],
  repository: ["path", "revision"],
  setup_messages: ["prompt", "establishes_fact_ids"],
  expected_facts: Object.keys(Fact.fields),
  forbidden_facts: Object.keys(Fact.fields),
  validators: Object.keys(Validator.fields),
  limits: Object.keys(Limits.fields)
}

const unknownField = (given: string, within: PropertyKey): string => {
  const known = (given === within ? undefined : fieldsOf[String(within)]) ?? Object.keys(Scenario.fields)
  const bare = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "")
  const meant = known.find((name) => slipsBetween(bare(name), bare(given)) <= mostSlips)
  return meant === undefined ? `Remove it. There are ${known.join(", ")}.` : `Write ${meant}.`
}
