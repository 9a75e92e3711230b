import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import { Experiment } from "../../domain/experiment.ts"
import { reportOf } from "../../experiment/asRun.ts"
import { checkPlan } from "../../experiment/checkPlan.ts"
import { ExperimentUnreadable } from "../../experiment/errors.ts"
import { readExperiment } from "../../experiment/experimentFile.ts"
import { attemptsOf, ledgerFile, readLedger } from "../../experiment/ledger.ts"
import { experimentMarkdown } from "../../experiment/markdown.ts"
import { checkRoot, type OpenedExperiment, openExperiment, usualRoot } from "../../experiment/openExperiment.ts"
import type { ExperimentReport } from "../../experiment/report.ts"
import { changesSince, pendingOf, runExperiment } from "../../experiment/runExperiment.ts"
import { exampleScenario, startingFile } from "../../experiment/startingFile.ts"
import { counted } from "../../export/format.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { countMemories } from "../../replay/memorySeed.ts"
import { isTrusted, trust } from "../../scenario/consent.ts"
import { scenarioFromSession } from "../../scenario/fromSession.ts"
import { readScenario } from "../../scenario/scenarioFile.ts"
import { experimentDocument } from "../../viewer/experimentReport.ts"
import { confirm } from "../confirm.ts"
import { NothingScored, OutputExists } from "../errors.ts"
import { htmlFlag, writeHtml } from "../htmlReport.ts"
import { json, optionalArgument, optionalString, project, providerFlag, sessionRoot, yes } from "../options.ts"
import { projectOf } from "../project.ts"
import { planOf, renderExperiment, renderPlan } from "../render/experiment.ts"
import { withProgress } from "../render/progress.ts"
import { plain, styles } from "../render/text.ts"
import { type Look, note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"
import { agree } from "./scenario.ts"

const fileName = "experiment.jsonc"

const repetitions = Flag.Int("repetitions").pipe(
  Flag.withDefault(10),
  Flag.withSchema(Experiment.fields.repetitions),
  Flag.withDescription("How often each arm does each scenario")
)

interface Init {
  readonly target: string
  readonly session: string | undefined
  readonly scenarios: ReadonlyArray<string>
  readonly provider: "claude" | "codex" | "gemini" | "antigravity" | undefined
  readonly model: string | undefined
  readonly repetitions: number
  readonly project: string | undefined
  readonly sessionRoot: string | undefined
}

/** Writes an experiment to begin with, and a scenario where none is given. Nothing that exists is overwritten. */
const writeBeginning = Effect.fn("experiment init")(function* (options: Init) {
  const host = yield* Host
  const disk = yield* Disk
  const target = path.resolve(host.cwd, options.target)
  const file = /\.jsonc?$/.test(target) ? target : path.join(target, fileName)
  const base = path.dirname(file)
  if ((yield* disk.status(file)) !== undefined) return yield* new OutputExists({ path: file })
  const from = (absolute: string) => {
    const relative = path.relative(base, absolute).split(path.sep).join("/")
    return relative.startsWith("../../..") ? absolute : relative
  }
  const given = yield* Effect.forEach(options.scenarios, (name) => readScenario(path.resolve(host.cwd, name)))
  const scope = yield* scopeOf({ project: options.project, provider: undefined, sessionRoot: options.sessionRoot })
  const session = options.session === undefined ? undefined : yield* findSession(scope, options.session)
  const made =
    session !== undefined
      ? (yield* scenarioFromSession(session, scope.projectRoot)).scenario
      : given.length === 0
        ? exampleScenario
        : undefined
  const own = made === undefined ? undefined : path.join(base, "scenarios", `${made.id}.json`)
  if (own !== undefined) {
    yield* disk.makeDirectory(path.dirname(own))
    const written = yield* createFile(own, Buffer.from(`${JSON.stringify(made, undefined, 2)}\n`))
    if (!written) return yield* new OutputExists({ path: own })
  }
  const provider = options.provider ?? session?.manifest.provider ?? "claude"
  // A memory that holds nothing is refused by the run; what there is may know of a recorded session.
  const known = session === undefined ? 0 : yield* countMemories({ from: "project" }, provider, scope.projectRoot)
  const text = startingFile({
    id: idFrom(path.basename(base)),
    provider,
    model: options.model,
    repetitions: options.repetitions,
    scenarios: [...given.map((one) => from(one.path)), ...(own === undefined ? [] : [from(own)])],
    repository: from(scope.projectRoot) || ".",
    memory: known === 0 ? "empty" : "project"
  })
  yield* disk.makeDirectory(base)
  if (!(yield* createFile(file, Buffer.from(text)))) return yield* new OutputExists({ path: file })
  return { file, scenario: own ?? null, from_session: session?.manifest.session_id ?? null }
})

const idFrom = (name: string): string => {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 60)
  return id === "" ? "experiment" : id
}

