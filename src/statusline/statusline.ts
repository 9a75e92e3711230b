import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readManifest } from "../archive/manifestFile.ts"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../archive/sessionDirectory.ts"
import { indicator } from "../control/indicator.ts"
import { findProjectRoot } from "../control/projectRoot.ts"
import { Toggles } from "../control/Toggles.ts"
import type { Manifest } from "../domain/manifest.ts"
import { dormant } from "../domain/mode.ts"
import type { Provider } from "../domain/provider.ts"
import { sessionId } from "../domain/sessionId.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"

/**
 * What Claude Code writes to the stdin of a status line, as far as it is looked at; Antigravity CLI names its conversation otherwise. The
 * project directory is where the session began, the current one follows the agent's `cd`.
 */
const Input = Schema.Struct({
  session_id: Schema.optionalKey(Schema.String),
  conversation_id: Schema.optionalKey(Schema.String),
  cwd: Schema.optionalKey(Schema.String),
  workspace: Schema.optionalKey(
    Schema.Struct({
      current_dir: Schema.optionalKey(Schema.String),
      project_dir: Schema.optionalKey(Schema.String)
    })
  )
})
type Input = typeof Input.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Input))

/**
 * One line for the status bar of an agent or terminal: `Lint-AI:ON | Record:OFF`; with the events and redactions of the session while it is
 * recorded; with what to do where the state of the project is not the user's.
 *
 * @param text what came on stdin; anything else than the JSON of an agent means that the working directory is asked about
 */
export const statusLine = Effect.fnUntraced(function* (provider: Provider, text: string) {
  const host = yield* Host
  const toggles = yield* Toggles
  const input = Option.getOrElse(decode(text), (): Input => ({}))
  const projectRoot = yield* findProjectRoot({
    override: host.env.LINT_AI_PROJECT_DIR,
    provider: input.workspace?.project_dir,
    cwd: input.workspace?.current_dir ?? input.cwd ?? host.cwd,
    isAdopted: (root) => Effect.map(toggles.read(root), (consent) => consent._tag === "adopted")
  })
  const consent = yield* toggles.read(projectRoot)
  const chosen = consent._tag === "adopted" ? (consent.providers[provider] ?? dormant) : dormant
  const parts = [indicator(chosen)]
  if (consent._tag === "inert") parts.push("not yours: lint-ai adopt")
  if (chosen.recording) {
    const manifest = yield* recordedSession(
      chosen.session_root ?? sessionsRoot(projectRoot, provider),
      provider,
      input.session_id ?? input.conversation_id
    )
    if (manifest !== undefined) parts.push(countsOf(manifest))
  }
  return `${parts.join(" | ")}\n`
})

const countsOf = ({ event_count: events, redaction_count: redactions = 0 }: Manifest): string =>
  `${events} event${events === 1 ? "" : "s"}, ${redactions} redacted`

/** The manifest of the session that is asked about; where the agent does not name it, of the one that was written to last, if it still runs. */
const recordedSession = Effect.fnUntraced(function* (root: string, provider: Provider, id: string | undefined) {
  const name = id === undefined ? yield* lastWritten(root) : sessionDirectory(sessionId(provider, id))
  if (name === undefined) return undefined
  const reading = yield* readManifest(archiveFiles(path.join(root, name)).manifest)
  return reading._tag === "Manifest" && reading.manifest.status === "active" ? reading.manifest : undefined
})

const lastWritten = Effect.fnUntraced(function* (root: string) {
  const disk = yield* Disk
  let last: { readonly name: string; readonly modifiedMs: number } | undefined
  for (const name of yield* disk.list(root).pipe(Effect.orElseSucceed(() => []))) {
    const { events } = archiveFiles(path.join(root, name))
    const status = yield* disk.status(events).pipe(Effect.orElseSucceed(() => undefined))
    if (status !== undefined && status.modifiedMs > (last?.modifiedMs ?? 0)) {
      last = { name, modifiedMs: status.modifiedMs }
    }
  }
  return last?.name
})
