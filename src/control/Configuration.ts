import * as path from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ArchivePolicy } from "../archive/ArchivePolicy.ts"
import { isObject } from "../domain/jsonObject.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import type { Host } from "../platform/Host.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { defaultPolicy, type RedactionPolicy } from "../redaction/policy.ts"
import { type ConfigOwner, decodePolicy, joinPolicies } from "../redaction/policyConfig.ts"
import { type Consent, projectConfigPath } from "./Toggles.ts"

const Durability = Schema.Literals(["process", "power"])

/** The `recording` part of a configuration file. */
interface RecordingConfig {
  readonly durability?: typeof Durability.Type
  readonly session_max_bytes?: number
}

// Each by itself: a slip in one leaves the other in force.
const decodeDurability = Schema.decodeUnknownOption(Durability)
const decodeBytes = Schema.decodeUnknownOption(Schema.Natural)

/** config.json, of the user (in the config directory) or of a project (in `.lint-ai`). */
interface ConfigParts {
  readonly recording?: RecordingConfig
  readonly redaction?: unknown
  readonly retention?: unknown
}
const partNames: ReadonlyArray<string> = ["recording", "redaction", "retention"]

/** One file that was read: where, whose it is, and its parts. */
export interface ConfigSource {
  readonly file: string
  readonly owner: ConfigOwner
  readonly parts: ConfigParts
  /** What of it could not be read; the defaults hold in its place. What is wrong within `redaction` and `retention` is told by those who read them. */
  readonly problems: ReadonlyArray<string>
}

/** What holds for a project. */
export interface Settings {
  readonly sources: ReadonlyArray<ConfigSource>
  readonly redaction: RedactionPolicy
  readonly archive: Context.Service.Shape<typeof ArchivePolicy>
  /** Sentences for a person; they name places and never a value. */
  readonly problems: ReadonlyArray<{ readonly file: string; readonly problem: string }>
}

/**
 * The configuration in layers: the defaults, the user's, the project's. A project's that the user has not adopted as it is may only tighten: add
 * redaction rules, make events durable, make sessions smaller.
 */
export class Configuration extends Context.Service<
  Configuration,
  {
    /** Never fails: what cannot be read falls back to the defaults and is reported. */
    readonly load: (projectRoot: string | undefined, consent: Consent) => Effect.Effect<Settings>
  }
>()("lint-ai/control/Configuration") {
  static readonly make = Effect.gen(function* () {
    const machine = yield* Effect.context<Disk | Host>()
    return Configuration.of({
      load: (projectRoot, consent) => Effect.provideContext(load(projectRoot, consent), machine)
    })
  })

  static readonly layer = Layer.effect(Configuration, Configuration.make)

  /** Nothing but the defaults, or the given redaction policy. */
  static readonly layerTest = (redaction: RedactionPolicy = defaultPolicy) =>
    Layer.effect(
      Configuration,
      Effect.map(ArchivePolicy, (archive) => ({
        load: () => Effect.succeed({ sources: [], redaction, archive, problems: [] })
      }))
    )
}

const load = Effect.fnUntraced(function* (projectRoot: string | undefined, consent: Consent) {
  const { config } = yield* userDirectories
  const digest = consent._tag === "adopted" ? consent.configDigest : undefined
  const own = yield* readSource(path.join(config, "config.json"), () => "user")
  const brought =
    projectRoot === undefined
      ? undefined
      : yield* readSource(projectConfigPath(projectRoot), (bytes) =>
          sha256(bytes) === digest ? "adopted-project" : "project"
        )
  const sources = [own, brought].filter((source) => source !== undefined)
  let archive = yield* ArchivePolicy
  const policies: Array<RedactionPolicy> = []
  const problems: Array<{ file: string; problem: string }> = []
  for (const { file, owner, parts, problems: unread } of sources) {
    const decoded = decodePolicy(parts.redaction, owner)
    policies.push(decoded.policy)
    problems.push(...[...unread, ...decoded.problems].map((problem) => ({ file, problem })))
    archive = withRecording(archive, parts.recording ?? {}, owner)
  }
  return {
    sources,
    redaction: policies.length === 0 ? defaultPolicy : joinPolicies(policies),
    archive,
    problems
  } satisfies Settings
})

const readSource = Effect.fnUntraced(function* (
  file: string,
  ownerOf: (bytes: Buffer) => ConfigOwner
): Effect.fn.Return<ConfigSource | undefined, never, Disk> {
  const disk = yield* Disk
  // Mostly there is none, and to find that out by a failure takes ten times as long.
  const bytes = yield* disk.status(file).pipe(
    Effect.flatMap((status) => (status === undefined ? Effect.succeed(undefined) : disk.readFile(file))),
    Effect.catchIf(
      (error) => error.code === "ENOENT" || error.code === "ENOTDIR",
      () => Effect.succeed(undefined)
    ),
    Effect.catch((error) => Effect.succeed(error))
  )
  if (bytes === undefined) return undefined
  if (!Buffer.isBuffer(bytes)) {
    return { file, owner: "project", parts: {}, problems: [`cannot be read (${bytes.code})`] }
  }
  return { file, owner: ownerOf(bytes), ...readParts(bytes.toString("utf8")) }
})

const byteOrderMark = "\uFEFF"

/** The parts of a configuration, each by itself: what is wrong with one must not take redaction rules out of force that stand in another. */
const readParts = (text: string): Pick<ConfigSource, "parts" | "problems"> => {
  const value = parse(text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text)
  if (value === undefined) return { parts: {}, problems: ["is no JSON; the defaults hold instead"] }
  if (!isObject(value)) return { parts: {}, problems: ["is no JSON object; the defaults hold instead"] }
  const { recording, redaction, retention } = value
  const problems = unknownNames("", value, partNames)
  return { parts: { recording: readRecording(recording, problems), redaction, retention }, problems }
}

const readRecording = (config: unknown, problems: Array<string>): RecordingConfig => {
  if (config === undefined) return {}
  if (!isObject(config)) {
    problems.push("recording: expected an object; the defaults hold instead")
    return {}
  }
  problems.push(...unknownNames("recording.", config, ["durability", "session_max_bytes"]))
  const durability = decodeDurability(config.durability)
  const maxBytes = decodeBytes(config.session_max_bytes)
  if (config.durability !== undefined && Option.isNone(durability))
    problems.push('recording.durability: expected "process" or "power"; the default holds')
  if (config.session_max_bytes !== undefined && Option.isNone(maxBytes))
    problems.push("recording.session_max_bytes: expected a whole number of bytes; the default holds")
  return {
    ...(Option.isSome(durability) ? { durability: durability.value } : undefined),
    ...(Option.isSome(maxBytes) ? { session_max_bytes: maxBytes.value } : undefined)
  }
}

/** A slip in a name must not pass for a setting that holds. */
const unknownNames = (within: string, config: object, known: ReadonlyArray<string>): Array<string> =>
  Object.keys(config)
    .filter((name) => !known.includes(name))
    .map((name) => `${within}${name}: there is no such setting, only ${known.join(", ")}`)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The limits after one more layer. */
const withRecording = (
  before: Settings["archive"],
  config: RecordingConfig,
  owner: ConfigOwner
): Settings["archive"] => {
  const { durability = before.durability, session_max_bytes: maxBytes = before.maxBytes } = config
  if (owner !== "project") return { durability, maxBytes }
  return {
    durability: before.durability === "power" ? "power" : durability,
    maxBytes: Math.min(before.maxBytes, maxBytes)
  }
}
