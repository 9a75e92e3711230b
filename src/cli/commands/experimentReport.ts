import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import { reportOf } from "../../experiment/asRun.ts"
import { experimentMarkdown } from "../../experiment/markdown.ts"
import type { ExperimentReport } from "../../experiment/report.ts"
import { Host } from "../../platform/Host.ts"
import { experimentDocument } from "../../viewer/experimentReport.ts"
import { OutputExists } from "../errors.ts"
import { rootFlag, rootOf } from "../experimentPlace.ts"
import { htmlFlag, writeHtml } from "../htmlReport.ts"
import { json, outFile } from "../options.ts"
import { renderExperiment } from "../render/experiment.ts"
import { plain, styles } from "../render/text.ts"
import { type Look, note, report } from "../report.ts"

export const experimentReport = Command.make(
  "report",
  {
    target: Argument.String("file|root").pipe(
      Argument.withDescription("The experiment, or the directory that it ran in")
    ),
    root: rootFlag,
    markdown: Flag.Boolean("markdown").pipe(Flag.withDefault(false), Flag.withDescription("As a Markdown document")),
    out: outFile,
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
