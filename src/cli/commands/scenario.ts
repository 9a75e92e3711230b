import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { createFile, replaceFile } from "../../archive/atomicFile.ts"
import { ensurePrivateDirectory } from "../../archive/privateDirectory.ts"
import { NotAdopted, Toggles } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import type { Verdict } from "../../domain/scenario.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { isTrusted, ScenarioNotTrusted, trust } from "../../scenario/consent.ts"
import { together } from "../../scenario/evaluate.ts"
import { keepEvaluation, resultsDirectory } from "../../scenario/evaluations.ts"
import { expectsNothing, nothingExpected } from "../../scenario/expectsNothing.ts"
import type { Fault } from "../../scenario/fault.ts"
import { readPrompts, scenarioFromSession } from "../../scenario/fromSession.ts"
import {
  alteredPrompts,
  evaluateRecorded,
  evaluateReplay,
  ScenarioPromptsAltered,
  type ScenarioResult
} from "../../scenario/runner.ts"
import { readScenario, type ScenarioFile } from "../../scenario/scenarioFile.ts"
import { sourceSession } from "../../scenario/sourceSession.ts"
import { armFlags, armOf, checkArmFlags } from "../armFlags.ts"
import { confirm } from "../confirm.ts"
import {
  AgentNotNamed,
  NothingRecorded,
  ScenarioExists,
  ScenarioFailed,
  ScenariosInvalid,
  ScenarioUnknown
} from "../errors.ts"
import { json, optionalString, project, providerFlag, sessionRoot, sessionScope, yes } from "../options.ts"
import {
  renderCommands,
  renderScenarioRuns,
  renderValidation,
  type ScenarioRunResult,
  type ScenarioRunView,
  type ValidatedFile
} from "../render/scenario.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

const files = Argument.String("file").pipe(Argument.withDescription("A scenario"), Argument.variadic({ min: 1 }))
const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

