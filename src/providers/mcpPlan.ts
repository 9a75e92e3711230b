import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { emptyInner, nodeAt } from "./jsoncText.ts"
import { type McpEntry, putMcpEntry, takeMcpEntry, unexpectedMcpShape, usualContainer } from "./mcpEntry.ts"
import { decodeSettings, encodeSettings, SettingsUnexpected } from "./settingsFile.ts"
import { planUndoing, planWriting } from "./settingsPlan.ts"

/** The change that puts the MCP server into a file of its own, beside the hooks; undefined when it is there. */
export const planMcpEntry = Effect.fn("planMcpEntry")(function* (
  provider: Provider,
  settingsFile: string,
  entry: McpEntry,
  shared: boolean,
  /** Where the file keeps the servers; with another place than the usual one, the file has a record for each. */
  container = usualContainer
) {
  return yield* planWriting(
    provider,
    settingsFile,
    shared,
    Effect.fnUntraced(function* ({ file, record }) {
      const { mark, document } = yield* decodeSettings(file)
      const root = document.root
      const unexpected =
        root !== undefined && root.type !== "object"
          ? { where: "the file", expected: "an object", found: `a value of type ${root.type}` }
          : unexpectedMcpShape(document, provider, container)
      if (unexpected !== undefined) return yield* new SettingsUnexpected({ path: file.path, ...unexpected })
      const installed = nodeAt(document, [...container, "lint-ai"]) !== undefined
      const put = putMcpEntry(document, provider, entry, installed ? (record?.empty_before ?? []) : [], container)
      return {
        after: encodeSettings(mark, put.document),
        changes: put.changes,
        installed,
        emptyBefore: put.emptyBefore,
        commands: []
      }
    }),
    partOf(container)
  )
})

/** The change that takes the MCP server out again; undefined when it is not there. */
export const planMcpRemoval = Effect.fn("planMcpRemoval")(function* (
  provider: Provider,
  settingsFile: string,
  container = usualContainer
) {
  return yield* planUndoing(
    provider,
    settingsFile,
    Effect.fnUntraced(function* ({ file, record }) {
      const { mark, document } = yield* decodeSettings(file)
      const taken = takeMcpEntry(document, provider, record?.empty_before ?? [], container)
      return {
        after: encodeSettings(mark, taken.document),
        changes: taken.changes,
        nothingLeft: taken.document.text.trim() === "{}" && emptyInner(taken.document, []) !== undefined
      }
    }),
    partOf(container)
  )
})

const partOf = (container: ReadonlyArray<string>): string | undefined =>
  container === usualContainer ? undefined : JSON.stringify(container)
