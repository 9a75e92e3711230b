import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type ParseError, parse as parseTolerantly } from "jsonc-parser"
import { isObject } from "../domain/jsonObject.ts"
import { Scenario } from "../domain/scenario.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import type { Fault } from "./fault.ts"
import { meaningFaults } from "./meaningFaults.ts"
import { schemaFaults } from "./schemaFaults.ts"

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
