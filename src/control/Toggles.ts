import * as path from "node:path"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createFile, replaceFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring, knownKey } from "../archive/Keyring.ts"
import { LockService, type LockTimeout } from "../archive/LockService.ts"
import { ensurePrivateDirectory, type UnsafePath } from "../archive/privateDirectory.ts"
import { dormant, Toggles as ProviderToggles } from "../domain/mode.ts"
import { type Provider, providers } from "../domain/provider.ts"
import { Disk, DiskError } from "../platform/Disk.ts"
import { hmacSha256, sameDigest, sha256 } from "../platform/digest.ts"
import type { Host } from "../platform/Host.ts"
import { lintAiDirectory } from "./projectRoot.ts"

/** The toggles of a project by provider. A provider that is not named is off. */
export const ProjectToggles = Schema.Record(Schema.String, ProviderToggles)
export type ProjectToggles = typeof ProjectToggles.Type

/** .lint-ai/state.json: what the user chose, signed with the user's key for this one project. */
const StateFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  providers: ProjectToggles,
  /** SHA-256 of the project's config.json as the user adopted it: only then may it do more than tighten. */
  config_sha256: Schema.optionalKey(Schema.String),
  key_id: Schema.String,
  signature: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(StateFile))

/**
 * What a project's state says and whether it is this user's word.
 *
 * `off`: there is no state. `inert`: there is one that this user did not sign for this project (it came with a clone, was copied, or was edited);
 * nothing of it counts until `lint-ai adopt`. `adopted`: it counts.
 */
export type Consent =
  | { readonly _tag: "off" }
  | {
      readonly _tag: "inert"
      readonly reason: "unsigned" | "damaged" | "link" | "keys"
      readonly providers: ProjectToggles
    }
  | {
      readonly _tag: "adopted"
      readonly providers: ProjectToggles
      /** SHA-256 of the config.json that the user adopted with it. */
      readonly configDigest: string | undefined
    }

type InertReason = Extract<Consent, { readonly _tag: "inert" }>["reason"]

/** Why a `.lint-ai` does not count, for a person. */
export const inertReasons: Readonly<Record<InertReason, string>> = {
  unsigned: "it came with a clone, was copied or edited, or your key is another one now",
  damaged: "its state.json cannot be read, and adopting it turns everything off",
  link: "it is a symbolic link or a file where a directory should be",
  keys: "your keys.json cannot be read, so nothing tells whether it is yours"
}

/** What to do about it, as a sentence. */
export const inertRemedies: Readonly<Record<InertReason, string>> = {
  unsigned: "Look at it, then run `lint-ai adopt` there.",
  damaged: "Look at it, then run `lint-ai adopt` there.",
  link: "Move it away.",
  keys: "Mend that file; `lint-ai doctor` says what is wrong with it."
}

/** A change would write through or over a state that is not this user's. */
export class NotAdopted extends Data.TaggedError("NotAdopted")<{
  readonly projectRoot: string
  readonly reason: InertReason
}> {
  override get message(): string {
    return `The .lint-ai in ${this.projectRoot} does not count: ${inertReasons[this.reason]}. ${inertRemedies[this.reason]}`
  }
}

/** No key could be created, so nothing can be signed. */
export class NoKey extends Data.TaggedError("NoKey") {
  override get message(): string {
    return "lint-ai could not create its key in your config directory, and without it nothing is turned on. Make that directory writable, or set LINT_AI_CONFIG_DIR."
  }
}

type ChangeError = DiskError | UnsafePath | LockTimeout | NotAdopted | NoKey

/** The switches of a project, and whose they are (DESIGN 4, consent). */
export class Toggles extends Context.Service<
  Toggles,
  {
    readonly read: (projectRoot: string) => Effect.Effect<Consent>
    /** Changes one provider's toggles. Concurrent changes wait for each other and lose nothing. */
    readonly change: (
      projectRoot: string,
      provider: Provider,
      to: (before: ProviderToggles) => ProviderToggles
    ) => Effect.Effect<ProviderToggles, ChangeError>
    /** Takes a state, and the config.json beside it, as they are for the user's own from now on. Where there is neither, there is nothing to adopt: `off`. */
    readonly adopt: (projectRoot: string) => Effect.Effect<Consent, ChangeError>
  }
>()("lint-ai/control/Toggles") {
  static readonly make = Effect.gen(function* () {
    const machine = yield* Effect.context<Disk | Host | Keyring | LockService>()
    const within = Effect.provideContext(machine)
    return Toggles.of({
      read: (projectRoot) => within(readConsent(projectRoot)),
      change: (projectRoot, provider, to) => within(change(projectRoot, provider, to)),
      adopt: (projectRoot) => within(adopt(projectRoot))
    })
  })

  static readonly layer = Layer.effect(Toggles, Toggles.make)
}

const statePath = (projectRoot: string): string => path.join(lintAiDirectory(projectRoot), "state.json")

/** Over the content in a fixed form and the place that it is for, so that a copy elsewhere does not count. */
const signatureOf = (
  key: ChainKey,
  projectRoot: string,
  toggles: ProjectToggles,
  configDigest: string | undefined
): string => {
  const content = providers.map((provider) => {
    const { recording, memory, mode, session_root } = toggles[provider] ?? dormant
    return [provider, recording, memory, mode, session_root ?? null]
  })
  const config = configDigest === undefined ? "" : `\n${configDigest}`
  const text = `lint-ai state 1\n${projectRoot}\n${JSON.stringify(content)}${config}`
  return hmacSha256(key.secret, text)
}

/** What a system says of a path that leads nowhere for this user. Anything else is a disk that fails, and tells nothing of what is there. */
const nowhere: ReadonlySet<string> = new Set(["ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"])