type Begun = Effect.Success<ReturnType<typeof writeBeginning>>
const renderBegun = ({ file, from_session, scenario }: Begun): string =>
  [
    "The experiment is in",
    plain(file),
    ...(scenario === null
      ? []
      : [
          from_session === null ? "with an example of a scenario in" : "with a scenario of the session in",
          plain(scenario)
        ]),
    "",
    `Change ${scenario === null ? "it" : "both"} to what you want to know, then:`,
    `  lint-ai experiment run ${plain(file)} --dry-run`,
    `  lint-ai experiment run ${plain(file)}`,
    ""
  ].join("\n")

const init = Command.make(
  "init",
  {
    target: Argument.String("dir|file").pipe(
      Argument.withDescription("A directory for the experiment and its scenarios, or the file to write"),
      Argument.withDefault("lint-ai-experiment")
    ),
    session: optionalString("session", "Make the scenario of this recorded session", "ID"),
    scenarios: Flag.String("scenario").pipe(
      Flag.withDescription("A scenario file to use; may be repeated"),
      Flag.withMetavar("FILE"),
      Flag.atLeast(0)
    ),
    provider: providerFlag.pipe(Flag.withDescription("The agent of the arms")),
    model: optionalString("model", "The model of the arms; else the agent's own", "NAME"),
    repetitions,
    json,
    project,
    sessionRoot
  },
  Effect.fn("experiment init")(function* (flags) {
    yield* report(flags.json, yield* writeBeginning(flags), renderBegun)
  })
).pipe(
  Command.withDescription("Write an experiment to begin with: native memory against lint-ai, every field explained")
)

const root = optionalString(
  "root",
  "Keep everything of the experiment below this directory, outside of the project; else in your state directory",
  "DIR"
)

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

