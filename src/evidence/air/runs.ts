import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { isJsonObject, JsonNumber, type JsonObject, parseJson } from "./json.ts"

/** One record with the file that it came from. */
export interface RunFile {
  /** Relative to the runs directory. */
  readonly name: string
  readonly record: JsonObject
}

export interface Runs {
  readonly files: ReadonlyArray<RunFile>
  /** Files that are named as records and hold none: half written, or damaged. The reference leaves them out without a word. */
  readonly unreadable: ReadonlyArray<string>
}

export const recordSuffix = ".air.json"

/** The records of a runs directory; `deep` looks into the directories below it too, as the reference's verifier does and its writers do not. */
export const readRuns = Effect.fn("readRuns")(function* (directory: string, deep: boolean) {
  const disk = yield* Disk
  const files: Array<RunFile> = []
  const unreadable: Array<string> = []
  const waiting = [""]
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    for (const entry of yield* disk.list(path.join(directory, place))) {
      const name = path.join(place, entry)
      const status = yield* disk.status(path.join(directory, name))
      if (status?.kind === "directory" && deep) waiting.push(name)
      if (status?.kind !== "file" || !entry.endsWith(recordSuffix)) continue
      const value = parseJson(yield* disk.readFile(path.join(directory, name)))
      if (isJsonObject(value)) files.push({ name, record: value })
      else unreadable.push(name)
    }
  }
  files.sort((left, right) => (left.name < right.name ? -1 : 1))
  return { files, unreadable } satisfies Runs
})

/** A text field of a record; "" where it is absent or no text. */
export const textOf = (record: JsonObject, field: string): string => {
  const value = record.get(field)
  return typeof value === "string" ? value : ""
}

/** The chain_seq of a record when it is a whole number of a sane size. */
export const sequenceOf = (record: JsonObject): number | undefined => {
  const value = record.get("chain_seq")
  if (!(value instanceof JsonNumber) || !/^-?[0-9]+$/.test(value.text)) return undefined
  const sequence = Number(value.text)
  return Number.isSafeInteger(sequence) ? sequence : undefined
}
