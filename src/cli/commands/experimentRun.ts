import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { counted } from "../../domain/counted.ts"
import { reportOf } from "../../experiment/asRun.ts"
import { checkPlan } from "../../experiment/checkPlan.ts"
import { attemptsOf, readLedger } from "../../experiment/ledger.ts"
import { type OpenedExperiment, openExperiment, usualRoot } from "../../experiment/openExperiment.ts"
import { pendingOf, runExperiment } from "../../experiment/runExperiment.ts"
import { Host } from "../../platform/Host.ts"
import { isTrusted, trust } from "../../scenario/consent.ts"
import { confirm } from "../confirm.ts"
import { NothingScored } from "../errors.ts"
import { fileIn, freshRoot, rootFlag, rootToGoOnIn } from "../experimentPlace.ts"
import { json, project, wholeNumber, yes } from "../options.ts"
import { projectOf } from "../project.ts"
import { planOf, renderExperiment, renderPlan } from "../render/experiment.ts"
import { withProgress } from "../render/progress.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { agree } from "./scenario.ts"

interface Run {
  readonly file: string
  readonly root: string | undefined
  readonly parallel: number | undefined
  readonly newRoot: boolean
  readonly retryFailed: boolean
  readonly keep: boolean
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
  readonly project: string | undefined
}

/** Runs an experiment, after it has said what that takes, and reports. */
export const runFile = Effect.fn("experiment run")(function* (flags: Run) {
  const host = yield* Host
  const opened = yield* openExperiment(
    yield* fileIn(path.resolve(host.cwd, flags.file)),
    yield* projectOf(flags.project)
  )
  const chosen =
    flags.root === undefined ? yield* usualRoot(opened.file, opened.experiment.id) : path.resolve(host.cwd, flags.root)
  const directory = flags.newRoot
    ? yield* freshRoot(chosen)
    : flags.root === undefined
      ? yield* rootToGoOnIn(chosen, opened)
      : chosen
  // A root that was named is taken at its word.
  const goOn =
    flags.root === undefined || !flags.newRoot ? "" : `, with --root ${plain(directory)} and without --new-root,`
  const parallelism = flags.parallel ?? opened.experiment.parallelism ?? 1
  const { lines } = yield* readLedger(directory)
  const pending = pendingOf(opened.cells, attemptsOf(lines), flags.retryFailed)
  const plan = planOf(opened, directory, parallelism, pending)
  const cautions = yield* checkPlan(opened, directory)
  if (flags.dryRun) {
    yield* report(flags.json, { ...plan, cautions }, (shown, look) => renderPlan(shown, cautions, look))
    return
  }
  if (!flags.json) for (const caution of cautions) yield* note(`${plain(caution)}\n`)
  const agreed = yield* agreements(opened, flags.yes)
  if (pending.length > 0) {
    yield* confirm({
      question: `Run ${plan.earlier === 0 ? "" : "the rest, "}${counted(pending.length, "cell")}? Agents work for each of them, which may cost money.`,
      action: "Running agents",
      yes: flags.yes
    })
  }
  const summary = yield* withProgress({ total: opened.cells.length, quiet: flags.json }, (progress) =>
    runExperiment(opened, {
      root: directory,
      parallelism,
      keep: flags.keep,
      retryFailed: flags.retryFailed,
      agreed,
      began: (cell, done) => progress.step(done, cell.id),
      ended: (cell, how, done) =>
        how.startsWith("failed")
          ? Effect.andThen(progress.note(`${plain(cell.id)} ${plain(how)}`), progress.step(done, cell.id))
          : progress.step(done, cell.id)
    })
  ).pipe(Effect.onInterrupt(() => note(`Interrupted. What is completed is kept: run it again${goOn} to go on.\n`)))
  const made = yield* reportOf(directory)
  yield* report(flags.json, { run: summary, report: made }, (both, look) =>
    [
      ...both.run.cut.map((cell) => `${plain(cell)} had been cut, is kept as aborted, and was run again.\n`),
      renderExperiment(both.report, look)
    ].join("")
  )
  if (made.cells.completed === 0) {
    return yield* new NothingScored({ root: directory, first: made.excluded[0]?.why ?? "nothing has run" })
  }
})

/** Digests of scenarios to whose commands the user has agreed, now or before. */
const agreements = Effect.fnUntraced(function* ({ tasks }: OpenedExperiment, answer: boolean) {
  const agreed = new Set<string>()
  for (const { file } of tasks) {
    if (file.scenario.validators.length > 0 && !(yield* isTrusted(file.digest))) {
      yield* agree(file, answer)
      if (!answer) yield* trust(file.digest)
    }
    agreed.add(file.digest)
  }
  return agreed
})

/** How to run, whatever names the experiment. */
export const runFlags = {
  parallel: wholeNumber("parallel", 1).pipe(
    Flag.optional,
    Flag.map((some) => (some._tag === "Some" ? Math.min(32, some.value) : undefined)),
    Flag.withDescription("Cells at a time, up to 32; else what the experiment says, else one")
  ),
  newRoot: Flag.Boolean("new-root").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Begin anew in a directory beside the root, when one was begun there")
  ),
  retryFailed: Flag.Boolean("retry-failed").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Run cells again that failed; without it a failure stands")
  ),
  keep: Flag.Boolean("keep").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Leave workspaces, settings homes and memories there")
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Show what would be run, and write nothing")
  ),
  yes: yes.pipe(Flag.withDescription("Do not ask, and agree to the commands of the scenarios")),
  json,
  project
} as const

export const experimentRun = Command.make(
  "run",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The experiment")),
    root: rootFlag,
    ...runFlags
  },
  runFile
).pipe(
  Command.withDescription(
    "Run all cells that have no result yet, each in a place of its own, and report. What was cut is run again, what is completed never"
  )
)
