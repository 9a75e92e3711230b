import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { type ParseError, parse as parseTolerantly } from "jsonc-parser"
import { Fact, Limits, Scenario, Validator } from "../domain/scenario.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { isObject } from "../providers/jsonObject.ts"
import { patternOf, plainText } from "./facts.ts"

/** Something that is wrong with a scenario: where, what, and what to do. Sentences; `path` is "" for the file as a whole. */
export interface Fault {
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

/** There is no such file, or it cannot be read. */
export class ScenarioUnreadable extends Data.TaggedError("ScenarioUnreadable")<{
  readonly path: string
  readonly code: string
}> {
  override get message(): string {
    return `${this.path} cannot be read as a scenario (${this.code}). \`lint-ai scenario from-session\` makes one.`
  }
}

/** A file is no scenario that can be run. */
export class ScenarioInvalid extends Data.TaggedError("ScenarioInvalid")<{
  readonly path: string
  readonly faults: ReadonlyArray<Fault>
}> {
  override get message(): string {
    const [first] = this.faults
    const more = this.faults.length > 1 ? ` (and ${this.faults.length - 1} more)` : ""
    const what = first === undefined ? "" : ` ${first.path === "" ? "" : `${first.path}: `}${first.problem}${more}`
    return `${this.path} is no valid scenario.${what} \`lint-ai scenario validate\` explains all of it.`
  }
}

/** A scenario as it was read. */
export interface ScenarioFile {
  readonly path: string
  readonly scenario: Scenario
  /** SHA-256 of the file's bytes: what an agreement to its commands and its results refer to. */
  readonly digest: string
  /** What was read in an older form, as sentences. */
  readonly notes: ReadonlyArray<string>
}

/** A scenario holds prompts and expectations; nothing of this size is one. */
const mostBytes = 2 * 1024 * 1024

/** Reads a scenario from a file, which is not changed. */
export const readScenario = Effect.fn("readScenario")(function* (path: string) {
  const disk = yield* Disk
  const unreadable = (code: string) => new ScenarioUnreadable({ path, code })
  const real = yield* disk.realPath(path).pipe(Effect.mapError(({ code }) => unreadable(code)))
  const status = yield* disk.status(real).pipe(Effect.mapError(({ code }) => unreadable(code)))
  if (status?.kind !== "file") return yield* unreadable("it is no file")
  const bytes = yield* disk
    .withFile(real, "read", (file) => file.read(0, Math.min(status.size, mostBytes) + 1))
    .pipe(Effect.mapError(({ code }) => unreadable(code)))
  const read = parseScenario(bytes)
  if (read._tag === "Faults") return yield* new ScenarioInvalid({ path, faults: read.faults })
  return { path, scenario: read.scenario, digest: sha256(bytes), notes: read.notes } satisfies ScenarioFile
})

export type ScenarioReading =
  | { readonly _tag: "Scenario"; readonly scenario: Scenario; readonly notes: ReadonlyArray<string> }
  | { readonly _tag: "Faults"; readonly faults: ReadonlyArray<Fault> }

/** A scenario from the bytes of its file, with everything that is wrong with it at once. Pure; never fails. */
export const parseScenario = (bytes: Uint8Array): ScenarioReading => {
  const refused = (problem: string, remedy: string): ScenarioReading => ({
    _tag: "Faults",
    faults: [{ path: "", problem, remedy }]
  })
  if (bytes.length > mostBytes) {
    return refused(
      `The file is larger than ${mostBytes / 1024 / 1024} MiB.`,
      "A scenario refers to its session and copies none of it: take recorded content out."
    )
  }
  const json = parseJson(bytes)
  if (json._tag === "Broken") return refused(`The file is no JSON (${json.reason}).`, "Mend it at that place.")
  if (!isObject(json.value)) return refused("The file holds no JSON object.", "Begin it with `{`.")
  const { value, notes, faults } = modernised(json.value)
  const decoded = decode(value)
  if (Result.isFailure(decoded)) return { _tag: "Faults", faults: [...faults, ...schemaFaults(decoded.failure)] }
  const all = [...faults, ...meaningFaults(decoded.success)]
  return all.length > 0 ? { _tag: "Faults", faults: all } : { _tag: "Scenario", scenario: decoded.success, notes }
}

const decode = Schema.decodeUnknownResult(Scenario, { errors: "all", onExcessProperty: "error" })

const parseJson = (
  bytes: Uint8Array
): { readonly _tag: "Json"; readonly value: unknown } | { readonly _tag: "Broken"; readonly reason: string } => {
  let text: string
  try {
    // Fatal: a prompt with bytes that are no text would be another prompt.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return { _tag: "Broken", reason: "it holds bytes that are no UTF-8" }
  }
  try {
    return { _tag: "Json", value: JSON.parse(text) }
  } catch {
    return { _tag: "Broken", reason: brokenAt(text) }
  }
}

/** Where a text stops being JSON. The engine's own message quotes the text, and not every engine tells the place. */
const brokenAt = (text: string): string => {
  const errors: Array<ParseError> = []
  try {
    parseTolerantly(text, errors, { disallowComments: true })
  } catch {
    // It goes as deep as the text does.
    return "it is nested too deeply"
  }
  const [first] = errors
  if (first === undefined) return "it cannot be parsed"
  const before = text.slice(0, first.offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
}

/**
 * An older scenario in the form of today. Its timeout is the limit of the duration; its list of continuation messages is read where it says the same as one
 * continuation prompt, since one prompt is scored.
 */
const modernised = (given: Readonly<Record<string, unknown>>) => {
  const notes: Array<string> = []
  const faults: Array<Fault> = []
  const { continuation_messages: messages, ...others } = given
  const value: Record<string, unknown> = others
  const { limits } = value
  if (isObject(limits) && Object.hasOwn(limits, "timeout_seconds") && !Object.hasOwn(limits, "max_duration_seconds")) {
    const { timeout_seconds, ...rest } = limits
    value.limits = { ...rest, max_duration_seconds: timeout_seconds }
    notes.push("limits.timeout_seconds is read as limits.max_duration_seconds.")
  }
  if (messages !== undefined) {
    const prompts = Array.isArray(messages) ? messages.map(promptIn) : [undefined]
    const [only] = prompts
    const { continuation_prompt: prompt } = value
    if (prompts.length === 1 && only !== undefined && (prompt === undefined || prompt === only)) {
      value.continuation_prompt = only
      notes.push("continuation_messages is read as continuation_prompt.")
    } else if (prompts.length > 0) {
      faults.push({
        path: "continuation_messages",
        problem: "Several messages of a continuation are not read: one prompt is scored.",
        remedy: "Keep the last one as continuation_prompt and move the others to setup_messages."
      })
    }
  }
  return { value, notes, faults }
}

const promptIn = (message: unknown): string | undefined =>
  typeof message === "string"
    ? message
    : isObject(message) && typeof message.prompt === "string"
      ? message.prompt
      : undefined

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** More faults than a person reads. */
const mostFaults = 100

const schemaFaults = (error: Schema.SchemaError): ReadonlyArray<Fault> => {
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
  const where = pathText(keys)
  if (message.includes("excess property")) {
    return {
      path: where,
      problem: "There is no such field.",
      remedy: unknownField(String(last), keys.find((key) => typeof key === "string") ?? "")
    }
  }
  if (message === "Missing key") {
    return typeof last === "number"
      ? { path: pathText(keys.slice(0, -1)), problem: "The list is empty.", remedy: "Give it at least one item." }
      : { path: where, problem: "It is missing.", remedy: remedies[String(last)] ?? "Add it." }
  }
  const problem = `${message.replace(/^Expected/, "It must be").replace(/a string matching the RegExp.*/, "a name")}.`
  return { path: where, problem, remedy: remedies[String(last)] ?? "Change it to that." }
}

/** What to write in a field, by its name. */
const remedies: Readonly<Record<string, string>> = {
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
  const meant = known.find((name) => isNear(bare(name), bare(given)))
  return meant === undefined ? `Remove it. There are ${known.join(", ")}.` : `Write ${meant}.`
}

/** Whether two words differ in at most two letters. */
const isNear = (left: string, right: string): boolean => {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (const [place, letter] of [...left].entries()) {
    const next = [place + 1]
    for (let at = 1; at <= right.length; at++) {
      const changed = (row[at - 1] ?? 0) + (letter === right[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? 0) <= 2
}

const pathText = (keys: ReadonlyArray<PropertyKey>): string =>
  keys.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

/** What a scenario says that cannot be meant, although each field is well formed. */
const meaningFaults = (scenario: Scenario): ReadonlyArray<Fault> => [
  ...factFaults(scenario),
  ...scenario.validators.flatMap((validator, index) => validatorFaults(scenario, validator, index)),
  ...scenario.setup_messages.flatMap(({ establishes_fact_ids: ids = [] }, index) =>
    ids
      .filter((id) => !allFacts(scenario).some(({ fact }) => fact.id === id))
      .map((id) => ({
        path: `setup_messages[${index}].establishes_fact_ids`,
        problem: `It names "${id}", and no fact has that id.`,
        remedy: "Give the id of one of expected_facts or forbidden_facts, or take it out."
      }))
  ),
  ...revisionFaults(scenario)
]

const allFacts = ({ expected_facts: expected, forbidden_facts: forbidden = [] }: Scenario) => [
  ...expected.map((fact, index) => ({ fact, path: `expected_facts[${index}]`, expected: true })),
  ...forbidden.map((fact, index) => ({ fact, path: `forbidden_facts[${index}]`, expected: false }))
]

const factFaults = (scenario: Scenario): ReadonlyArray<Fault> => {
  const facts = allFacts(scenario)
  return facts.flatMap(({ fact, path, expected }, at) => {
    const earlier = facts.slice(0, at)
    const namesake = earlier.find((other) => other.fact.id === fact.id)
    const opposed = earlier.find(
      (other) => other.expected !== expected && other.fact.id !== fact.id && shareText(other.fact, fact)
    )
    return [
      ...(namesake === undefined ? [] : [namesakeFault(fact.id, path, namesake, expected)]),
      ...(opposed === undefined
        ? []
        : [
            {
              path,
              problem: `${opposed.path} expects a text that this forbids, so no answer passes both.`,
              remedy: "Remove one of the two."
            }
          ]),
      ...fact.match_any.flatMap((text, index) => textFaults(fact, text, `${path}.match_any[${index}]`))
    ]
  })
}

const namesakeFault = (
  id: string,
  path: string,
  namesake: { readonly path: string; readonly expected: boolean },
  expected: boolean
): Fault =>
  namesake.expected === expected
    ? { path: `${path}.id`, problem: `${namesake.path} has the id "${id}" too.`, remedy: "Give each its own." }
    : {
        path: `${path}.id`,
        problem: `"${id}" is both expected (${namesake.path}) and forbidden.`,
        remedy: "Remove one of the two, or give one another id."
      }

/** Whether an answer that has one fact must have the other: one of their texts is the same. */
const shareText = (left: Fact, right: Fact): boolean => {
  if (left.regex !== right.regex) return false
  const form = (text: string) => (left.regex === true ? text : plainText(text))
  return left.match_any.some((text) => right.match_any.some((other) => form(text) === form(other)))
}

const textFaults = (fact: Fact, text: string, path: string): ReadonlyArray<Fault> => {
  if (fact.regex !== true) {
    return plainText(text) === ""
      ? [{ path, problem: "Nothing is left of it without marks and spaces.", remedy: "Write a text to look for." }]
      : []
  }
  const read = patternOf(text)
  return read._tag === "Pattern"
    ? []
    : [
        {
          path,
          problem: `The pattern ${read.problem}.`,
          remedy: "Use the syntax of RE2, or leave `regex` out and give texts."
        }
      ]
}

const validatorFaults = (
  scenario: Scenario,
  validator: Scenario["validators"][number],
  index: number
): ReadonlyArray<Fault> => {
  const path = `validators[${index}]`
  const twin = scenario.validators.findIndex(({ name }) => name === validator.name)
  const [program] = validator.command
  return [
    ...(twin === index
      ? []
      : [{ path: `${path}.name`, problem: `validators[${twin}] has this name too.`, remedy: "Give each its own." }]),
    ...(program.trim() === ""
      ? [{ path: `${path}.command[0]`, problem: "It names no program.", remedy: remedies.command ?? "" }]
      : []),
    ...(validator.command.some((part) => part.includes("\0"))
      ? [{ path: `${path}.command`, problem: "It holds a NUL character.", remedy: "Take it out." }]
      : []),
    ...((validator.timeout_seconds ?? 0) > mostSeconds
      ? [{ path: `${path}.timeout_seconds`, problem: "It is more than a day.", remedy: "Give at most 86400." }]
      : [])
  ]
}
const mostSeconds = 86_400

/** A revision is given to Git, where one that begins with a dash would be an option. */
const revisionFaults = (scenario: Scenario): ReadonlyArray<Fault> =>
  [
    ["repository.revision", scenario.repository?.revision] as const,
    ["source_session.repository_revision", scenario.source_session?.repository_revision] as const
  ].flatMap(([path, revision]) =>
    revision === undefined || revision === null || /^[0-9A-Za-z][\w./~^@{}-]{0,199}$/.test(revision)
      ? []
      : [{ path, problem: "It is no revision of Git.", remedy: "Write a commit, a tag or a branch." }]
  )
