import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { type ConfigSource, Configuration } from "../../control/Configuration.ts"
import { findSessions } from "../../control/projectSessions.ts"
import { inertReasons, NotAdopted, Toggles } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import { recordingMode } from "../../domain/mode.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { Disk } from "../../platform/Disk.ts"
import { confirm } from "../confirm.ts"
import { givenProject, json, projectPlace, yes } from "../options.ts"
import { projectOf } from "../project.ts"
import { configurationWords } from "../render/configuration.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"

/** What a configuration will do, for whoever is asked to adopt it. */
const effectOf = (config: ConfigSource): string => {
  const words = configurationWords(config)
  const lines = (title: string, listed: ReadonlyArray<string>) =>
    listed.length === 0 ? "" : `${title}\n${listed.map((line) => `  - ${line}\n`).join("")}`
  return (
    lines("Adopted with it, its config.json", words) +
    lines("What does not hold of its config.json, adopted or not", config.problems.map(plain))
  )
}

export const adoptCommand = Command.make(
  "adopt",
  {
    ...projectPlace(),
    yes,
    json
  },
  Effect.fn("adopt")(function* (flags) {
    const given = givenProject(flags)
    const toggles = yield* Toggles
    const configuration = yield* Configuration
    const projectRoot = yield* projectOf(given)
    const before = yield* toggles.read(projectRoot)
    const { sources } = yield* configuration.load(projectRoot, before)
    const config = sources.find((source) => source.owner === "project")
    if (before._tag !== "inert" && config !== undefined) {
      // One that cannot be read cannot be adopted either, and is said to be so before anybody is asked.
      yield* Effect.flatMap(Disk, (disk) => disk.readFile(config.file))
      if (!flags.json) {
        yield* note(
          `${config.file} is not adopted as it is now: it may add redaction rules, and not allow values or loosen limits.\n${effectOf(config)}`
        )
      }
      yield* confirm({ question: "Adopt it?", action: "Adopting", yes: flags.yes })
      const { _tag: consent } = yield* toggles.adopt(projectRoot)
      return yield* report(
        flags.json,
        { project: projectRoot, consent, config: config.file },
        () => `Adopted ${config.file} as it is. A change of it wants to be adopted again.\n`
      )
    }
    if (before._tag !== "inert") {
      const already = before._tag === "adopted" ? "is yours already" : "has no .lint-ai to adopt"
      return yield* report(
        flags.json,
        { project: projectRoot, consent: before._tag },
        () => `${projectRoot} ${already}.\n`
      )
    }
    // Nothing can be signed there, whatever a person says.
    if (before.reason === "link" || before.reason === "keys") {
      return yield* new NotAdopted({ projectRoot, reason: before.reason })
    }
    const { sessions } = yield* findSessions({ projectRoot })
    const said = Object.entries(before.providers).map(
      ([name, chosen]) =>
        `  ${providerTitles[name as Provider] ?? plain(name)}: recording ${chosen.recording ? "on" : "off"}, memory ${chosen.memory ? "on" : "off"} (${recordingMode(chosen)})\n`
    )
    if (!flags.json) {
      yield* note(
        `The .lint-ai in ${projectRoot} does not count: ${inertReasons[before.reason]}.\nIt says:\n${said.join("") || "  nothing\n"}` +
          `and holds ${counted(sessions.length, "session")}.\n${config === undefined ? "" : effectOf(config)}Adopting it makes these settings count from the next hook on; session roots that it names are not kept.\n`
      )
    }
    yield* confirm({ question: "Adopt it?", action: "Adopting", yes: flags.yes })
    const after = yield* toggles.adopt(projectRoot)
    yield* report(
      flags.json,
      { project: projectRoot, consent: after._tag, ...(config === undefined ? undefined : { config: config.file }) },
      () => `Adopted. \`lint-ai status\` shows what is on.\n`
    )
  })
).pipe(Command.withDescription("Take over a .lint-ai that came from elsewhere; until then it does nothing"))
