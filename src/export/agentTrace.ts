import * as crypto from "node:crypto"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { Provider } from "../domain/provider.ts"
import { eachEvent, type Format, gather } from "./Exporter.ts"
import { indexSession, type SessionIndex, threadOf } from "./modelCalls.ts"

/** Lines of a file that an edit wrote, counted from 1, both ends included. */
export interface LineRange {
  readonly start_line: number
  readonly end_line: number
}

/** An edit whose lines were observed. */
export interface FileEdit {
  readonly file: string
  readonly ranges: ReadonlyArray<LineRange>
}

const vendors: Readonly<Record<Provider, string>> = {
  claude: "anthropic",
  codex: "openai",
  gemini: "google",
  antigravity: "google"
}

/**
 * Agent Trace 0.1.0, one record a line: which lines of which files an agent wrote. Only edits inside of the project whose lines the tool's result told;
 * what a shell command changed is not among them.
 */
export const agentTrace: Format = (source, sink) =>
  Effect.gen(function* () {
    const { manifest } = source
    const index = yield* indexSession(source.directory, manifest)
    const out = gather(sink)
    return yield* eachEvent(source, out, (event) => {
      const edits = event.kind === "tool_result" ? editsOf(event) : []
      const files = edits.flatMap((edit) => {
        const name = insideOf(manifest.project_root, edit.file)
        return name === undefined || edit.ranges.length === 0 ? [] : [{ name, ranges: edit.ranges }]
      })
      if (files.length > 0) out.add(`${JSON.stringify(recordOf(manifest, index, event, files))}\n`)
    }).pipe(Effect.tap(() => out.flush))
  })

const recordOf = (
  manifest: Manifest,
  index: SessionIndex,
  event: ArchivedEvent,
  files: ReadonlyArray<{ readonly name: string; readonly ranges: ReadonlyArray<LineRange> }>
) => {
  const model = modelAt(index, event)
  const revision = manifest.repository_revision
  return {
    version: "0.1.0",
    id: uuidOf(manifest.session_id, event.event_id),
    timestamp: event.timestamp,
    ...(revision === undefined || revision === null ? undefined : { vcs: { type: "git", revision } }),
    tool: {
      name: manifest.provider === "claude" ? "claude-code" : manifest.provider,
      ...(manifest.provider_version === undefined ? undefined : { version: manifest.provider_version })
    },
    files: files.map(({ name, ranges }) => ({
      path: name,
      conversations: [
        {
          contributor: {
            type: "ai",
            ...(model === undefined ? undefined : { model_id: `${vendors[manifest.provider]}/${model}` })
          },
          ranges
        }
      ]
    })),
    metadata: { "lint-ai": { session_id: manifest.session_id, event_id: event.event_id, sequence: event.sequence } }
  }
}

/** The model of the call that ended last before the edit, in its thread; the session's only model where calls were not observed. */
const modelAt = (index: SessionIndex, event: ArchivedEvent): string | undefined => {
  const time = Date.parse(event.timestamp)
  const call = index.calls
    .get(threadOf(event))
    ?.findLast(({ endMs, usage }) => endMs <= time && usage.model !== undefined)
  return call?.usage.model ?? (index.models.length === 1 ? index.models[0] : undefined)
}

/** A UUID (version 8, RFC 9562) that is always the same for the same parts. */
export const uuidOf = (...parts: ReadonlyArray<string>): string => {
  const bytes = crypto.createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

/** The path of a file relative to the project, with `/`; undefined for one outside of it. */
const insideOf = (root: string, file: string): string | undefined => {
  const relative = path.relative(root, path.resolve(root, file))
  if (relative === "" || relative.startsWith("..") || path.isAbsolute(relative)) return undefined
  return relative.split(path.sep).join("/")
}

type Result = Extract<ArchivedEvent, { readonly kind: "tool_result" }>

/** The edits that a tool's result tells with their lines. One that was cut when it was recorded tells nothing sure. */
export const editsOf = (event: Result): ReadonlyArray<FileEdit> => {
  const { tool_name, input, response } = event.payload
  const cut = (event.truncated?.length ?? 0) > 0 || (event.omitted?.length ?? 0) > 0
  if (tool_name === "apply_patch" && !cut) return addedByPatch(text(object(input)?.command))
  const result = object(response)
  if (result === undefined) return []
  // Claude Code: Edit, Write, MultiEdit.
  const hunks = result.structuredPatch
  const file = text(result.filePath) ?? text(object(input)?.file_path)
  if (Array.isArray(hunks) && file !== undefined) {
    if (result.type === "create" && !cut) return [{ file, ranges: wholeFile(text(result.content)) }]
    if (event.truncated?.some(({ path: where }) => where.startsWith("payload.response.structuredPatch")) === true)
      return []
    return [{ file, ranges: hunks.flatMap((hunk) => addedLines(object(hunk)?.newStart, object(hunk)?.lines)) }]
  }
  // Gemini CLI: write_file, replace.
  const display = object(result.returnDisplay)
  const diff = text(display?.fileDiff)
  const written = text(display?.filePath)
  if (diff === undefined || written === undefined || cut) return []
  return [{ file: written, ranges: addedByDiff(diff) }]
}

const object = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const wholeFile = (content: string | undefined): ReadonlyArray<LineRange> => {
  if (content === undefined || content === "") return []
  const lines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0)
  return [{ start_line: 1, end_line: lines }]
}

/** The runs of added lines of one hunk. */
const addedLines = (start: unknown, lines: unknown): ReadonlyArray<LineRange> => {
  if (typeof start !== "number" || !Array.isArray(lines)) return []
  const ranges: Array<LineRange> = []
  let line = Math.max(1, start)
  let began: number | undefined
  const close = () => {
    if (began !== undefined) ranges.push({ start_line: began, end_line: line - 1 })
    began = undefined
  }
  for (const one of lines) {
    if (typeof one !== "string" || one.startsWith("\\")) continue
    if (one.startsWith("+")) {
      began ??= line
      line++
    } else {
      close()
      if (!one.startsWith("-")) line++
    }
  }
  close()
  return ranges
}

/** The added lines of a unified diff. */
const addedByDiff = (diff: string): ReadonlyArray<LineRange> =>
  diff
    .split(/^(?=@@ )/m)
    .slice(1)
    .flatMap((hunk) => {
      const [head = "", ...lines] = hunk.split("\n")
      const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(head)?.[1]
      return addedLines(
        start === undefined ? undefined : Number(start),
        lines.filter((line) => line !== "")
      )
    })

/** Files that a patch of Codex adds. Its changes to files name no lines. */
const addedByPatch = (patch: string | undefined): ReadonlyArray<FileEdit> =>
  (patch ?? "").split(/^\*\*\* /m).flatMap((part) => {
    const [head = "", ...lines] = part.split("\n")
    const file = /^Add File: (.+)$/.exec(head)?.[1]
    const count = lines.filter((line) => line.startsWith("+")).length
    return file === undefined || count === 0 ? [] : [{ file, ranges: [{ start_line: 1, end_line: count }] }]
  })
