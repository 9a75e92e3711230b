import * as path from "node:path"
import { Argument, Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { shellWord } from "../../domain/shellWord.ts"
import { ExperimentUnreadable } from "../../experiment/errors.ts"
import { checkRoot } from "../../experiment/openExperiment.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { fileName } from "../experimentPlace.ts"
import { optionalArgument, optionalString, providerFlag } from "../options.ts"
import { projectOf } from "../project.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"
import { experimentInit, renderBegun, repetitions, writeBeginning } from "./experimentInit.ts"
import { experimentReport } from "./experimentReport.ts"
import { experimentRun, runFile, runFlags } from "./experimentRun.ts"

/** The flat form: `--session-recording ab --experiment-root DIR`. Begins an experiment below DIR, and runs it when there is one. */
const ab = Command.make(
  "ab",
  {
    directory: Argument.String("dir").pipe(
      Argument.withDescription("Everything of the experiment is below it, outside of the project")
    ),
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
        `lint-ai experiment run ${shellWord(plain(begun.file))}`,
        `lint-ai --session-recording ab --experiment-root ${shellWord(plain(directory))}`
      )
    )
  })
).pipe(
  Command.unlisted,
  Command.withDescription(
    "Begin an experiment below a directory, and run it once it is there: `lint-ai --session-recording ab --experiment-root DIR`"
  )
)

export const experimentCommand = Command.make("experiment").pipe(
  Command.withDescription("Arms of an agent compared on scenarios, with statistics that claim no more than they can"),
  Command.withSubcommands([experimentInit, experimentRun, experimentReport, ab])
)
