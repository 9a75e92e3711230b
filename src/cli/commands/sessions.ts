import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { type Anchor, anchorName, listAnchors } from "../../archive/anchor.ts"
import type { SessionSummary } from "../../archive/readArchive.ts"
import { archiveFiles } from "../../archive/sessionDirectory.ts"
import { failedHooks } from "../../control/failedHooks.ts"
import { findSessions, rootsOf, type SessionScope } from "../../control/projectSessions.ts"
import { counted } from "../../domain/counted.ts"
import type { SessionStatus } from "../../domain/manifest.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { compareWithTranscript } from "../../evidence/againstTranscript.ts"
import { verifyArchive, verifyMissing, verifyUnreadable } from "../../evidence/verify.ts"
import { agentTrace } from "../../export/agentTrace.ts"
import { atif } from "../../export/atif.ts"
import { sendToCollector, tracesUrl } from "../../export/collector.ts"
import { exportArchive, type Format, streamed } from "../../export/Exporter.ts"
import { inspectArchive } from "../../export/inspection.ts"
import { jsonl } from "../../export/jsonl.ts"
import { markdown } from "../../export/markdown.ts"
import { otlp, type SpanOptions } from "../../export/otlp.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { html } from "../../viewer/html.ts"
import {
  NotBoth,
  OneDestination,
  OnlyForOtlp,
  TranscriptDiffers,
  TranscriptUnsupported,
  VerificationFailed
} from "../errors.ts"
import { exportToNewFile } from "../exportToNewFile.ts"
import { json, optionalArgument, optionalString, outFile, project, providerFlag, sessionRoot } from "../options.ts"
import { noteTreeBelow } from "../project.ts"
import { told } from "../render/diskWords.ts"
import {
  renderCard,
  renderComparison,
  renderInspection,
  renderSessionList,
  renderVerification
} from "../render/sessions.ts"
import { harmless, plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, noSessions, scopeOf, settle, unreadableNamed } from "../sessions.ts"
import { deleteCommand } from "./sessionsDelete.ts"
import { importCommand } from "./sessionsImport.ts"
import { pruneCommand } from "./sessionsPrune.ts"
import { recoverCommand } from "./sessionsRecover.ts"
import { searchCommand } from "./sessionsSearch.ts"
import { viewCommand } from "./sessionsView.ts"

const scopeFlags = { project, provider: providerFlag, sessionRoot }
const session = optionalArgument("session", "Its id, the beginning of it, or its directory; else the newest")

const list = Command.make(
  "list",
  { json, ...scopeFlags },
  Effect.fn("sessions list")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const first = yield* findSessions(scope)
    const found = (yield* settle(first.sessions)) > 0 ? yield* findSessions(scope) : first
    const data = {
      sessions: found.sessions.map(({ directory, status, manifest }) => ({ ...manifest, status, path: directory })),
      unreadable: found.unreadable
    }
    const [newest] = found.sessions
    // One whose log cannot be read keeps nobody from seeing the others.
    const card =
      newest === undefined || flags.json
        ? undefined
        : yield* inspectArchive(newest.directory).pipe(
            Effect.catchTag("DiskError", (error) => Effect.as(note(`${plain(told(error))}\n`), undefined))
          )
    const none = newest === undefined ? yield* Effect.flip(noSessions(scope)) : undefined
    yield* report(flags.json, data, (_, look) =>
      none !== undefined
        ? found.unreadable.length > 0
          ? "No session can be read.\n"
          : `${plain(none.message)}\n`
        : [
            renderSessionList(found.sessions, look.columns),
            ...(card === undefined ? [] : [renderCard(card, scope.projectRoot, look.style)])
          ].join("\n")
    )
    const roots = yield* rootsOf(scope)
    for (const directory of found.unreadable) {
      const what = roots.includes(directory)
        ? "is no directory of sessions: a link, or not to be read; move it away, or look at its owner and mode."
        : "cannot be read as a session; `lint-ai sessions recover` may mend it."
      yield* note(`${plain(directory)} ${what}\n`)
    }
    yield* noteTreeBelow(flags.project, scope.projectRoot)
  })
).pipe(Command.withAlias("ls"), Command.withDescription("List the recorded sessions of a project, newest first"))

const inspect = Command.make(
  "inspect",
  { session, json, ...scopeFlags },
  Effect.fn("sessions inspect")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const found = yield* findSession(scope, flags.session)
    const inspection = yield* inspectArchive(found.directory)
    const inspected = { ...inspection, failed_hooks: yield* failedHooks(found.manifest) }
    yield* report(flags.json, inspected, (data, look) => {
      const details = renderInspection(data, look.columns, look.style)
      return flags.session === undefined ? `${renderCard(data, scope.projectRoot, look.style)}\n${details}` : details
    })
  })
).pipe(Command.withDescription("Show what a session holds, without its content; changes nothing"))

