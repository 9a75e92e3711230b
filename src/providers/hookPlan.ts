import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { readHookCommand } from "./hookCommand.ts"
import {
  type EmptyBefore,
  type Handler,
  type HookShape,
  type Registration,
  register,
  registrations,
  unexpectedShape,
  unregister
} from "./hookSettings.ts"
import { emptyInner, type JsoncText } from "./jsoncText.ts"
import { type McpEntry, putMcpEntry, takeMcpEntry, unexpectedMcpShape } from "./mcpEntry.ts"
import { decodeSettings, encodeSettings, SettingsUnexpected } from "./settingsFile.ts"
import { planUndoing, planWriting } from "./settingsPlan.ts"

/** What install wants in one settings file. */
export interface HookRegistration {
  readonly provider: Provider
  readonly settingsFile: string
  readonly handlers: ReadonlyMap<string, Handler>
  /** Whether a handler of ours for an event that is not among `handlers` may stay. */
  readonly keeps: (event: string) => boolean
  /** Whether colleagues read the file: then it is made readable to them. */
  readonly shared: boolean
  readonly shape?: HookShape
  /** The MCP server that the same file is to name. */
  readonly mcp?: McpEntry | undefined
  /** What else the same file is to have. */
  readonly also?: ((document: JsoncText, emptyBefore: ReadonlyArray<EmptyBefore>) => Registration) | undefined
}

/** The change that registers the handlers in one file; undefined when they are there already. */
export const planRegistration = Effect.fn("planRegistration")(function* (wanted: HookRegistration) {
  const { provider, handlers, shape, mcp } = wanted
  return yield* planWriting(
    provider,
    wanted.settingsFile,
    wanted.shared,
    Effect.fnUntraced(function* ({ file, record, isOurs }) {
      const { mark, document } = yield* decodeSettings(file)
      const unexpected =
        unexpectedShape(document, handlers.keys(), shape) ??
        (mcp === undefined ? undefined : unexpectedMcpShape(document, provider))
      if (unexpected !== undefined) return yield* new SettingsUnexpected({ path: file.path, ...unexpected })

      const installed = registrations(document, isOurs, shape).length > 0
      const registered = register(document, {
        handlers,
        keeps: wanted.keeps,
        isOurs,
        isRepairable: (command) => readHookCommand(command, provider)?.form !== "custom",
        // A record says nothing about a file out of which everything of ours was taken by hand.
        emptyBefore: installed ? (record?.empty_before ?? []) : [],
        shape
      })
      const served =
        mcp === undefined ? registered : putMcpEntry(registered.document, provider, mcp, registered.emptyBefore)
      const completed = wanted.also?.(served.document, served.emptyBefore) ?? { ...served, changes: [] }
      return {
        after: encodeSettings(mark, completed.document),
        changes: [...registered.changes, ...(mcp === undefined ? [] : served.changes), ...completed.changes],
        installed,
        emptyBefore: completed.emptyBefore,
        commands: [...handlers.values()].map((one) => one.command)
      }
    })
  )
})

/** The change that takes the hooks, and the MCP server, out of one file; undefined when there is nothing of ours. */
export const planRemoval = Effect.fn("planRemoval")(function* (
  provider: Provider,
  settingsFile: string,
  shape?: HookShape,
  /** Takes out what `also` put in. */
  also?: (document: JsoncText, emptyBefore: ReadonlyArray<EmptyBefore>) => Pick<Registration, "document" | "changes">
) {
  return yield* planUndoing(
    provider,
    settingsFile,
    Effect.fnUntraced(function* ({ file, record, isOurs }) {
      const { mark, document } = yield* decodeSettings(file)
      const emptyBefore = record?.empty_before ?? []
      const without = also?.(document, emptyBefore) ?? { document, changes: [] }
      const unserved = takeMcpEntry(without.document, provider, emptyBefore)
      const cut = unregister(unserved.document, isOurs, emptyBefore, shape)
      return {
        after: encodeSettings(mark, cut.document),
        changes: [...cut.changes, ...unserved.changes, ...without.changes],
        nothingLeft: cut.document.text.trim() === "{}" && emptyInner(cut.document, []) !== undefined
      }
    })
  )
})
