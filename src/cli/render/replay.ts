import type { ArmMemory } from "../../domain/arm.ts"
import { counted } from "../../domain/counted.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { formatDuration } from "../../export/format.ts"
import type { ChangedFiles } from "../../platform/Worktrees.ts"
import type { Look } from "../report.ts"
import { renderFields, wrapWords } from "./table.ts"
import { ellipsis, plain } from "./text.ts"

/** What a replay will do, for a person and for programs. */
export interface PlanView {
  readonly baseline: string
  readonly provider: string
  readonly arm: string
  readonly lint_ai: boolean
  readonly native_memory: boolean
  readonly instruction_files: boolean
  /** What it begins with; null where lint-ai is off. */
  readonly memory: ArmMemory | null
  readonly model: string | null
  readonly args: ReadonlyArray<string>
  readonly profile: string
  readonly project_root: string
  readonly revision: string | null
  readonly patch: string | null
  readonly session_root: string
  readonly timeout_ms: number
  readonly repeat: number
  readonly prompts: ReadonlyArray<{ readonly text: string; readonly altered: ReadonlyArray<string> }>
  readonly notes: ReadonlyArray<string>
}

/** One replay that was made. */
export interface ReplayView {
  readonly session_id: string
  readonly path: string
  readonly status: "completed" | "failed"
  readonly reason: string | null
  readonly exit_code: number | null
  readonly prompt_count: number
  readonly prompts_alone: number
  readonly duration_ms: number
  readonly cost_usd: number | null
  readonly changed_since_revision: ChangedFiles | null
  readonly notes: ReadonlyArray<string>
}

const memoryWords = (memory: ArmMemory): string => {
  if (memory.from === "empty") return "empty"
  if (memory.from === "named") return `copy of ${memory.directory}`
  return `the project's as of ${memory.as_of?.slice(0, 16).replace("T", " ") ?? "now"}`
}

const changedWords = ({ files, insertions, deletions, commits }: ChangedFiles): string =>
  files === 0 && commits === 0
    ? "no file of the workspace differs from the revision"
    : `${counted(files, "file")} changed (+${insertions} -${deletions})${commits === 0 ? "" : `, ${counted(commits, "commit")}`}`

const onOff = (is: boolean): string => (is ? "on" : "off")

const noteLines = (notes: ReadonlyArray<string>, columns: number): ReadonlyArray<string> =>
  notes.flatMap((note) => wrapWords(plain(note), columns - 2).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)))

/** The plan as a card, with the beginning of each prompt. */
export const renderPlan = (plan: PlanView, look: Look): string =>
  [
    look.style.bold(`Replay of ${plain(plan.baseline)}`),
    "",
    renderFields(
      [
        ["Agent", plan.provider],
        ["Model", plain(plan.model ?? "its usual one")],
        ["lint-ai", plan.memory === null ? "off (recording is on)" : `on, memory: ${plain(memoryWords(plan.memory))}`],
        ["Native memory", onOff(plan.native_memory)],
        ["Instruction files", onOff(plan.instruction_files)],
        ["Hooks", plan.profile],
        ...(plan.args.length === 0 ? [] : [["Arguments", plain(plan.args.join(" "))] as const]),
        ["Project", plain(plan.project_root)],
        ["Revision", plan.revision?.slice(0, 12) ?? "none known: a copy of the project"],
        ...(plan.patch === null ? [] : [["Patch", plain(plan.patch)] as const]),
        ["Session root", plain(plan.session_root)],
        ["Time", `${formatDuration(plan.timeout_ms)} at most`],
        ...(plan.repeat === 1 ? [] : [["Repetitions", String(plan.repeat)] as const])
      ],
      look.columns
    ),
    ...plan.prompts.map((prompt, index) => {
      const altered = prompt.altered.length === 0 ? "" : ` (${prompt.altered.join(", ")})`
      return (
        ellipsis(`${index + 1}. ${plain(prompt.text.replace(/\s+/g, " ").trim())}`, look.columns - altered.length) +
        altered
      )
    }),
    ...(plan.notes.length === 0 ? [] : ["", ...noteLines(plan.notes, look.columns)]),
    ""
  ].join("\n")

/** What became of the replays, and what to do next. */
export const renderReplays = (baseline: string, replays: ReadonlyArray<ReplayView>, look: Look): string => {
  const ids = replays.map(({ session_id }) => plain(session_id))
  const notes = [...new Set(replays.flatMap((one) => one.notes))]
  return [
    ...replays.flatMap((one) => [
      `${one.status === "completed" ? look.style.green("completed") : look.style.red("failed")}  ${look.style.bold(plain(one.session_id))}`,
      ...(one.reason === null ? [] : wrapWords(plain(one.reason), look.columns - 2).map((line) => `  ${line}`)),
      `  ${counted(one.prompt_count, "prompt")} answered in ${formatDuration(one.duration_ms)}${one.cost_usd === null ? "" : `, $${one.cost_usd.toFixed(4)}`}`,
      ...(one.changed_since_revision === null ? [] : [`  ${changedWords(one.changed_since_revision)}`]),
      ...(one.prompts_alone === 0
        ? []
        : [
            `  Sent alone, because the agent could not go on with the conversation: ${counted(one.prompts_alone, "prompt")}`
          ]),
      `  ${plain(one.path)}`
    ]),
    "",
    ...noteLines(notes, look.columns),
    "",
    "Next",
    `  lint-ai sessions inspect ${shellWord(ids.at(-1) ?? "")}`,
    `  lint-ai compare ${[plain(baseline), ...ids].map(shellWord).join(" ")}`,
    ""
  ].join("\n")
}