const formatNames = ["jsonl", "markdown", "html", "atif", "otlp", "agent-trace"] as const
const formatOf = Effect.fnUntraced(function* (
  name: (typeof formatNames)[number],
  spans: SpanOptions,
  status: SessionStatus
) {
  const formats: Readonly<Record<typeof name, Format>> = {
    jsonl: streamed(jsonl),
    markdown: streamed(() => markdown(status)),
    html: yield* html,
    atif,
    otlp: otlp(spans),
    "agent-trace": agentTrace
  }
  return formats[name]
})

const exportSession = Command.make(
  "export",
  {
    session,
    format: Flag.Literals("format", formatNames).pipe(
      Flag.withDefault("jsonl"),
      Flag.withDescription(
        "How it is written. jsonl: the manifest, then each event a line. markdown: for reading. html: one page for a browser. atif: a trajectory (ATIF v1.7). otlp: OpenTelemetry spans. agent-trace: which lines the agent wrote"
      )
    ),
    out: outFile,
    withContent: Flag.Boolean("with-content").pipe(
      Flag.withDefault(false),
      Flag.withDescription("otlp: prompts, answers, tool input and output too, as recorded and redacted")
    ),
    openinference: Flag.Boolean("openinference").pipe(
      Flag.withDefault(false),
      Flag.withDescription("otlp: add the attributes of OpenInference")
    ),
    endpoint: optionalString("endpoint", "otlp: send the spans to this collector (OTLP/HTTP), off this machine", "URL"),
    json,
    ...scopeFlags
  },
  Effect.fn("sessions export")(function* (flags) {
    const host = yield* Host
    const screen = yield* Screen
    const found = yield* findSession(yield* scopeOf(flags), flags.session)
    const spans = { content: flags.withContent, openInference: flags.openinference }
    if (flags.format !== "otlp" && (flags.withContent || flags.openinference || flags.endpoint !== undefined)) {
      return yield* new OnlyForOtlp({ format: flags.format })
    }
    if (flags.endpoint !== undefined && flags.out !== undefined) return yield* new OneDestination()
    let damaged = 0
    const onDamage = () => void damaged++
    // Whoever reads the export does not see what is not in it.
    const noteDamage = Effect.suspend(() =>
      damaged === 0
        ? Effect.void
        : note(
            `${counted(damaged, "damaged piece")} of the log ${damaged === 1 ? "is" : "are"} not in the export: \`lint-ai sessions verify ${shellWord(plain(found.manifest.session_id))}\` says more.\n`
          )
    )
    if (flags.endpoint !== undefined) {
      const url = yield* tracesUrl(flags.endpoint)
      const what = flags.withContent ? "names, times, counts and content" : "names, times and counts"
      yield* note(
        `This sends ${what} of ${plain(found.manifest.session_id)} to ${url.origin}: they leave this machine.\n`
      )
      const sent = yield* sendToCollector({ ...found, onDamage }, spans, flags.endpoint)
      if (sent.rejected_spans > 0) yield* note(`The collector rejected ${counted(sent.rejected_spans, "span")}.\n`)
      yield* report(
        flags.json,
        { session_id: found.manifest.session_id, format: flags.format, ...sent, left_out: damaged },
        () =>
          `${counted(sent.event_count, "event")} of ${plain(found.manifest.session_id)} sent to ${sent.endpoint} in ${counted(sent.requests, "request")}\n`
      )
      return yield* noteDamage
    }
    const format = yield* formatOf(flags.format, spans, found.status)
    if (flags.out === undefined) {
      // Into a pipe go the bytes as they are; a terminal would obey some of them.
      const shown = (text: string) => screen.out(harmless(text))
      let isEmpty = true
      const seen = (text: string) => {
        if (text !== "") isEmpty = false
        return screen.redraws.out ? shown(text) : screen.out(text)
      }
      yield* exportArchive(found.directory, format, seen, onDamage)
      if (isEmpty) yield* note("Nothing of this session can be told in that format.\n")
      return yield* noteDamage
    }
    const out = path.resolve(host.cwd, flags.out)
    const events = yield* exportToNewFile(found.directory, format, out, onDamage)
    const data = {
      session_id: found.manifest.session_id,
      format: flags.format,
      event_count: events,
      left_out: damaged,
      path: out
    }
    yield* report(
      flags.json,
      data,
      () => `${counted(events, "event")} of ${plain(data.session_id)} written to\n${out}\n`
    )
    yield* noteDamage
  })
).pipe(Command.withDescription("Write a session, as recorded and redacted, to stdout, a file or a collector"))

