import * as Effect from "effect/Effect"
import { getNodeValue } from "jsonc-parser"
import { isObject } from "../../domain/jsonObject.ts"
import { type EmptyBefore, emptinessAt, type Registration, removeEmpty } from "../hookSettings.ts"
import { appendMember, ensureRoot, type JsoncText, nodeAt, remove, replaceValue } from "../jsoncText.ts"
import { decodeSettings, readSettings } from "../settingsFile.ts"

const place = ["statusLine"]

/** Whether a member of the settings is the status line of lint-ai, as install writes it. A person's command around it is the person's. */
const isOurs = (value: unknown): value is { readonly command: string } =>
  isObject(value) && typeof value.command === "string" && / statusline claude$/.test(value.command)

const found = (document: JsoncText): unknown => {
  const node = nodeAt(document, place)
  return node === undefined ? undefined : getNodeValue(node)
}

/** Whether a settings file has a status line that is not ours. One that cannot be read may have: then there is one. */
export const hasOtherStatusLine = Effect.fn("claude.hasOtherStatusLine")(function* (settingsFile: string) {
  return yield* Effect.gen(function* () {
    const { document } = yield* decodeSettings(yield* readSettings(settingsFile))
    const value = found(document)
    return value !== undefined && !isOurs(value)
  }).pipe(Effect.orElseSucceed(() => true))
})

/** Puts the status line in, or corrects the command of ours. */
export const putStatusLine =
  (command: string) =>
  (before: JsoncText, emptyBefore: ReadonlyArray<EmptyBefore>): Registration => {
    const value = found(before)
    if (isOurs(value)) {
      return value.command === command
        ? { document: before, changes: [], emptyBefore }
        : {
            document: replaceValue(before, [...place, "command"], command),
            changes: ["correct the command of the status line"],
            emptyBefore
          }
    }
    if (value !== undefined) return { document: before, changes: [], emptyBefore }
    const root = emptyBefore.some((one) => one.path.length === 0) ? undefined : emptinessAt(before, [])
    return {
      document: appendMember(ensureRoot(before), [], "statusLine", { type: "command", command }),
      changes: ["add the status line"],
      emptyBefore: root === undefined ? emptyBefore : [...emptyBefore, root]
    }
  }

/** Takes the status line of ours out again. */
export const takeStatusLine = (
  before: JsoncText,
  emptyBefore: ReadonlyArray<EmptyBefore>
): Pick<Registration, "document" | "changes"> =>
  isOurs(found(before))
    ? { document: removeEmpty(remove(before, place), [], emptyBefore), changes: ["remove the status line"] }
    : { document: before, changes: [] }
