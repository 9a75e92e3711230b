import * as Effect from "effect/Effect"
import { getNodeValue } from "jsonc-parser"
import { replaceFile } from "../archive/atomicFile.ts"
import { isObject } from "../domain/jsonObject.ts"
import { Disk } from "../platform/Disk.ts"
import { isProblem, readJsonc } from "./jsoncText.ts"

/** A JSON object out of a settings file that is only read, with comments or without; empty where there is none, or where it is something else. */
export const objectIn = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
  if (bytes === undefined) return {}
  const document = readJsonc(bytes.toString("utf8").replace(/^\uFEFF/, ""))
  const value: unknown = isProblem(document) || document.root === undefined ? undefined : getNodeValue(document.root)
  return isObject(value) ? value : {}
})

export const writeObject = (file: string, content: object) =>
  replaceFile(file, Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`))

/** The named parts of an object that are there. */
export const pick = (from: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))
