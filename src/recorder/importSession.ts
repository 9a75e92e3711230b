import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { chainHash, genesis, unkeyed, unseal } from "../archive/chain.ts"
import { parseEvent } from "../archive/eventLog.ts"
import { Keyring } from "../archive/Keyring.ts"
import type { Opening } from "../archive/opening.ts"
import type { PreparedEvent } from "../archive/preparedEvent.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { sessionDirectory } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent, DraftEvent } from "../domain/event.ts"
import { Manifest } from "../domain/manifest.ts"
import type { Provider } from "../domain/provider.ts"
import { type SessionId, sessionId } from "../domain/sessionId.ts"
import { Disk } from "../platform/Disk.ts"
import { eachLine, type TranscriptFacts } from "../providers/WholeTranscript.ts"
import { subagentEvents, type TranscriptProvider, wholeTranscript } from "../providers/wholeTranscripts.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { prepare } from "./prepare.ts"
import { recorderVersion } from "./version.ts"

/** A file that was given for import is not what it should be. */
export class ImportInvalid extends Data.TaggedError("ImportInvalid")<{
  readonly path: string
  /** Of the file, from 1; 0 for the file as a whole. */
  readonly line: number
  readonly problem: string
}> {
  override get message(): string {
    return `${this.path}${this.line === 0 ? "" : `, line ${this.line}`}: ${this.problem}. Nothing was imported.`
  }
}

/** The session was imported before. */
export class AlreadyImported extends Data.TaggedError("AlreadyImported")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} exists: this session was imported before. Delete it with \`lint-ai sessions delete\` to import it again.`
  }
}

export interface Imported {
  readonly session_id: SessionId
  readonly path: string
  readonly event_count: number
  readonly redaction_count: number
  /** Of an exported session: whether its chain held, with a key that is on this machine. */
  readonly source_chain?: "valid" | "broken" | "unkeyed"
}

interface Target {
  readonly file: string
  readonly sessionsRoot: (provider: Provider) => string
  readonly projectRoot: string
}

/** Events of one append: few enough that what is held in memory stays small. */
const batchEvents = 500

/**
 * Imports a session that lint-ai exported as jsonl. Every line is validated first; then every payload is redacted again by the rules that hold here.
 * The result is a new archive with its own chain, marked as imported, beside any that hooks wrote.
 */
export const importExported = Effect.fn("importExported")(function* (target: Target) {
  const source = yield* validateExport(target.file)
  const { manifest } = source
  const original = manifest.session_id.slice(manifest.session_id.indexOf(":") + 1)
  const { redaction_policy: _policy, redaction_fingerprint: _fingerprint, ...kept } = manifest
  const opening: Partial<Manifest> = {
    ...(kept.provider_version === undefined ? undefined : { provider_version: kept.provider_version }),
    ...(kept.repository_revision === undefined ? undefined : { repository_revision: kept.repository_revision }),
    ...(kept.repository_branch === undefined ? undefined : { repository_branch: kept.repository_branch }),
    ...(kept.repository_dirty === undefined ? undefined : { repository_dirty: kept.repository_dirty }),
    ...(kept.capabilities === undefined ? undefined : { capabilities: kept.capabilities }),
    ...(kept.joined === undefined ? undefined : { joined: kept.joined }),
    project_root: kept.project_root,
    recording_mode: kept.recording_mode,
    provider_session_ids: kept.provider_session_ids ?? [original]
  }
  const write = yield* importer(target, manifest.provider, original, opening)
  let first = true
  yield* eachLine(
    target.file,
    (line) => {
      if (!first && line.length > 0) {
        const event = parseEvent(line)
        if (event !== undefined) write.add(draftOf(event), event)
      }
      first = false
    },
    write.flush
  )
  const done = yield* write.finish
  return { ...done, source_chain: source.chain } satisfies Imported
})

/**
 * Imports a transcript that an agent keeps of its own sessions, with those of its subagents where they lie beside it. Only on an explicit request:
 * such a file holds what was never shown to a hook, and is redacted here for the first time.
 */
