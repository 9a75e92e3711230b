import * as path from "node:path"
import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { Disk } from "../../platform/Disk.ts"
import { registrations } from "../hookSettings.ts"
import { type SettingsAnswer, settingsStatus } from "../hookStatus.ts"
import type { InstallStatus, Scope, StatusOptions } from "../ProviderInstaller.ts"
import { settingsTarget } from "../settingsFile.ts"
import { type CodexPlaces, codexPlaces } from "./codexFiles.ts"
import { isTomlProblem, readToml } from "./configToml.ts"
import { codexHooks } from "./hooks.ts"
import { whyIgnored } from "./hooksRules.ts"
import { isProjectTrusted, trustDigest, trustIn, trustKey } from "./hookTrust.ts"

const events = Object.keys(codexHooks)
type Table = Readonly<Record<string, unknown>>

/**
 * What Codex would run: the hooks of all its files together, each as often as it stands there. Trust is read from the user's configuration as
 * it is on the disk; trust that a run is given on its command line, or by a profile, is not seen here.
 */
export const codexStatus = Effect.fn("codex.status")(function* (options: StatusOptions) {
  const places = yield* codexPlaces(options.project)
  const userConfig = yield* configIn(places.user.config)
  const projectConfig = yield* configIn(places.project.config)
  const asked: Array<{ readonly scope: Scope | undefined; readonly settingsFile: string }> = [
    { scope: "project", settingsFile: places.project.hooks },
    { scope: "user", settingsFile: places.user.hooks }
  ]
  if (options.settingsFile !== undefined) asked.push({ scope: undefined, settingsFile: options.settingsFile })
  const answers = yield* Effect.forEach(asked, (file) =>
    settingsStatus({ ...file, provider: "codex", program: options.program, wanted: new Set(events) })
  )
  const statuses = yield* Effect.forEach(answers, (answer) => judge(answer, places, userConfig))
  const effective = statuses.filter((file) => file.problem === undefined).flatMap((file) => file.hooks)
  const times = (event: string) => effective.filter((hook) => hook.event === event).length
  return {
    provider: "codex",
    files: statuses,
    missing: events.filter((event) => times(event) === 0),
    // Codex runs what stands in two files twice, equal or not.
    repeated: events.filter((event) => times(event) > 1),
    hooksOffIn: [
      ...(hasHooksOff(userConfig) ? [places.user.config] : []),
      ...(hasHooksOff(projectConfig) ? [places.project.config] : [])
    ]
  } satisfies InstallStatus
})

/**
 * Whether the user trusts the project, and the directory whose trust counts for all of it: the top of the main checkout, links followed.
 * Read from the user's configuration as it is on the disk.
 */
export const projectTrust = Effect.fn("codex.projectTrust")(function* (project: string) {
  const places = yield* codexPlaces(project)
  return {
    isTrusted: isProjectTrusted(yield* configIn(places.user.config), places.roots),
    root: places.roots.at(-1) ?? project
  }
})

/** Adds what Codex thinks of a file and of each hook in it. */
const judge = Effect.fnUntraced(function* (answer: SettingsAnswer, places: CodexPlaces, userConfig: Table) {
  const { status, document } = answer
  if (document === undefined || !status.exists) return status
  const reason = whyIgnored(document, yield* hasByteOrderMark(status.target))
  const isForeign = status.scope === "project" && !isProjectTrusted(userConfig, places.roots)
  const problem =
    reason !== undefined
      ? `${status.path}: ${reason}, and Codex then leaves the file aside.`
      : isForeign
        ? `${status.path}: Codex does not trust this project, and reads nothing of it. It asks for that when it is started there.`
        : status.problem
  const commands = status.hooks.map((hook) => hook.command)
  const found = registrations(document, (command) => commands.includes(command))
  const file = yield* namedByCodex(status.path)
  return {
    ...status,
    problem,
    ...(reason === undefined && isForeign ? { untrusted: true as const } : {}),
    hooks: status.hooks.map((hook, index) => {
      const place = found[index]
      if (place === undefined) return hook
      return { ...hook, trust: trustIn(userConfig, trustKey(file, place), trustDigest(document, place)) }
    })
  }
})

/** A hooks.json as Codex names it in its keys: the directory with links followed, the file itself not. */
const namedByCodex = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const directory = yield* disk.realPath(path.dirname(file)).pipe(Effect.orElseSucceed(() => path.dirname(file)))
  return path.join(directory, path.basename(file))
})

const hasByteOrderMark = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  return yield* disk.readFile(file).pipe(
    Effect.map((bytes) => bytes.subarray(0, 3).toString("latin1") === "\u00ef\u00bb\u00bf"),
    Effect.orElseSucceed(() => false)
  )
})

/** The values of a config.toml; none where there is no file or none that can be read. */
const configIn = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const nothing: Table = {}
  const target = yield* settingsTarget(file).pipe(Effect.orElseSucceed(() => file))
  if ((yield* disk.status(target).pipe(Effect.orElseSucceed(() => undefined)))?.kind !== "file") return nothing
  const text = yield* disk.readFile(target).pipe(
    Effect.map((bytes) => bytes.toString("utf8").replace(/^\uFEFF/, "")),
    Effect.orElseSucceed(() => "")
  )
  const read = readToml(text)
  return isTomlProblem(read) ? nothing : read.values
})

const hasHooksOff = ({ features }: Table): boolean => isObject(features) && features.hooks === false