const verify = Command.make(
  "verify",
  {
    session,
    all: Flag.Boolean("all").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Every session of the project, also those of which only the anchor is left")
    ),
    againstTranscript: optionalString(
      "against-transcript",
      "Also hold the record against the agent's own transcript, call by call",
      "FILE"
    ),
    json,
    ...scopeFlags
  },
  Effect.fn("sessions verify")(function* (flags) {
    const host = yield* Host
    if (flags.all && flags.session !== undefined) return yield* new NotBoth({ one: "a session", other: "--all" })
    if (flags.all && flags.againstTranscript !== undefined) {
      return yield* new NotBoth({ one: "--all", other: "--against-transcript" })
    }
    const scope = yield* scopeOf(flags)
    if (flags.againstTranscript !== undefined) {
      const found = yield* findSession(scope, flags.session)
      const file = path.resolve(host.cwd, flags.againstTranscript)
      const verified = yield* verifyArchive(found.directory)
      const verification = verified && { ...verified, failed_hooks: yield* failedHooks(found.manifest) }
      const comparison = yield* compareWithTranscript(found.directory, file)
      if (comparison === undefined) return yield* new TranscriptUnsupported({ provider: found.manifest.provider })
      yield* report(
        flags.json,
        { ...verification, against_transcript: comparison },
        (_, look) =>
          (verification === undefined ? "" : renderVerification(verification, look.style)) +
          renderComparison(comparison)
      )
      const { session_id } = found.manifest
      if (verification?.verdict === "broken") return yield* new VerificationFailed({ sessions: [session_id] })
      if (!comparison.agrees) return yield* new TranscriptDiffers({ session: session_id })
      return
    }
    const missing = yield* missingRecords(scope)
    const given = flags.session
    const all = yield* findSessions(scope)
    const roots = yield* rootsOf(scope)
    // A log whose manifest is gone is no session in a list, and a record all the same.
    const unlisted = all.unreadable.filter((directory) => !roots.includes(directory))
    const chosen = flags.all
      ? [...all.sessions.map((one) => one.directory), ...unlisted]
      : [
          (given === undefined ? undefined : unreadableNamed(unlisted, given)) ??
            (yield* findSession(scope, given).pipe(
              Effect.map((one) => one.directory),
              // One that is gone as a whole is told by its anchor alone.
              Effect.catchTag("SessionNotFound", (error) =>
                missing.some((anchor) => isNamed(anchor, given)) ? Effect.succeed(undefined) : Effect.fail(error)
              )
            ))
        ].filter((one) => one !== undefined)
    const gone = flags.all ? missing : missing.filter((anchor) => isNamed(anchor, given))
    if (chosen.length + gone.length === 0) return yield* noSessions(scope)
    const checked = yield* Effect.forEach(chosen, (directory) =>
      verifyWhole(directory, all.sessions).pipe(
        // What cannot be read in one place keeps nobody from looking at the others.
        Effect.catchIf(
          () => flags.all,
          (error) => Effect.succeed(verifyUnreadable(directory, plain(told(error))))
        )
      )
    )
    const results = [...checked.flatMap((one) => (one === undefined ? [] : [one])), ...gone.map(verifyMissing)]
    yield* report(flags.json, flags.all ? { sessions: results } : results[0], (_, look) =>
      results.map((one) => renderVerification(one, look.style)).join("")
    )
    const broken = results.filter((one) => one.verdict === "broken").map((one) => one.session_id)
    if (broken.length > 0) return yield* new VerificationFailed({ sessions: broken })
  })
).pipe(Command.withDescription("Check that a record was not altered; exit code 4 when it was"))

/** What the record says, and what it cannot know: how many hooks failed while it was made. */
const verifyWhole = Effect.fn("verifyWhole")(function* (directory: string, sessions: ReadonlyArray<SessionSummary>) {
  const verification = yield* verifyArchive(directory)
  const manifest = sessions.find((one) => one.directory === directory)?.manifest
  if (verification === undefined || manifest === undefined) return verification
  return { ...verification, failed_hooks: yield* failedHooks(manifest) }
})

/** Anchors of archives in scope that are gone although nobody deleted them with lint-ai. */
const missingRecords = Effect.fn("missingRecords")(function* (scope: SessionScope) {
  const disk = yield* Disk
  const roots = yield* rootsOf(scope)
  const gone: Array<Anchor> = []
  // One that was moved within its root is there under another name.
  const { sessions: there } = yield* findSessions(scope)
  const known = new Set(there.map(({ manifest }) => anchorName(manifest.session_id, manifest.started_at)))
  for (const [name, anchor] of yield* listAnchors()) {
    if (known.has(name) || anchor.deleted_at !== undefined || !roots.includes(path.dirname(anchor.archive))) continue
    const log = yield* disk.status(archiveFiles(anchor.archive).events)
    if (log === undefined || log.size === 0) gone.push(anchor)
  }
  return gone
})

const isNamed = (anchor: Anchor, given: string | undefined): boolean =>
  given !== undefined &&
  [
    anchor.session_id,
    anchor.session_id.slice(anchor.session_id.indexOf(":") + 1),
    path.basename(anchor.archive)
  ].includes(given)

export const sessionsCommand = Command.make("sessions").pipe(
  Command.withDescription("Look at, search, export, import, check, mend and delete recorded sessions"),
  Command.withSubcommands([
    list,
    searchCommand,
    inspect,
    viewCommand,
    exportSession,
    importCommand,
    verify,
    recoverCommand,
    deleteCommand,
    pruneCommand
  ])
)
