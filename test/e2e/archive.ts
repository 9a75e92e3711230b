import * as fs from "node:fs"
import * as path from "node:path"
import * as Schema from "effect/Schema"
import { ArchivedEvent } from "../../src/domain/event.ts"
import { type Manifest, ManifestJson } from "../../src/domain/manifest.ts"
import type { Provider } from "../../src/domain/provider.ts"

/** One recorded session as it lies on the disk. */
export interface Archive {
  readonly directory: string
  readonly manifest: Manifest
  readonly events: ReadonlyArray<ArchivedEvent>
}

export const sessionsDirectory = (project: string, provider: Provider = "claude"): string =>
  path.join(project, ".lint-ai", `${provider}-sessions`)

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(ArchivedEvent))
const decodeManifest = Schema.decodeUnknownSync(ManifestJson)

/**
 * Reads the archives of a project as strictly as the format allows: every line is an event, every event ends with a newline. Throws
 * where that does not hold.
 */
export const readArchives = (project: string, provider: Provider = "claude"): ReadonlyArray<Archive> =>
  fs
    .readdirSync(sessionsDirectory(project, provider), { withFileTypes: true })
    // Marks of frozen archives are in .frozen.
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((directory) => {
      const lines = fs.readFileSync(path.join(directory, "events.jsonl"), "utf8").split("\n")
      if (lines.pop() !== "") throw new Error(`${directory}: events.jsonl does not end with a newline`)
      return {
        directory,
        manifest: decodeManifest(fs.readFileSync(path.join(directory, "manifest.json"), "utf8")),
        events: lines.map((line) => decodeEvent(line))
      }
    })

/** The only archive of a project. */
export const readArchive = (project: string): Archive => {
  const archives = readArchives(project)
  const [archive] = archives
  if (archive === undefined || archives.length > 1)
    throw new Error(`${project} has ${archives.length} archives, not one`)
  return archive
}

/**
 * What happened, one phrase for each event, in the order of the archive: its kind and the words that tell it apart. Usage is left out,
 * because when Claude Code writes its transcript decides at which hook it is found; `usageOf` adds it up.
 */
export const outline = (events: ReadonlyArray<ArchivedEvent>): ReadonlyArray<string> =>
  events.filter((event) => event.kind !== "turn_usage").map(phrase)

const phrase = (event: ArchivedEvent): string => [event.kind, ...words(event), ...inSubagent(event)].join(" ")

const words = (event: ArchivedEvent): ReadonlyArray<string> => {
  switch (event.kind) {
    case "session_start":
      return [event.payload.source ?? ""]
    case "session_end":
      return [event.payload.reason ?? ""]
    case "user_prompt":
      return [event.payload.origin]
    case "assistant_message":
      return event.payload.error === undefined ? [] : ["failed"]
    case "tool_call":
    case "tool_result":
      return [event.payload.tool_name]
    case "tool_error":
      return [event.payload.tool_name, event.payload.outcome]
    case "compaction":
      return [event.payload.phase]
    case "provider_event":
      return [event.payload.name]
    default:
      return []
  }
}

const inSubagent = (event: ArchivedEvent): ReadonlyArray<string> =>
  event.provider_ids?.agent_id !== undefined && event.kind.startsWith("tool_") ? ["in subagent"] : []

/** The outline of each turn, by the first words of its first prompt. Events between the turns are not in it. */
export const outlineByTurn = (events: ReadonlyArray<ArchivedEvent>): ReadonlyArray<ReadonlyArray<string>> => {
  const turns = new Map<string, Array<ArchivedEvent>>()
  for (const event of events) {
    if (event.turn_id === undefined) continue
    const turn = turns.get(event.turn_id) ?? []
    turns.set(event.turn_id, turn)
    turn.push(event)
  }
  return [...turns.values()].map(outline)
}

/** The calls that have a beginning and no end. */
export const openCalls = (events: ReadonlyArray<ArchivedEvent>): ReadonlyArray<string> => {
  const ended = new Set(
    events
      .filter((event) => event.kind === "tool_result" || event.kind === "tool_error")
      .map((event) => event.provider_ids?.tool_use_id)
  )
  return events
    .filter((event) => event.kind === "tool_call")
    .map((event) => event.provider_ids?.tool_use_id)
    .filter((id): id is string => id !== undefined && !ended.has(id))
}

/** Every file under a directory, with its bytes as Latin-1 text, so that anything can be looked for in it. */
export const filesUnder = (directory: string): ReadonlyArray<{ readonly file: string; readonly text: string }> =>
  fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()
    ? fs
        .readdirSync(directory, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .map((file) => ({ file, text: fs.readFileSync(file, "latin1") }))
    : []
