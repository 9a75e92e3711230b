import * as path from "node:path"
import type { SessionSummary } from "../../archive/readArchive.ts"
import type { RecoveryReport } from "../../archive/recover.ts"
import { counted, eventRange } from "../../domain/counted.ts"
import { providerTitles } from "../../domain/provider.ts"
import { shellWord } from "../../domain/shellWord.ts"
import type { LoneCall, TranscriptComparison } from "../../evidence/againstTranscript.ts"
import type { Verification } from "../../evidence/verify.ts"
import { endless, formatBytes, formatDuration, formatTokens, unreadWords } from "../../export/format.ts"
import type { Inspection } from "../../export/inspection.ts"
import { renderFields, renderTable } from "./table.ts"
import { plain, type Styles } from "./text.ts"

/** A path as a person in `base` would write it. */
export const shortPath = (absolute: string, base: string): string => {
  const relative = path.relative(base, absolute)
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? absolute : relative
}

const durationOf = (started: string, ended: string | null | undefined): string =>
  ended === null || ended === undefined ? "" : formatDuration(Math.max(0, Date.parse(ended) - Date.parse(started)))

/** How much of ids must be shown to tell them apart, with the mark of a cut behind it. */
const tellingWidth = (ids: ReadonlyArray<string>): number =>
  [...ids].sort().reduce((most, id, at, sorted) => {
    const before = sorted[at - 1] ?? ""
    let same = 0
    while (same < id.length && id[same] === before[same]) same++
    return Math.max(most, same + 2)
  }, 0)

export const renderSessionList = (sessions: ReadonlyArray<SessionSummary>, terminal: number): string =>
  renderTable(
    sessions,
    [
      {
        title: "SESSION",
        value: (s) => s.manifest.session_id,
        // One is named by the beginning of its id, which therefore goes before what is spare.
        least: Math.max(16, tellingWidth(sessions.map((s) => s.manifest.session_id)))
      },
      { title: "STATUS", value: (s) => s.status },
      { title: "STARTED", value: (s) => s.manifest.started_at.slice(0, 16).replace("T", " "), spare: 2 },
      {
        title: "DURATION",
        value: (s) => durationOf(s.manifest.started_at, s.manifest.ended_at),
        right: true,
        spare: 3
      },
      { title: "EVENTS", value: (s) => String(s.manifest.event_count), right: true },
      { title: "SIZE", value: (s) => formatBytes(s.manifest.byte_count ?? 0), right: true, spare: 4 },
      { title: "REDACTED", value: (s) => String(s.manifest.redaction_count ?? 0), right: true, spare: 1 }
    ],
    terminal
  )

/** The compact result after a session, with what can be done next. */
export const renderCard = (inspection: Inspection, base: string, style: Styles): string => {
  const { status } = inspection
  const ended = status === "completed" ? "complete" : status === "active" ? "still active" : status
  const id = shellWord(plain(inspection.session_id))
  const title = status === "active" ? "Session being recorded" : "Session recorded"
  const next = [
    ["View", `lint-ai sessions view ${id}`],
    ["Inspect", `lint-ai sessions inspect ${id}`],
    ["Export", `lint-ai sessions export ${id} --format markdown --out session.md`],
    ["Promote", `lint-ai memory promote ${id}`],
    ["Verify", `lint-ai sessions verify ${id}`],
    ["Delete", `lint-ai sessions delete ${id}`]
  ] as const
  return [
    style.bold(title),
    "",
    `${providerTitles[inspection.provider]} · ${inspection.recording_mode} · ${formatDuration(inspection.duration_ms)}`,
    `${counted(inspection.event_count, "event")} · ${formatBytes(inspection.byte_count)} · ${counted(inspection.redaction_count, "redaction")} · ${ended}`,
    `Saved to ${plain(shortPath(inspection.path, base))}${path.sep}`,
    "",
    ...next.map(([name, command]) => `  ${name.padEnd(8)} ${style.cyan(command)}`),
    ""
  ].join("\n")
}