export const importTranscript = Effect.fn("importTranscript")(function* (target: Target, provider: TranscriptProvider) {
  const facts = yield* factsOf(target.file, provider)
  if (facts.sessionId === undefined) {
    return yield* new ImportInvalid({ path: target.file, line: 0, problem: `this is no transcript of ${provider}` })
  }
  const write = yield* importer(target, provider, facts.sessionId, {
    ...(facts.version === undefined ? undefined : { provider_version: facts.version }),
    ...(facts.branch === undefined ? undefined : { repository_branch: facts.branch }),
    project_root: facts.cwd ?? target.projectRoot,
    recording_mode: "capture-only",
    provider_session_ids: [facts.sessionId]
  })
  const others = yield* subagentEvents(provider, target.file)
  const reader = wholeTranscript(provider, target.file)
  const put = (drafts: ReadonlyArray<DraftEvent>): void => {
    for (const draft of drafts) {
      while (
        others[0]?.timestamp !== undefined &&
        draft.timestamp !== undefined &&
        others[0].timestamp < draft.timestamp
      ) {
        const earlier = others.shift()
        if (earlier !== undefined) write.add(earlier)
      }
      write.add(draft)
    }
  }
  yield* eachLine(target.file, (line) => put(reader.line(line)), write.flush)
  for (const rest of others.splice(0)) write.add(rest)
  put(reader.end())
  return yield* write.finish
})

const factsOf = Effect.fnUntraced(function* (file: string, provider: TranscriptProvider) {
  const reader = wholeTranscript(provider, file)
  let events = 0
  yield* eachLine(
    file,
    (line) => {
      events += reader.line(line).length
    },
    Effect.void
  )
  const facts: TranscriptFacts = reader.facts()
  return events === 0 ? { ...facts, sessionId: undefined } : facts
})

/** Opens an archive for an import and fills it in batches. */
const importer = Effect.fnUntraced(function* (
  target: Target,
  provider: Provider,
  original: string,
  facts: Partial<Manifest>
) {
  const archive = yield* SessionArchive
  const disk = yield* Disk
  const keyring = yield* Keyring
  const redactor = yield* Redactor
  const key = yield* keyring.identity
  const id = sessionId(provider, `imported-${original}`)
  const sessionsRoot = target.sessionsRoot(provider)
  const directory = path.join(sessionsRoot, sessionDirectory(id))
  if ((yield* disk.status(directory)) !== undefined) return yield* new AlreadyImported({ directory })
  const machine = yield* Effect.context<Disk | Redactor>()
  const opening: Opening = {
    provider,
    project_root: target.projectRoot,
    recording_mode: "capture-only",
    ...facts,
    identity: "imported",
    redaction_policy: redactor.policy,
    redaction_fingerprint: redactor.fingerprint,
    recorder_version: recorderVersion
  }
  const waiting: Array<readonly [DraftEvent, ArchivedEvent | undefined]> = []
  let lastTime: string | undefined
  let count = 0
  let redactions = 0

  const take = Effect.fnUntraced(function* (size: number) {
    const events: Array<PreparedEvent> = []
    for (const [draft, marks] of waiting.splice(0, size)) {
      lastTime = draft.timestamp ?? lastTime
      const prepared = yield* prepare(lastTime === undefined ? draft : { ...draft, timestamp: lastTime }, key)
      events.push(marks === undefined ? prepared : withMarks(prepared, marks))
    }
    redactions += events.reduce((sum, event) => sum + event.redactions.length, 0)
    const result = yield* archive.append({
      sessionsRoot,
      id,
      events,
      opens: true,
      opening: Effect.succeed(opening),
      lockWaitMs: 5_000
    })
    if (result._tag === "Appended") count += result.outcome.appended
  })
  const flush = Effect.gen(function* () {
    while (waiting.length >= batchEvents) yield* take(batchEvents)
  }).pipe(Effect.provideContext(machine))
  return {
    add: (draft: DraftEvent, marks?: ArchivedEvent): void => {
      waiting.push([draft, marks])
    },
    flush,
    finish: Effect.gen(function* () {
      const time = waiting.findLast(([draft]) => draft.timestamp !== undefined)?.[0].timestamp ?? lastTime
      const isEnded = waiting.at(-1)?.[0].kind === "session_end"
      // An import is over when its last event was, not now.
      if (!isEnded && time !== undefined) {
        const end = {
          kind: "session_end",
          payload: { reason: "imported" },
          identity: ["import-end"],
          timestamp: time
        } as const
        waiting.push([end, undefined])
      }
      while (waiting.length > 0) yield* take(batchEvents)
      return { session_id: id, path: directory, event_count: count, redaction_count: redactions } satisfies Imported
    }).pipe(Effect.provideContext(machine))
  }
})

