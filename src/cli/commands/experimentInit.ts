import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import type { ArmMemory } from "../../domain/arm.ts"
import { Experiment } from "../../domain/experiment.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { exampleScenario, startingFile } from "../../experiment/startingFile.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { countMemories } from "../../replay/memorySeed.ts"
import { scenarioFromSession } from "../../scenario/fromSession.ts"
import { readScenario } from "../../scenario/scenarioFile.ts"
import { OutputExists } from "../errors.ts"
import { fileName } from "../experimentPlace.ts"
import { json, optionalString, project, providerFlag, repeatable, sessionRoot } from "../options.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

/** How many runs of each arm an experiment begins with. */
export const repetitions = Flag.Int("repetitions").pipe(
  Flag.withDefault(10),
  Flag.withSchema(Experiment.fields.repetitions),
  Flag.withMetavar("N"),
  Flag.withDescription("How often each arm does each scenario (default: 10)")
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
export const writeBeginning = Effect.fn("experiment init")(function* (options: Init) {
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
  // What the session itself left in the memory is what is asked for. A memory that holds nothing from before it is refused by the run.
  const before: ArmMemory | undefined =
    session === undefined ? undefined : { from: "project", as_of: session.manifest.started_at }
  const known = before === undefined ? 0 : yield* countMemories(before, provider, scope.projectRoot)
  const text = startingFile({
    id: idFrom(path.basename(base)),
    provider,
    model: options.model,
    repetitions: options.repetitions,
    scenarios: [...given.map((one) => from(one.path)), ...(own === undefined ? [] : [from(own)])],
    repository: from(scope.projectRoot) || ".",
    memory: before === undefined || known === 0 ? { from: "empty" } : before
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
/** Where the experiment is, and what to do next. */
export const renderBegun = ({ file, from_session, scenario }: Begun): string =>
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
    `  lint-ai experiment run ${shellWord(plain(file))} --dry-run`,
    `  lint-ai experiment run ${shellWord(plain(file))}`,
    ""
  ].join("\n")

export const experimentInit = Command.make(
  "init",
  {
    target: Argument.String("dir|file").pipe(
      Argument.withDescription("A directory for the experiment and its scenarios, or the file to write"),
      Argument.withDefault("lint-ai-experiment")
    ),
    session: optionalString("session", "Make the scenario of this recorded session", "ID"),
    scenarios: repeatable("scenario", "A scenario file to use; may be repeated", "FILE"),
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
