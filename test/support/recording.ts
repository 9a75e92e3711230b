import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Keyring } from "../../src/archive/Keyring.ts"
import { LockService } from "../../src/archive/LockService.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { Configuration } from "../../src/control/Configuration.ts"
import { Diagnostic, Diagnostics } from "../../src/control/Diagnostics.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { ArchivedEvent } from "../../src/domain/event.ts"
import { type Manifest, ManifestJson } from "../../src/domain/manifest.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { Git } from "../../src/platform/Git.ts"
import { Host } from "../../src/platform/Host.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { Sqlite } from "../../src/platform/Sqlite.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { temporaryDirectory } from "./temporaryHost.ts"

/** A user of a machine with one project, all below one fresh directory. */
export interface TestUser {
  readonly directory: string
  readonly project: string
  readonly home: string
  readonly config: string
  readonly state: string
  /** The whole environment of a hook of this user, started by an agent in the project. */
  readonly env: Readonly<Record<string, string>>
}

/** A user whose project knows nothing of lint-ai. */
export const newUser = Effect.map(temporaryDirectory, (directory): TestUser => userIn(directory, "user"))

/** Another user of the same machine: another home and another key. */
export const userIn = (directory: string, name: string): TestUser => {
  const own = path.join(directory, name)
  const user = {
    directory,
    project: path.join(own, "project"),
    home: path.join(own, "home"),
    config: path.join(own, "config"),
    state: path.join(own, "state")
  }
  fs.mkdirSync(user.project, { recursive: true })
  fs.mkdirSync(user.home)
  const env = {
    HOME: user.home,
    LINT_AI_CONFIG_DIR: user.config,
    LINT_AI_STATE_DIR: user.state,
    CLAUDE_PROJECT_DIR: user.project
  }
  return { ...user, env }
}

/** The parts of the program with a real disk, as this process would run them for the user. Layers in `instead` take the place of live ones. */
export const machineOf = (
  user: TestUser,
  instead: {
    readonly disk?: Layer.Layer<Disk>
    readonly redactor?: Layer.Layer<Redactor>
    readonly sqlite?: Layer.Layer<Sqlite>
    readonly host?: Parameters<typeof Host.layerTest>[0]
  } = {}
) => {
  const host = Host.layerTest({
    env: user.env,
    home: user.home,
    cwd: user.project,
    hostname: os.hostname(),
    randomHex: (bytes) => crypto.randomBytes(bytes).toString("hex"),
    // Where libsql is found from, on a Node without SQLite of its own.
    entry: fileURLToPath(import.meta.url),
    ...instead.host
  })
  const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(instead.disk ?? Disk.layer, host)))
  const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Diagnostics.layer, Configuration.layer).pipe(
    Layer.provideMerge(machine)
  )
  const archives = Layer.mergeAll(
    SessionArchive.layer,
    Toggles.layer,
    instead.redactor ?? Redactor.layerDefault,
    MemoryStore.layer.pipe(Layer.provide(instead.sqlite ?? Sqlite.layer)),
    Git.layer
  )
  return Recorder.layer.pipe(Layer.provideMerge(archives), Layer.provideMerge(stores))
}

/** Turns recording on, as `record start` does. */
export const enableRecording = (user: TestUser) =>
  Effect.flatMap(Toggles, (toggles) =>
    toggles.change(user.project, "claude", (before) => ({ ...before, recording: true, mode: "capture-only" }))
  ).pipe(Effect.provide(machineOf(user)))

/** A user with a project that is recorded. */
export const recordingUser = Effect.tap(newUser, enableRecording)

/** How to start the program that was built (see builtProgram.ts). */
export const compiledHook = (built: string): ReadonlyArray<string> => [path.join(built, "lint-ai")]
export const nodeHook = (built: string): ReadonlyArray<string> => [process.execPath, path.join(built, "hook.cjs")]

/** Runs a hook to its end with `input` on stdin, as an agent does for each event. */
export const runHook = (
  program: ReadonlyArray<string>,
  user: Pick<TestUser, "project" | "env">,
  input: unknown,
  args: ReadonlyArray<string> = ["claude"]
): SpawnSyncReturns<string> => {
  const [command = "", ...first] = program
  return spawnSync(command, [...first, "hook", ...args], {
    cwd: user.project,
    env: user.env,
    encoding: "utf8",
    input: typeof input === "string" || Buffer.isBuffer(input) ? input : JSON.stringify(input)
  })
}

/** Where the user's project keeps a session of Claude Code. */
export const claudeArchive = (user: Pick<TestUser, "project">, id: string) =>
  archiveFiles(path.join(sessionsRoot(user.project, "claude"), sessionDirectory(`claude:${id}`)))

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(ArchivedEvent))
const decodeManifest = Schema.decodeUnknownSync(ManifestJson)

/** The events of a log, read as strictly as the format allows: every line is one event and ends with a newline. Throws else. */
export const strictEvents = (file: string): ReadonlyArray<ArchivedEvent> => {
  const lines = fs.readFileSync(file, "utf8").split("\n")
  if (lines.pop() !== "") throw new Error(`${file} does not end with a newline`)
  return lines.map((line) => decodeEvent(line))
}

export const manifestOf = (file: string): Manifest => decodeManifest(fs.readFileSync(file, "utf8"))

const decodeDiagnostic = Schema.decodeUnknownOption(Schema.fromJsonString(Diagnostic))

/** The diagnostics of the project, or of the user where the project could not take them. */
export const diagnosticsOf = (user: TestUser): ReadonlyArray<Diagnostic> =>
  [path.join(user.project, ".lint-ai"), user.state]
    .map((directory) => path.join(directory, "diagnostics.jsonl"))
    .filter((file) => fs.existsSync(file))
    .flatMap((file) => fs.readFileSync(file, "utf8").split("\n"))
    .flatMap((line) => Option.toArray(decodeDiagnostic(line)))

/** Every path below a directory with what it holds, for comparing two moments; links as what they point to. */
export const snapshot = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs
      .readdirSync(directory, { withFileTypes: true, recursive: true })
      .map((entry) => [path.join(entry.parentPath, entry.name), entry] as const)
      .map(([file, entry]) => [
        path.relative(directory, file),
        entry.isSymbolicLink()
          ? `-> ${fs.readlinkSync(file)}`
          : entry.isFile()
            ? fs.readFileSync(file, "latin1")
            : "directory"
      ])
  )
