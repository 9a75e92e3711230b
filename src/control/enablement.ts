import { counted } from "../domain/counted.ts"
import type { Mode } from "../domain/mode.ts"
import { type Provider, providerTitles } from "../domain/provider.ts"

/** What a person sees before recording is turned on. */
export interface EnablementView {
  readonly provider: Provider
  readonly mode: Mode
  /** Absolute path. */
  readonly project: string
  /** Where the sessions go; relative to the project when it is inside of it. */
  readonly sessionRoot: string
  /** Whether memories are put into the agent's context. */
  readonly retrieval: boolean
  /** What happens to the agent's own memory. */
  readonly nativeMemory: "unchanged" | "off"
  /** Name of the redaction policy. */
  readonly redactionPolicy: string
  /** What the configuration adds to it: rules, and values that it lets through. */
  readonly redactionRules: { readonly added: number; readonly allowed: number }
  /** Sizes in bytes beyond which something is cut. */
  readonly limits: { readonly stringBytes: number; readonly eventBytes: number; readonly sessionBytes: number }
  /** The command that turns recording off again, or on when the mode is off. */
  readonly command: string
}

/**
 * The card "Record session": the choices that are made, what will be stored, and how to turn it off.
 *
 * @param columns width of the terminal. Text wraps at words and a path at its slashes; the command is never broken, so that it can be
 * copied.
 * @returns lines that end without white space; no colour codes; a line break at the end
 */
export const renderEnablement = (view: EnablementView, columns = 80): string => {
  const width = Math.max(minimumWidth, Math.min(columns, maximumWidth))
  const { stringBytes, eventBytes, sessionBytes } = view.limits
  const rows: ReadonlyArray<readonly [label: string, value: string]> = [
    ["Provider", providerTitles[view.provider]],
    ["Mode", modeTitles[view.mode]],
    ["Project", view.project],
    ["Session root", view.sessionRoot],
    ["Retrieval", view.retrieval ? "On. Memories may be put into the agent's context." : "Off"],
    ["Native memory", view.nativeMemory === "unchanged" ? "Unchanged" : "Off in this session"],
    ["Redaction", `${policyWords(view)}. What looks like a secret is replaced before anything is written.`],
    [
      "Size policy",
      `Texts are cut at ${size(stringBytes)}, prompts and events at ${size(eventBytes)}. A session grows to ${size(sessionBytes)}.`
    ]
  ]
  return [
    "Record session",
    "",
    ...rows.flatMap(([label, value]) => row(label, value, width)),
    ...(view.mode === "off" ? nothingStored : stored).flatMap((text) => ["", ...wrap(text, width)]),
    "",
    view.mode === "off" ? "Turn it on with" : view.retrieval ? "Turn recording off with" : "Turn it off with",
    `  ${view.command}`,
    ...(view.retrieval ? ["Turn memory off with", `  lint-ai disable ${view.provider}`] : []),
    ""
  ].join("\n")
}

const policyWords = ({ redactionPolicy, redactionRules: { added, allowed } }: EnablementView): string => {
  const more = [
    ...(added === 0 ? [] : [counted(added, "more rule")]),
    ...(allowed === 0 ? [] : [`${counted(allowed, "value")} let through`])
  ]
  return more.length === 0 ? redactionPolicy : `${redactionPolicy} with ${more.join(" and ")}`
}

const stored: ReadonlyArray<string> = [
  "Will be stored on this machine: your prompts, the agent's answers, every tool call with its input and result (also commands and the text of files that the agent reads or writes), times and token counts.",
  "Redaction finds common kinds of secrets, not all of them, and no names or other private matters. Nothing leaves this machine unless you export it."
]
const nothingStored: ReadonlyArray<string> = ["Nothing will be stored: the hooks are registered and answer at once."]

const modeTitles: Record<Mode, string> = {
  off: "Off",
  "capture-only": "Capture only",
  assist: "Assist",
  ab: "A/B experiment"
}

const minimumWidth = 30
// Longer lines are hard to read.
const maximumWidth = 100
const labelWidth = 15

const row = (label: string, value: string, width: number): ReadonlyArray<string> =>
  wrap(printable(value), width - labelWidth).map((line, index) => (index === 0 ? label : "").padEnd(labelWidth) + line)

/** A directory may be called anything, also something that a terminal would obey. */
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd")

/** Fills lines with words. A word that is longer than a line is cut behind a slash, else where the line ends. */
const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ").flatMap((one) => pieces(one, width))) {
    const joined = line === "" ? word.text : `${line}${word.glued ? "" : " "}${word.text}`
    if (line !== "" && lengthOf(joined) > width) {
      lines.push(line)
      line = word.text
    } else line = joined
  }
  return [...lines, line].map((one) => one.replaceAll(noBreak, " "))
}

interface Piece {
  readonly text: string
  /** Continues the piece before it. */
  readonly glued: boolean
}

const pieces = (word: string, width: number): ReadonlyArray<Piece> => {
  if (lengthOf(word) <= width) return [{ text: word, glued: false }]
  const parts = word.split(/(?<=[\\/])/).flatMap((part) => chunks(part, width))
  return parts.map((text, index) => ({ text, glued: index > 0 }))
}

const chunks = (text: string, width: number): ReadonlyArray<string> => {
  const points = Array.from(text)
  const count = Math.ceil(points.length / width)
  return Array.from({ length: count }, (_, index) => points.slice(index * width, (index + 1) * width).join(""))
}

const lengthOf = (text: string): number => Array.from(text).length

const noBreak = "\u00a0"

const size = (bytes: number): string => {
  const units: ReadonlyArray<[unit: string, bytes: number]> = [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024]
  ]
  const [unit, unitBytes] = units.find(([, one]) => bytes >= one) ?? [bytes === 1 ? "byte" : "bytes", 1]
  return `${Math.round((bytes / unitBytes) * 10) / 10}${noBreak}${unit}`
}
