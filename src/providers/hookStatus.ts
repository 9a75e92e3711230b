import * as path from "node:path"
import * as Effect from "effect/Effect"
import { getNodeValue } from "jsonc-parser"
import { isObject } from "../domain/jsonObject.ts"
import type { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { type HookProgram, type KnownCommand, readHookCommand } from "./hookCommand.ts"
import { type HookShape, type Registered, registrations } from "./hookSettings.ts"
import { readRecord, recordDirectory } from "./installRecord.ts"
import { type JsoncText, nodeAt } from "./jsoncText.ts"
import type { RegisteredHook, Scope, SettingsStatus } from "./ProviderInstaller.ts"
import { decodeSettings, readSettings } from "./settingsFile.ts"

/** What is asked about one settings file. */
export interface StatusQuestion {
  readonly provider: Provider
  readonly scope: Scope | undefined
  readonly settingsFile: string
  readonly program: HookProgram
  readonly wanted: ReadonlySet<string>
  readonly shape?: HookShape
  /** What a timeout counts, in milliseconds; a second unless it is told. */
  readonly timeoutUnitMs?: number
}

export interface SettingsAnswer {
  readonly status: SettingsStatus
  /** The settings themselves, for what a provider wants to know besides; undefined when they could not be read. */
  readonly document: JsoncText | undefined
}

/** Reads the registrations of one settings file and looks whether what they start is there. */
export const settingsStatus = Effect.fn("settingsStatus")(function* (question: StatusQuestion) {
  const { provider, scope, settingsFile } = question
  const unread = { scope, path: settingsFile, target: settingsFile, exists: true, hooks: [], others: [] }
  return yield* Effect.gen(function* () {
    const file = yield* readSettings(settingsFile)
    const record = yield* readRecord(yield* recordDirectory(provider, file.target))
    const { document } = yield* decodeSettings(file)
    const isOurs = (command: string) =>
      readHookCommand(command, provider) !== undefined || record?.commands.includes(command) === true
    const hooks = yield* Effect.forEach(registrations(document, isOurs, question.shape), (one) =>
      describe(one, question)
    )
    const exists = file.bytes !== undefined
    const others = containersOf(document, question.shape).flatMap((shape) =>
      registrations(document, (command) => !isOurs(command), shape).filter((one) => question.wanted.has(one.event))
    )
    const status: SettingsStatus = {
      scope,
      path: settingsFile,
      target: file.target,
      exists,
      problem: undefined,
      hooks,
      others: others.map(({ event, command }) => ({ event, command }))
    }
    return { status, document } as SettingsAnswer
  }).pipe(
    Effect.catchTag(["SettingsNotAFile", "SettingsUnreadable", "DiskError"], (error) =>
      Effect.succeed<SettingsAnswer>({ status: { ...unread, problem: error.message }, document: undefined })
    )
  )
})

/** Where hooks of anybody may stand: in Antigravity CLI each member at the top is a set of them. */
const containersOf = (document: JsoncText, shape: HookShape | undefined): ReadonlyArray<HookShape | undefined> => {
  if (shape === undefined) return [undefined]
  const all: unknown = document.root === undefined ? {} : getNodeValue(document.root)
  return isObject(all) ? Object.keys(all).map((container) => ({ ...shape, container })) : []
}

const describe = Effect.fnUntraced(function* (
  one: Registered,
  { provider, program, wanted, timeoutUnitMs = 1000 }: StatusQuestion
) {
  const { form, program: words }: KnownCommand = readHookCommand(one.command, provider) ?? {
    form: "custom",
    program: []
  }
  const host = yield* Host
  const candidates =
    form === "shared" ? onPath(host.env.PATH ?? "", host.platform) : words.filter((word) => path.isAbsolute(word))
  const found = yield* Effect.forEach(candidates, realFile)
  const started =
    form === "shared" ? found.find((file) => file !== undefined) : found.includes(undefined) ? undefined : found.at(-1)
  const current = yield* Effect.forEach([program.file, ...program.args].filter(path.isAbsolute), realFile)
  const state: RegisteredHook["state"] = !wanted.has(one.event)
    ? "unwanted"
    : started === undefined
      ? candidates.length === 0 && form !== "shared"
        ? "other"
        : "missing"
      : form === "shared" || current.at(-1) === started
        ? "current"
        : "other"
  const timeoutMs = one.timeout === undefined ? undefined : one.timeout * timeoutUnitMs
  return { event: one.event, command: one.command, form, program: started, state, timeoutMs } satisfies RegisteredHook
})

const onPath = (searchPath: string, platform: NodeJS.Platform): ReadonlyArray<string> =>
  searchPath
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .flatMap((directory) =>
      (platform === "win32" ? [".exe", ".cmd"] : [""]).map((end) => path.join(directory, `lint-ai${end}`))
    )

/** The file that a path leads to; undefined when it leads nowhere. */
const realFile = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  return yield* disk.realPath(file).pipe(Effect.orElseSucceed(() => undefined))
})

/** Whether a member at the top of the settings is `true`. */
export const isSet = (document: JsoncText | undefined, key: string): boolean => {
  const node = document && nodeAt(document, [key])
  return node !== undefined && getNodeValue(node) === true
}
