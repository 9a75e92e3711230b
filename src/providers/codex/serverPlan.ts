import * as Effect from "effect/Effect"
import type { McpEntry } from "../mcpEntry.ts"
import { SettingsUnexpected, SettingsUnreadable } from "../settingsFile.ts"
import { planUndoing, planWriting } from "../settingsPlan.ts"
import {
  isOurServer,
  isTomlProblem,
  putServer,
  readToml,
  serverIn,
  type TomlProblem,
  takeServer
} from "./configToml.ts"

const byteOrderMark = "\uFEFF"

/** The change that puts the MCP server into a config.toml; undefined when it is there. */
export const planServer = Effect.fn("codex.planServer")(function* (file: string, entry: McpEntry, shared: boolean) {
  return yield* planWriting(
    "codex",
    file,
    shared,
    Effect.fnUntraced(function* ({ file: { path, bytes } }) {
      const { mark, text } = yield* textOf(path, bytes)
      const put = putServer(text, entry)
      if (isTomlProblem(put)) return yield* unreadable(path, put)
      if ("where" in put) return yield* new SettingsUnexpected({ path, ...put })
      const before = readToml(text)
      return {
        after: Buffer.from(mark + put.text, "utf8"),
        changes: put.changes,
        installed: !isTomlProblem(before) && isOurServer(serverIn(before.values)),
        emptyBefore: [],
        commands: []
      }
    })
  )
})

/** The change that takes the MCP server out again; undefined when it is not there. */
export const planServerRemoval = Effect.fn("codex.planServerRemoval")(function* (file: string) {
  return yield* planUndoing(
    "codex",
    file,
    Effect.fnUntraced(function* ({ file: { path, bytes } }) {
      const { mark, text } = yield* textOf(path, bytes)
      const taken = takeServer(text)
      if (isTomlProblem(taken)) return yield* unreadable(path, taken)
      return {
        after: Buffer.from(mark + taken.text, "utf8"),
        changes: taken.changes,
        nothingLeft: taken.text.trim() === ""
      }
    })
  )
})

const unreadable = (path: string, problem: TomlProblem) => new SettingsUnreadable({ path, format: "TOML", ...problem })

const textOf = Effect.fnUntraced(function* (path: string, bytes: Buffer | undefined) {
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes ?? Buffer.alloc(0)),
    catch: () => unreadable(path, { line: 1, column: 1, problem: "it is not UTF-8 text" })
  })
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ""
  return { mark, text: text.slice(mark.length) }
})