/** Keeps a name and its count on one line; drawn as a space. */
const noBreak = "\u00a0"

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name}${noBreak}${count}`)
    .join(", ") || "none"

export const renderInspection = (inspection: Inspection & FailedHooks, terminal: number, style: Styles): string => {
  const { timing, repository } = inspection
  const recording = timing.recording
  const unresolved = inspection.unresolved_tool_calls
  const agent = [providerTitles[inspection.provider], inspection.provider_version ?? ""].join(" ").trim()
  const fields: ReadonlyArray<readonly [string, string]> = [
    ["Session", inspection.session_id],
    ["Agent", inspection.models.length === 0 ? agent : `${agent} · ${inspection.models.join(", ")}`],
    [
      "Status",
      `${inspection.status}${inspection.end_reason === undefined ? "" : ` (${inspection.end_reason})`}${inspection.joined === undefined ? "" : ", joined mid-session"}`
    ],
    ["Mode", inspection.recording_mode],
    ["Started", inspection.started_at],
    ["Ended", inspection.ended_at ?? endless(inspection.status)],
    ["Duration", formatDuration(inspection.duration_ms)],
    ["Events", `${inspection.event_count} in ${counted(inspection.turn_count, "turn")}: ${listed(inspection.counts)}`],
    [
      "Tools",
      Object.entries(inspection.tools)
        .map(([name, { calls, errors }]) => `${name} ${calls}${errors === 0 ? "" : ` (${counted(errors, "error")})`}`)
        .join(", ") || "none"
    ],
    [
      "Unresolved",
      unresolved.length === 0
        ? "none"
        : unresolved.map((call) => `${call.tool_name} (event ${call.sequence})`).join(", ")
    ],
    [
      "Redactions",
      // Older recorders left no rule in the marker.
      `${inspection.redaction_count}${Object.keys(inspection.redactions).length === 0 ? "" : ` ${inspection.redaction_count === 1 ? "place" : "places"}: ${listed(inspection.redactions)}`}`
    ],
    [
      "Truncations",
      `${inspection.truncation_count}${inspection.omitted_count === 0 ? "" : `, ${counted(inspection.omitted_count, "field")} omitted`}${inspection.dropped_count === 0 ? "" : `, ${counted(inspection.dropped_count, "event")} over the size bound dropped`}`
    ],
    [
      "Damage",
      [
        inspection.damaged_count === 0 ? "" : counted(inspection.damaged_count, "damaged line"),
        inspection.torn_tail ? "last line incomplete" : "",
        inspection.finding_count === 0 ? "" : `${counted(inspection.finding_count, "finding")} in recovery.json`,
        inspection.spooled_count === 0 ? "" : `${counted(inspection.spooled_count, "event")} in the spool`
      ]
        .filter((text) => text !== "")
        .join(", ") || "none"
    ],
    ...(inspection.failed_hooks === 0
      ? []
      : [["Failed hooks", `${inspection.failed_hooks}: ${missedWords(inspection.failed_hooks)}`] as const]),
    [
      "Usage",
      Object.entries(inspection.usage)
        .sort(([a], [b]) => Number(b === inspection.usage_source) - Number(a === inspection.usage_source))
        .map(([source, tokens]) => `${formatTokens(tokens)} (${source})`)
        .join("; the same, as told by another: ") || "not observed"
    ],
    ...(inspection.unread_transcripts.length === 0
      ? []
      : [
          [
            "Usage, more",
            `${unreadWords(inspection.unread_transcripts.length)}: what stands there is not counted`
          ] as const
        ]),
    [
      "Hook time",
      recording === undefined || recording.count === 0
        ? "not observed"
        : `${formatDuration(recording.total / recording.count)} on average, ${formatDuration(recording.max)} at most, in ${counted(recording.count, "hook")}`
    ],
    [
      "Revision",
      repository.revision === null
        ? "none"
        : `${repository.revision.slice(0, 12)}${repository.branch === null ? "" : ` on ${repository.branch}`}${repository.dirty === true ? ", with changes" : ""}`
    ],
    ["Seen by hook", capabilities(inspection, "hook")],
    ["By transcript", capabilities(inspection, "transcript")],
    ["Not seen", capabilities(inspection, "absent")],
    ["Redaction", inspection.redaction_policy ?? "unknown"],
    ["Size", formatBytes(inspection.byte_count)],
    ["Path", inspection.path]
  ]
  return `${style.bold("Session")}\n\n${renderFields(fields, terminal)}`
}

const capabilities = (inspection: Inspection, how: string): string =>
  Object.entries(inspection.capabilities)
    .filter(([, seen]) => seen === how)
    .map(([name]) => name)
    .join(", ") || "none"

/** Hooks that failed while a session was recorded, as diagnostics tell. */
interface FailedHooks {
  readonly failed_hooks: number
}

const missedWords = (failed: number): string =>
  `what ${failed === 1 ? "it" : "they"} would have recorded may be missing; \`lint-ai status\` says why`

