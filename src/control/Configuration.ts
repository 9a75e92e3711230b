import * as path from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ArchivePolicy } from "../archive/ArchivePolicy.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import type { Host } from "../platform/Host.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { defaultPolicy, type RedactionPolicy } from "../redaction/policy.ts"
import { type ConfigOwner, decodePolicy, joinPolicies } from "../redaction/policyConfig.ts"
import { type Consent, projectConfigPath } from "./Toggles.ts"

/** The `recording` part of a configuration file. */
const RecordingConfig = Schema.Struct({
  durability: Schema.optionalKey(Schema.Literals(["process", "power"])),
  session_max_bytes: Schema.optionalKey(Schema.Natural)
})
type RecordingConfig = typeof RecordingConfig.Type

/** config.json, of the user (in the config directory) or of a project (in `.lint-ai`). Parts that other versions know are left alone. */
const ConfigFile = Schema.Struct({
  recording: Schema.optionalKey(RecordingConfig),
  redaction: Schema.optionalKey(Schema.Unknown),
  retention: Schema.optionalKey(Schema.Unknown)
})
type ConfigFile = typeof ConfigFile.Type
const decodeFile = Schema.decodeUnknownOption(Schema.fromJsonString(ConfigFile))

/** One file that was read: where, whose it is, and its parts. */
export interface ConfigSource {
  readonly file: string
  readonly owner: ConfigOwner
  readonly parts: ConfigFile
  /** It could not be read: the defaults hold in its place. */
  readonly problem?: string
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
  for (const { file, owner, parts, problem } of sources) {
    if (problem !== undefined) problems.push({ file, problem })
    const decoded = decodePolicy(parts.redaction, owner)
    policies.push(decoded.policy)
    problems.push(...decoded.problems.map((text) => ({ file, problem: text })))
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
    return { file, owner: "project", parts: {}, problem: `cannot be read (${bytes.code})` }
  }
  const parts = Option.getOrUndefined(decodeFile(bytes.toString("utf8")))
  const source = { file, owner: ownerOf(bytes) }
  return parts === undefined
    ? { ...source, parts: {}, problem: "is not the JSON of a configuration; the defaults hold instead" }
    : { ...source, parts }
})

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