const readConsent = Effect.fnUntraced(function* (
  projectRoot: string
): Effect.fn.Return<Consent, never, Disk | Keyring> {
  const disk = yield* Disk
  const status = yield* disk
    .status(lintAiDirectory(projectRoot))
    .pipe(Effect.catch((error) => Effect.succeed(nowhere.has(error.code) ? undefined : ("unreadable" as const))))
  if (status === undefined) return { _tag: "off" }
  if (status === "unreadable") return { _tag: "inert", reason: "damaged", providers: {} }
  if (status.kind !== "directory") return { _tag: "inert", reason: "link", providers: {} }
  // A state that is there and cannot be read is not the same as none: somebody may have turned recording on.
  const bytes = yield* disk
    .readFile(statePath(projectRoot))
    .pipe(Effect.catch((error) => Effect.succeed(error.code === "ENOENT" ? undefined : ("unreadable" as const))))
  if (bytes === undefined) return { _tag: "off" }
  const state = bytes === "unreadable" ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
  if (state === undefined) return { _tag: "inert", reason: "damaged", providers: {} }
  const key = yield* knownKey(state.key_id).pipe(Effect.catch(() => Effect.succeed("unreadable" as const)))
  if (key === "unreadable") return { _tag: "inert", reason: "keys", providers: state.providers }
  const signed =
    key !== undefined &&
    key.secret.length > 0 &&
    sameDigest(state.signature, signatureOf(key, projectRoot, state.providers, state.config_sha256))
  return signed
    ? { _tag: "adopted", providers: state.providers, configDigest: state.config_sha256 }
    : { _tag: "inert", reason: "unsigned", providers: state.providers }
})

const write = Effect.fnUntraced(function* (
  projectRoot: string,
  toggles: ProjectToggles,
  configDigest: string | undefined
) {
  const keyring = yield* Keyring
  const key = yield* keyring.current
  if (key.secret.length === 0) return yield* new NoKey()
  const state: typeof StateFile.Type = {
    schema_version: 1,
    providers: toggles,
    ...(configDigest === undefined ? undefined : { config_sha256: configDigest }),
    key_id: key.id,
    signature: signatureOf(key, projectRoot, toggles, configDigest)
  }
  yield* replaceFile(statePath(projectRoot), Buffer.from(`${JSON.stringify(state, undefined, 2)}\n`))
})

/** How long a change waits for others. Fifty at once on a busy machine take more than five seconds; nobody but a person waits. */
const patienceMs = 20_000

/** Runs a change of the state with nobody else changing it; makes `.lint-ai`, which Git ignores as a whole. */
const exclusively = Effect.fnUntraced(function* <A, E, R>(projectRoot: string, use: Effect.Effect<A, E, R>) {
  const locks = yield* LockService
  const disk = yield* Disk
  // A project that is not there, as after a slip in LINT_AI_PROJECT_DIR, is not made by turning something on in it.
  if ((yield* disk.status(projectRoot))?.kind !== "directory") {
    return yield* new DiskError({ operation: "open", path: projectRoot, code: "ENOENT" })
  }
  const directory = lintAiDirectory(projectRoot)
  yield* ensurePrivateDirectory(directory)
  yield* createFile(path.join(directory, ".gitignore"), Buffer.from("*\n"))
  return yield* locks.hold(path.join(directory, "state.lock"), patienceMs, use)
})

const change = Effect.fnUntraced(function* (
  projectRoot: string,
  provider: Provider,
  to: (before: ProviderToggles) => ProviderToggles
): Effect.fn.Return<ProviderToggles, ChangeError, Disk | Host | Keyring | LockService> {
  // Asked before anything is created: what is not the user's is not touched.
  const before = yield* readConsent(projectRoot)
  if (before._tag === "inert") return yield* new NotAdopted({ projectRoot, reason: before.reason })
  return yield* exclusively(
    projectRoot,
    Effect.gen(function* () {
      const consent = yield* readConsent(projectRoot)
      if (consent._tag === "inert") return yield* new NotAdopted({ projectRoot, reason: consent.reason })
      const { providers: known, configDigest } =
        consent._tag === "adopted" ? consent : { providers: {} as ProjectToggles, configDigest: undefined }
      const after = to(known[provider] ?? dormant)
      yield* write(projectRoot, { ...known, [provider]: after }, configDigest)
      return after
    })
  )
})

const adopt = Effect.fnUntraced(function* (
  projectRoot: string
): Effect.fn.Return<Consent, ChangeError, Disk | Host | Keyring | LockService> {
  const before = yield* readConsent(projectRoot)
  const configDigest = yield* digestOfConfig(projectRoot)
  if (before._tag === "off" && configDigest === undefined) return before
  if (before._tag === "adopted" && before.configDigest === configDigest) return before
  return yield* exclusively(
    projectRoot,
    Effect.gen(function* () {
      // A session root of somebody else's choice could lead anywhere.
      const own =
        before._tag === "adopted"
          ? before.providers
          : before._tag === "off"
            ? {}
            : Object.fromEntries(
                Object.entries(before.providers).map(([name, { session_root: _elsewhere, ...toggles }]) => [
                  name,
                  toggles
                ])
              )
      yield* write(projectRoot, own, configDigest)
      return yield* readConsent(projectRoot)
    })
  )
})

const digestOfConfig = Effect.fnUntraced(function* (projectRoot: string) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(projectConfigPath(projectRoot)).pipe(Effect.orElseSucceed(() => undefined))
  return bytes === undefined ? undefined : sha256(bytes)
})

/** The configuration that a project brings along. */
export const projectConfigPath = (projectRoot: string): string => path.join(lintAiDirectory(projectRoot), "config.json")