const fromSession = Command.make(
  "from-session",
  {
    session: Argument.String("session").pipe(Argument.withDescription("Its id, the beginning of it, or its directory")),
    out: optionalString("out", "The file to write; else one in .lint-ai/scenarios", "FILE"),
    force: flag("force", "Overwrite the file when it exists"),
    yes: yes.pipe(Flag.withDescription("The same as --force")),
    json,
    ...sessionScope
  },
  Effect.fn("scenario from-session")(function* (flags) {
    const host = yield* Host
    const disk = yield* Disk
    const scope = yield* scopeOf(flags)
    const session = yield* findSession(scope, flags.session)
    const own = path.join(scope.projectRoot, ".lint-ai", "scenarios")
    const overwrite = flags.force || flags.yes
    const chosen = flags.out === undefined ? undefined : path.resolve(host.cwd, flags.out)
    // Asked before the archive is frozen.
    if (chosen !== undefined && !overwrite && (yield* disk.status(chosen)) !== undefined) {
      return yield* new ScenarioExists({ path: chosen })
    }
    const made = yield* scenarioFromSession(session, scope.projectRoot)
    const file = chosen ?? path.join(own, `${made.scenario.id}.json`)
    if (chosen !== undefined) yield* disk.makeDirectory(path.dirname(chosen))
    else {
      // Either may have come with the repository, as a link that leads out of it.
      yield* ensurePrivateDirectory(path.dirname(own))
      yield* ensurePrivateDirectory(own)
    }
    const bytes = Buffer.from(`${JSON.stringify(made.scenario, undefined, 2)}\n`)
    if (overwrite) yield* replaceFile(file, bytes)
    else if (!(yield* createFile(file, bytes))) return yield* new ScenarioExists({ path: file })
    const data = {
      path: file,
      scenario_id: made.scenario.id,
      session_id: session.manifest.session_id,
      prompts: made.scenario.setup_messages.length + 1,
      incomplete_prompts: made.incomplete
    }
    yield* report(flags.json, data, () =>
      [
        `${plain(data.session_id)} is the scenario\n${plain(file)}`,
        `${counted(data.prompts, "prompt")}: the last is scored${data.prompts === 1 ? "" : ", the others come before it"}. The recording is frozen.`,
        ...made.incomplete.map(
          ({ prompt, altered }) => `Prompt ${prompt} was ${altered.join(" and ")} when it was recorded: write it anew.`
        ),
        "",
        "Add expected_facts, forbidden_facts and validators, then:",
        `  lint-ai scenario validate ${shellWord(plain(file))}`,
        `  lint-ai scenario run ${shellWord(plain(file))}`,
        ""
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Make a scenario of a recorded session: it refers to the recording, which is frozen, and copies only prompts"
  )
)

const validate = Command.make(
  "validate",
  { files, json, project, sessionRoot },
  Effect.fn("scenario validate")(function* (flags) {
    const host = yield* Host
    const scope = yield* scopeOf({ ...flags, provider: undefined })
    const checked = yield* Effect.forEach(flags.files, (given) => {
      const file = path.resolve(host.cwd, given)
      return readScenario(file).pipe(
        Effect.flatMap((read) =>
          Effect.map(
            referenceFaults(read, scope),
            (faults): ValidatedFile => ({
              path: file,
              valid: faults.length === 0,
              scenario_id: read.scenario.id,
              digest: read.digest,
              faults,
              notes: [...read.notes, ...(expectsNothing(read.scenario) ? [nothingExpected] : [])]
            })
          )
        ),
        Effect.catchTags({
          ScenarioInvalid: ({ faults }) => Effect.succeed(invalidFile(file, faults)),
          ScenarioUnreadable: ({ code }) =>
            Effect.succeed(
              invalidFile(file, [
                { path: "", problem: `It cannot be read (${code}).`, remedy: "Give the path of a file." }
              ])
            )
        })
      )
    })
    yield* report(flags.json, { files: checked }, (_, look) => renderValidation(checked, look))
    const invalid = checked.filter(({ valid }) => !valid)
    if (invalid.length > 0) return yield* new ScenariosInvalid({ paths: invalid.map((one) => one.path) })
  })
).pipe(
  Command.withDescription("Say what is wrong with scenarios: where, what and what to do. Exit code 2 when anything is")
)

const invalidFile = (file: string, faults: ReadonlyArray<Fault>): ValidatedFile => ({
  path: file,
  valid: false,
  scenario_id: null,
  digest: null,
  faults,
  notes: []
})

/** What a scenario refers to and is not there, or is not what it was. */
const referenceFaults = Effect.fnUntraced(function* (
  { scenario }: ScenarioFile,
  scope: Parameters<typeof sourceSession>[1]
) {
  const { source_session: source } = scenario
  if (source === undefined) return []
  return yield* sourceSession(source, scope).pipe(
    Effect.as<ReadonlyArray<Fault>>([]),
    Effect.catchTags({
      SourceMissing: ({ reason }) =>
        Effect.succeed<ReadonlyArray<Fault>>([
          {
            path: "source_session.archive",
            problem: reason,
            remedy: "Validate it in the project of the session, or take source_session out."
          }
        ]),
      SourceChanged: () =>
        Effect.succeed<ReadonlyArray<Fault>>([
          {
            path: "source_session.events_sha256",
            problem: "The events of the recording have another SHA-256.",
            remedy:
              "`lint-ai sessions verify` says whether the recording was altered; make the scenario anew if it was not."
          }
        ])
    })
  )
})

const trustScenario = Command.make(
  "trust",
  { files, yes, json },
  Effect.fn("scenario trust")(function* (flags) {
    const host = yield* Host
    const read = yield* Effect.forEach(flags.files, (given) => readScenario(path.resolve(host.cwd, given)))
    for (const file of read) {
      const { validators } = file.scenario
      if (validators.length === 0 || (yield* isTrusted(file.digest))) continue
      yield* agree(file, flags.yes)
      yield* trust(file.digest)
    }
    const data = {
      scenarios: read.map(({ path: file, scenario, digest }) => ({
        path: file,
        scenario_digest: digest,
        commands: scenario.validators.map(({ name, command }) => ({ name, command }))
      }))
    }
    yield* report(flags.json, data, () =>
      data.scenarios
        .map(({ path: file, commands }) =>
          commands.length === 0
            ? `${plain(file)} has no commands.\n`
            : `${plain(file)}: ${counted(commands.length, "command")} may be run until the file changes.\n`
        )
        .join("")
    )
  })
).pipe(Command.withDescription("Agree to the commands of scenarios, which are shown; holds until a file changes"))

/** Shows the commands of a scenario and asks whether they may be run. */
export const agree = Effect.fnUntraced(function* ({ path: file, scenario }: ScenarioFile, answer: boolean) {
  const screen = yield* Screen
  if (answer) return
  yield* note(
    `${plain(file)} runs in the agent's workspace, with your rights and an empty environment:\n${renderCommands(scenario.validators)}`
  )
  if (!screen.interactive) return yield* new ScenarioNotTrusted({ path: file })
  yield* confirm({ question: "Run these commands?", action: "Running the commands of a scenario", yes: false })
})

const run = Command.make(
  "run",
  {
    files,
    recorded: flag("recorded", "Judge what was recorded; the default. Nothing is run"),
    replay: flag("replay", "Let the agent do it again, in a place of its own, and judge that"),
    both: flag("both", "Judge both"),
    session: optionalString("session", "Judge this session instead of the one that the scenario names", "ID"),
    freshWorkspace: flag(
      "fresh-workspace",
      "Run the validators of a recorded session in a fresh workspace at its revision; what the agent changed is not in it"
    ),
    ...armFlags,
    allowRedacted: flag("allow-redacted", "Send prompts that were redacted or cut as they are in the scenario"),
    keep: flag("keep", "Leave the workspace and the settings home of the replay there"),
    out: optionalString("out", "Keep the results in this directory instead of .lint-ai/evaluations", "DIR"),
    yes: yes.pipe(Flag.withDescription("Agree to the commands of the scenarios")),
    json,
    ...sessionScope,
    provider: providerFlag.pipe(Flag.withDescription("The agent that does it, instead of that of the session"))
  },
  Effect.fn("scenario run")(function* (flags) {
    const host = yield* Host
    const scope = yield* scopeOf(flags)
    const replays = flags.replay || flags.both
    const recordings = flags.both || flags.recorded || !flags.replay
    yield* checkArmFlags(flags)
    // All of them are read and agreed to before the first one runs.
    const planned = yield* Effect.forEach(
      flags.files,
      Effect.fnUntraced(function* (given) {
        const file = yield* readScenario(path.resolve(host.cwd, given))
        const { source_session: source, validators } = file.scenario
        const session =
          flags.session !== undefined
            ? yield* findSession(scope, flags.session)
            : source === undefined
              ? undefined
              : yield* sourceSession(source, scope)
        if (recordings && session === undefined) return yield* new NothingRecorded({ path: file.path })
        const provider = flags.provider ?? session?.manifest.provider
        if (replays && provider === undefined) return yield* new AgentNotNamed({ path: file.path })
        const recorded = replays && session !== undefined ? yield* readPrompts(session) : []
        const altered = replays ? alteredPrompts(file.scenario, recorded) : []
        if (altered.length > 0 && !flags.allowRedacted) {
          return yield* new ScenarioPromptsAltered({ path: file.path, prompts: altered })
        }
        const runsCommands = validators.length > 0 && (replays || flags.freshWorkspace)
        if (runsCommands && !(yield* isTrusted(file.digest))) {
          yield* agree(file, flags.yes)
          if (!flags.yes) yield* trust(file.digest)
        }
        return { file, session, provider, altered }
      })
    )
    const results = yield* resultsPlace(scope.projectRoot, flags.out)
    const runs: Array<ScenarioRunView> = []
    for (const { file, session, provider, altered } of planned) {
      const kept: Array<ScenarioRunResult> = []
      const keep = Effect.fnUntraced(function* (result: ScenarioResult, more: ReadonlyArray<string> = []) {
        const { evaluation, directory, notes } = result
        const at = yield* keepEvaluation(results, evaluation)
        const { role, session_id, verdict } = evaluation
        kept.push({ role, session_id, directory, verdict, path: at, evaluation, notes: [...more, ...notes] })
      })
      if (recordings && session !== undefined) {
        yield* keep(yield* evaluateRecorded(file, session, scope.projectRoot, flags.freshWorkspace))
      }
      if (replays && provider !== undefined) {
        const { arm, notes } = yield* armOf(flags, provider, session)
        if (!flags.json) yield* note(`Replaying ${plain(file.scenario.id)} as ${arm.name}...\n`)
        const replay = { file, session, projectRoot: scope.projectRoot, arm, keep: flags.keep }
        const evaluated = yield* evaluateReplay({ ...replay, sessionsRoot: scope.sessionRoot }).pipe(
          Effect.onInterrupt(() =>
            note("Interrupted. What was recorded of the replay stays as a failed session; it is not judged.\n")
          )
        )
        const asIs =
          altered.length === 0
            ? []
            : [
                `Not what the user wrote: ${altered.length === 1 ? "prompt" : "prompts"} ${altered.join(", ")} of the scenario.`
              ]
        yield* keep(evaluated, [...asIs, ...notes])
      }
      runs.push({
        path: file.path,
        scenario_id: file.scenario.id,
        scenario_digest: file.digest,
        results: kept
      })
    }
    const verdict: Verdict = together(runs.flatMap((one) => one.results.map((result) => result.verdict)))
    yield* report(flags.json, { verdict, scenarios: runs }, (_, look) => renderScenarioRuns(runs, look))
    const named = (wanted: Verdict) =>
      runs.filter((one) => one.results.some((result) => result.verdict === wanted)).map((one) => one.scenario_id)
    if (verdict === "fail") return yield* new ScenarioFailed({ scenarios: named("fail") })
    if (verdict === "unknown") return yield* new ScenarioUnknown({ scenarios: named("unknown") })
  })
).pipe(
  Command.withDescription(
    "Judge sessions by scenarios: exit code 0 when all pass, 6 when one fails, 7 when that cannot be told"
  )
)

/** Nothing is written into a `.lint-ai` that is not this user's. */
const resultsPlace = Effect.fnUntraced(function* (projectRoot: string, out: string | undefined) {
  const host = yield* Host
  if (out !== undefined) {
    return yield* resultsDirectory({ _tag: "Chosen", directory: path.resolve(host.cwd, out) })
  }
  const toggles = yield* Toggles
  const consent = yield* toggles.read(projectRoot)
  if (consent._tag === "inert") return yield* new NotAdopted({ projectRoot, reason: consent.reason })
  return yield* resultsDirectory({ _tag: "Project", projectRoot })
})

export const scenarioCommand = Command.make("scenario").pipe(
  Command.withDescription("Tasks with what a good answer contains and the limits it keeps"),
  Command.withSubcommands([fromSession, validate, run, trustScenario])
)