const runFile = Effect.fn("experiment run")(function* (flags: Run) {
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
  const plan = planOf(opened, directory, parallelism)
  const cautions = yield* checkPlan(opened, directory)
  if (flags.dryRun) {
    yield* report(flags.json, { ...plan, cautions }, (shown, look) => renderPlan(shown, cautions, look))
    return
  }
  if (!flags.json) for (const caution of cautions) yield* note(`${plain(caution)}\n`)
  const agreed = yield* agreements(opened, flags.yes)
  const { lines } = yield* readLedger(directory)
  const left = pendingOf(opened.cells, attemptsOf(lines), flags.retryFailed).length
  if (left > 0) {
    yield* confirm({
      question: `Run ${left === plan.cells.length ? "" : "the rest, "}${counted(left, "cell")}? Agents work for each of them, which may cost money.`,
      action: "Running agents",
      yes: flags.yes
    })
  }
  const summary = yield* withProgress({ total: plan.cells.length, quiet: flags.json }, (progress) =>
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

/** A directory stands for the experiment that `init` writes into one. */
const fileIn = Effect.fnUntraced(function* (named: string) {
  const disk = yield* Disk
  const status = yield* disk.status(named).pipe(Effect.orElseSucceed(() => undefined))
  return status?.kind === "directory" ? path.join(named, fileName) : named
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

/** The last of an experiment's usual roots that was begun with it as it is now; where none was, the last that was begun at all. */
const rootToGoOnIn = Effect.fnUntraced(function* (usual: string, opened: OpenedExperiment) {
  const disk = yield* Disk
  let last = usual
  let fitting: string | undefined
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? usual : `${usual}-${number}`
    if ((yield* disk.status(ledgerFile(candidate))) === undefined) return fitting ?? last
    last = candidate
    const begun = (yield* readLedger(candidate)).lines.find((line) => line.type === "opened")
    if (begun !== undefined && changesSince(begun.fingerprints, opened.fingerprints).length === 0) fitting = candidate
  }
})

/** The directory itself, or the first beside it in which nothing has been begun. */
const freshRoot = Effect.fnUntraced(function* (chosen: string) {
  const disk = yield* Disk
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? chosen : `${chosen}-${number}`
    if ((yield* disk.status(ledgerFile(candidate))) === undefined) return candidate
  }
})

const runFlags = {
  parallel: Flag.Int("parallel").pipe(
    Flag.optional,
    Flag.map((some) => (some._tag === "Some" ? Math.min(32, Math.max(1, some.value)) : undefined)),
    Flag.withDescription("Cells at a time; else what the experiment says, else one"),
    Flag.withMetavar("N")
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

const run = Command.make(
  "run",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The experiment")),
    root,
    ...runFlags
  },
  Effect.fn("experiment run")(function* (flags) {
    yield* runFile(flags)
  })
).pipe(
  Command.withDescription(
    "Run all cells that have no result yet, each in a place of its own, and report. What was cut is run again, what is completed never"
  )
)

const showReport = Command.make(
  "report",
  {
    target: Argument.String("file|root").pipe(
      Argument.withDescription("The experiment, or the directory that it ran in")
    ),
    root,
    markdown: Flag.Boolean("markdown").pipe(Flag.withDefault(false), Flag.withDescription("As a Markdown document")),
    out: optionalString("out", "Write to this file instead of stdout; it must not exist", "FILE"),
    html: htmlFlag,
    json
  },
  Effect.fn("experiment report")(function* (flags) {
    const host = yield* Host
    const made = yield* reportOf(yield* rootOf(flags.target, flags.root))
    if (flags.html !== undefined) {
      const apart = [...made.comparisons, ...(made.noise === null ? [] : [made.noise])].flatMap((one) => one.discordant)
      const page = yield* writeHtml(
        flags.html,
        apart.flatMap((pair) => [pair.passed_session.directory, pair.failed_session.directory]),
        (pageOf) => experimentDocument(made, pageOf)
      )
      if (flags.out === undefined) return yield* report(flags.json, { ...made, html: page.path }, () => page.words)
      yield* note(page.words)
    }
    const draw = (_: ExperimentReport, look: Look) =>
      flags.markdown ? experimentMarkdown(made) : renderExperiment(made, look)
    if (flags.out === undefined) return yield* report(flags.json, made, draw)
    const out = path.resolve(host.cwd, flags.out)
    const text = flags.json
      ? `${JSON.stringify(made, undefined, 2)}\n`
      : draw(made, { columns: 120, style: styles(false) })
    if (!(yield* createFile(out, Buffer.from(text)))) return yield* new OutputExists({ path: out })
    yield* note(`The report is in\n${plain(out)}\n`)
  })
).pipe(
  Command.withDescription(
    "Say what was found: pass rates, paired comparisons, noise, what was left out. No winner where no difference is detectable"
  )
)

/** The directory that an experiment ran in: the one that is named, or that of the experiment's file. */
const rootOf = Effect.fnUntraced(function* (target: string, chosen: string | undefined) {
  const host = yield* Host
  const disk = yield* Disk
  if (chosen !== undefined) return path.resolve(host.cwd, chosen)
  const given = path.resolve(host.cwd, target)
  // The root itself, or the directory of the experiment's file.
  const ledger = yield* disk.status(ledgerFile(given)).pipe(Effect.orElseSucceed(() => undefined))
  if (ledger !== undefined) return given
  const named = yield* fileIn(given)
  if (named !== given && (yield* disk.status(named)) === undefined) return given
  const { id } = yield* readExperiment(named)
  const usual = yield* usualRoot(named, id)
  // The last that was begun is the one that is meant.
  let last = usual
  for (let number = 2; (yield* disk.status(ledgerFile(`${usual}-${number}`))) !== undefined; number++) {
    last = `${usual}-${number}`
  }
  return last
})

/** The flat form: `--session-recording ab --experiment-root DIR`. Begins an experiment below DIR, and runs it when there is one. */
const ab = Command.make(
  "ab",
  {
    directory: Argument.String("dir"),
    file: optionalArgument("file", "An experiment that stands elsewhere"),
    provider: providerFlag,
    model: optionalString("model", "The model of the arms", "NAME"),
    repetitions,
    ...runFlags
  },
  Effect.fn("experiment ab")(function* (flags) {
    const host = yield* Host
    const disk = yield* Disk
    const directory = path.resolve(host.cwd, flags.directory)
    const own = path.join(directory, fileName)
    const file = flags.file ?? ((yield* disk.status(own)) === undefined ? undefined : own)
    if (file !== undefined) return yield* runFile({ ...flags, file, root: directory })
    // There is nothing yet whose run could be told, and to tell it writes nothing.
    if (flags.dryRun) return yield* new ExperimentUnreadable({ file: own, code: "ENOENT" })
    // Asked before anything is written: a run would refuse it.
    yield* checkRoot(directory, [yield* projectOf(flags.project)])
    const begun = yield* writeBeginning({
      ...flags,
      target: directory,
      session: undefined,
      scenarios: [],
      sessionRoot: undefined
    })
    yield* report(flags.json, begun, () =>
      renderBegun(begun).replaceAll(
        `lint-ai experiment run ${plain(begun.file)}`,
        `lint-ai --session-recording ab --experiment-root ${plain(directory)}`
      )
    )
  })
).pipe(Command.unlisted)

export const experimentCommand = Command.make("experiment").pipe(
  Command.withDescription("Arms of an agent compared on scenarios, with statistics that claim no more than they can"),
  Command.withSubcommands([init, run, showReport, ab])
)