export const renderVerification = (verification: Verification & Partial<FailedHooks>, style: Styles): string => {
  const { verdict } = verification
  const shown =
    verdict === "broken" ? style.red(verdict) : verdict === "complete" ? style.green(verdict) : style.yellow(verdict)
  const failed = verification.failed_hooks ?? 0
  const where = verification.broken_at === undefined ? "" : ` at event ${verification.broken_at}`
  return [
    `${plain(verification.session_id)}: ${shown}${where}, ${counted(verification.event_count, "event")}`,
    `  ${meanings[verdict]}`,
    ...verification.reasons.map((reason) => `  - ${plain(reason)}`),
    ...verification.gaps.map((gap) => `  - event ${gap.sequence} names a gap: ${gapWords(gap)}`),
    ...(verification.spooled_count === 0
      ? []
      : [`  - ${counted(verification.spooled_count, "event")} in the spool, not yet in the chain`]),
    ...(failed === 0 ? [] : [`  - ${counted(failed, "hook")} failed meanwhile: ${missedWords(failed)}`]),
    ""
  ].join("\n")
}

const gapWords = (gap: Verification["gaps"][number]): string =>
  gap.cause === "spooled"
    ? `${counted(gap.events, "event")} before it came late, because another process held the lock`
    : gap.cause === "missing"
      ? `${eventRange(gap.from, gap.to, ["was", "were"])} gone by then`
      : "the manifest had been changed by then"

const callLine = (call: LoneCall): string => `    ${plain(call.tool_name)} ${plain(call.tool_use_id)}`

export const renderComparison = (comparison: TranscriptComparison): string => {
  const lists: ReadonlyArray<readonly [string, ReadonlyArray<LoneCall>]> = [
    ["in the transcript and not recorded", comparison.not_recorded],
    ["recorded and not in the transcript", comparison.not_in_transcript],
    ["whose end was not recorded", comparison.end_not_recorded]
  ]
  return [
    `${plain(comparison.transcript)}: ${comparison.agrees ? "agrees" : "differs"}, ${counted(comparison.transcript_calls, "call")} there, ${comparison.recorded_calls} recorded`,
    ...(comparison.before_recording === 0
      ? []
      : [`  ${counted(comparison.before_recording, "call")} from before the recording began`]),
    ...lists.flatMap(([what, calls]) =>
      calls.length === 0 ? [] : [`  ${counted(calls.length, "call")} ${what}:`, ...calls.map(callLine)]
    ),
    ""
  ].join("\n")
}

const meanings: Record<Verification["verdict"], string> = {
  complete: "Every event is as it was written, and none of those is missing.",
  chained: "No event was altered; whether the last ones are missing cannot be told.",
  partial: "No event was altered; not everything around them can be vouched for.",
  unkeyed: "Accidents would show, alterations would not.",
  broken: "The record was altered."
}

export const renderRecovery = (report: RecoveryReport, base: string): string =>
  [
    `${plain(shortPath(report.directory, base))}: ${counted(report.event_count, "event")}, ${report.status}`,
    ...(report.drained === 0
      ? []
      : [`  ${counted(report.drained, "delivery")} taken from the spool`.replace("deliverys", "deliveries")]),
    ...(report.findings.length === 0
      ? ["  nothing wrong was found"]
      : report.findings.map(
          (finding) =>
            `  - ${plain(finding.problem)}${finding.offset === undefined ? "" : ` at byte ${finding.offset}`}${finding.length === undefined ? "" : `, ${formatBytes(finding.length)}`}${finding.detail === undefined ? "" : `: ${plain(finding.detail)}`}`
        )),
    ""
  ].join("\n")