/** What had been redacted, cut and left out before stays marked. */
const withMarks = (prepared: PreparedEvent, event: ArchivedEvent): PreparedEvent => {
  const truncated = [...(event.truncated ?? []), ...(prepared.truncated ?? [])]
  const omitted = [...new Set([...(event.omitted ?? []), ...(prepared.omitted ?? [])])]
  return {
    ...prepared,
    redactions: [...new Set([...event.redactions, ...prepared.redactions])],
    ...(truncated.length === 0 ? undefined : { truncated }),
    ...(omitted.length === 0 ? undefined : { omitted })
  }
}

const draftOf = (event: ArchivedEvent): DraftEvent =>
  ({
    kind: event.kind,
    payload: event.payload,
    identity: ["imported", event.event_id],
    timestamp: event.timestamp,
    ...(event.turn_id === undefined ? undefined : { turnId: event.turn_id }),
    ...(event.provider_ids === undefined ? undefined : { providerIds: event.provider_ids }),
    ...(event.usage === undefined ? undefined : { usage: event.usage })
    // Kind and payload come from one decoded event, which the compiler cannot follow through the spread.
  }) as DraftEvent

const ManifestLine = Schema.Struct({ kind: Schema.Literal("manifest"), manifest: Manifest })
const decodeManifestLine = Schema.decodeUnknownOption(Schema.fromJsonString(ManifestLine))

/** Reads an export once: the manifest, that every line is an event of its session in order, and what its chain is worth. */
const validateExport = Effect.fnUntraced(function* (file: string) {
  const keyring = yield* Keyring
  let manifest: Manifest | undefined
  let problem: ImportInvalid | undefined
  let number = 0
  let sequence = 0
  let key: { readonly id: string; readonly secret: Buffer } | undefined
  let head = ""
  let holds = true
  const refuse = (what: string) => {
    problem ??= new ImportInvalid({ path: file, line: number, problem: what })
  }
  const first = (line: Buffer): void => {
    const found = Option.getOrUndefined(decodeManifestLine(line.toString("utf8")))
    if (found === undefined) refuse("the first line is not the manifest of a session that lint-ai exported")
    manifest = found?.manifest
    head = manifest === undefined ? "" : genesis(manifest.session_id, manifest.started_at)
  }
  // The key is known only after the manifest, and a visitor cannot ask for it.
  yield* eachLine(file, (line) => void (manifest === undefined && problem === undefined && first(line)), Effect.void)
  if (problem !== undefined) return yield* Effect.fail<ImportInvalid>(problem)
  const read = manifest as Manifest | undefined
  if (read === undefined) return yield* new ImportInvalid({ path: file, line: 0, problem: "the file is empty" })
  key = yield* keyring.byId(read.key_id ?? unkeyed.id)
  yield* eachLine(
    file,
    (line) => {
      number++
      if (number === 1 || line.length === 0 || problem !== undefined) return
      const event = parseEvent(line)
      if (event === undefined) return refuse("this is no event")
      if (event.session_id !== read.session_id) return refuse("this event belongs to another session")
      if (event.sequence <= sequence) return refuse("the events are not in their order")
      const sealed = unseal(line)
      if (event.sequence !== sequence + 1 || sealed === undefined) holds = false
      else if (key !== undefined) {
        holds &&= chainHash(key, head, sealed.body) === sealed.hash
        head = sealed.hash
      }
      sequence = event.sequence
    },
    Effect.void
  )
  if (problem !== undefined) return yield* Effect.fail<ImportInvalid>(problem)
  if (sequence === 0) return yield* new ImportInvalid({ path: file, line: 0, problem: "the session holds no event" })
  const isKeyed = key !== undefined && key.secret.length > 0
  return { manifest: read, chain: !isKeyed ? ("unkeyed" as const) : holds ? ("valid" as const) : ("broken" as const) }
})
