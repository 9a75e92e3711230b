import { counted } from "../../domain/counted.ts"
import { providerTitles } from "../../domain/provider.ts"
import type { ExtractionReport } from "../../memory/extraction/extractSession.ts"
import type { StagedCandidate } from "../../memory/extraction/staging.ts"
import type { Look } from "../report.ts"
import { renderTable } from "./table.ts"
import { ellipsis, plain } from "./text.ts"

const next = "`lint-ai extract review` shows them; only what you accept is kept.\n"

/** What an extraction came to. */
export const renderExtraction = (report: Omit<ExtractionReport, "failure">, { columns }: Look): string => {
  const { staged, dropped, events } = report
  const lines: Array<string> = []
  if (events === null) {
    lines.push("Nothing new since the last extraction. --again begins with the first event.")
  } else {
    const from = events.from === events.to ? `event ${events.from}` : `events ${events.from} to ${events.to}`
    const found = report.candidates === 0 ? "nothing that lasts" : counted(report.candidates, "note")
    lines.push(`${providerTitles[report.host]} found ${found} in ${from} of ${plain(report.session_id)}.`)
  }
  if (report.form === "provider-events") {
    lines.push("Nothing in it was known as conversation, so the raw events were sent.")
  } else if (report.unrecognized > 0) {
    lines.push(
      `${counted(report.unrecognized, "event")} of a kind that lint-ai does not know ${were(report.unrecognized)} not sent.`
    )
  }
  if (report.undecoded > 0) {
    lines.push(
      `${counted(report.undecoded, "damaged piece")} of the log could not be read and ${were(report.undecoded)} not sent.`
    )
  }
  for (const { category, cause, next_action } of dropped) lines.push(`Not kept (${category}): ${cause} ${next_action}`)
  if (report.more) lines.push("The session goes on: run the same command again for the rest.")
  const table = staged.length === 0 ? "" : `\n${listed(staged, columns)}\n${next}`
  return `${lines.join("\n")}\n${table}`
}

const were = (count: number): string => (count === 1 ? "was" : "were")

const listed = (candidates: ReadonlyArray<StagedCandidate>, columns: number): string =>
  `${renderTable(
    candidates,
    [
      { title: "ID", value: ({ id }) => id },
      { title: "KIND", value: ({ kind }) => kind, spare: 1 },
      { title: "TITLE", value: ({ title }) => title, least: 12 }
    ],
    columns
  ).trimEnd()}\n`

/** The candidates that wait. */
export const renderCandidates = (candidates: ReadonlyArray<StagedCandidate>, look: Look): string =>
  candidates.length === 0
    ? "No candidates wait for a decision. `lint-ai extract SESSION` looks for some.\n"
    : `${candidates.map((candidate) => renderCandidate(candidate, look)).join("\n")}\n` +
      "`lint-ai extract review accept ID` keeps one, `lint-ai extract review reject ID` does not.\n"

/** One candidate as a person decides about it. */
export const renderCandidate = (candidate: StagedCandidate, { columns, style }: Look): string => {
  const { id, kind, title, body, tags, session_id, events, grounded, host } = candidate
  const cited = events.length === 0 ? "" : `, event${events.length === 1 ? "" : "s"} ${events.join(", ")}`
  return [
    style.bold(ellipsis(`${id}  ${kind}`, columns)),
    `  ${style.bold(plain(title))}`,
    ...body.split("\n").map((line) => `  ${plain(line)}`),
    ...(tags.length === 0 ? [] : [`  ${style.dim(`tags: ${plain(tags.join(", "))}`)}`]),
    `  ${style.dim(`from ${plain(session_id)}${cited}, by ${providerTitles[host]}`)}`,
    ...(grounded ? [] : [`  ${style.yellow("No recorded event holds these words: look twice.")}`]),
    ""
  ].join("\n")
}
