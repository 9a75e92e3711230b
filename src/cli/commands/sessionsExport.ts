import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { counted } from "../../domain/counted.ts"
import type { SessionStatus } from "../../domain/manifest.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { agentTrace } from "../../export/agentTrace.ts"
import { atif } from "../../export/atif.ts"
import { sendToCollector, tracesUrl } from "../../export/collector.ts"
import { exportArchive, type Format, streamed } from "../../export/Exporter.ts"
import { jsonl } from "../../export/jsonl.ts"
import { markdown } from "../../export/markdown.ts"
import { otlp, type SpanOptions } from "../../export/otlp.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { html } from "../../viewer/html.ts"
import { OneDestination, OnlyForOtlp } from "../errors.ts"
import { exportToNewFile } from "../exportToNewFile.ts"
import { json, oneSession, optionalString, outFile, sessionScope } from "../options.ts"
import { harmless, plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

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

export const exportCommand = Command.make(
  "export",
  {
    session: oneSession,
    format: Flag.Literals("format", formatNames).pipe(
      Flag.withDefault("jsonl"),
      Flag.withDescription(
        "How it is written. jsonl (default): the manifest, then each event a line. markdown: for reading. html: one page for a browser. atif: a trajectory (ATIF v1.7). otlp: OpenTelemetry spans. agent-trace: which lines the agent wrote"
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
    ...sessionScope
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
