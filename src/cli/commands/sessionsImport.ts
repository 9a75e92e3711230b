import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createFile } from "../../archive/atomicFile.ts"
import { ensurePrivateDirectory } from "../../archive/privateDirectory.ts"
import { sessionsRoot as usualRoot } from "../../archive/sessionDirectory.ts"
import { Configuration } from "../../control/Configuration.ts"
import { lintAiDirectory } from "../../control/projectRoot.ts"
import { NotAdopted, Toggles } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import type { Provider } from "../../domain/provider.ts"
import { Host } from "../../platform/Host.ts"
import { transcriptProviders } from "../../providers/wholeTranscripts.ts"
import { type Imported, importExported, importTranscript } from "../../recorder/importSession.ts"
import { defaultPolicy } from "../../redaction/policy.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { json, project, sessionRoot } from "../options.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"
import { scopeOf } from "../sessions.ts"

const chains = {
  valid: "The chain of the export holds with your key.",
  broken: "The chain of the export does not hold: it was altered, or its session has gaps.",
  unkeyed: "The key of the export is not yours, so its chain was not checked."
} as const

export const importCommand = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A session that `sessions export` wrote as jsonl; a transcript with --transcript")
    ),
    transcript: Flag.Literals("transcript", transcriptProviders).pipe(
      Flag.withDescription("The file is this agent's own transcript: read it, redact it and import it"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    json,
    project,
    sessionRoot
  },
  Effect.fn("sessions import")(function* (flags) {
    const host = yield* Host
    const toggles = yield* Toggles
    const configuration = yield* Configuration
    const scope = yield* scopeOf({ ...flags, provider: undefined })
    const consent = yield* toggles.read(scope.projectRoot)
    if (consent._tag === "inert")
      return yield* new NotAdopted({ projectRoot: scope.projectRoot, reason: consent.reason })
    const settings = yield* configuration.load(scope.projectRoot, consent)
    const chosen = consent._tag === "adopted" ? consent.providers : {}
    const target = {
      file: path.resolve(host.cwd, flags.file),
      projectRoot: scope.projectRoot,
      sessionsRoot: (provider: Provider) =>
        scope.sessionRoot ?? chosen[provider]?.session_root ?? usualRoot(scope.projectRoot, provider)
    }
    if (scope.sessionRoot === undefined) {
      const directory = lintAiDirectory(scope.projectRoot)
      yield* ensurePrivateDirectory(directory)
      yield* createFile(path.join(directory, ".gitignore"), Buffer.from("*\n"))
    }
    const redactor = settings.redaction === defaultPolicy ? yield* Redactor : Redactor.make(settings.redaction)
    const imported: Imported = yield* (
      flags.transcript === undefined ? importExported(target) : importTranscript(target, flags.transcript)
    ).pipe(Effect.provideService(Redactor, redactor))
    yield* report(flags.json, imported, () =>
      [
        `${counted(imported.event_count, "event")} imported as ${plain(imported.session_id)}, ${counted(imported.redaction_count, "redaction")}`,
        imported.path,
        ...(imported.source_chain === undefined ? [] : [chains[imported.source_chain]]),
        ""
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Take in an exported session, or on request an agent's own transcript, as a session of its own"
  )
)
