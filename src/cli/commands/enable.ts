import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { renderEnablement } from "../../control/enablement.ts"
import { indicator } from "../../control/indicator.ts"
import { projectSettings } from "../../control/projectSettings.ts"
import { disable, enable } from "../../control/switches.ts"
import { recordingMode, type Toggles } from "../../domain/mode.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import { enablementView } from "../enablementView.ts"
import { hooksFields, hooksThere } from "../installedHooks.ts"
import { agent, json, project } from "../options.ts"
import { noteTreeBelow, projectOf } from "../project.ts"
import { note, report } from "../report.ts"

const stateOf = (provider: Provider, projectRoot: string, toggles: Toggles) => ({
  provider,
  project: projectRoot,
  memory: toggles.memory,
  recording: toggles.recording,
  mode: recordingMode(toggles),
  display: indicator(toggles)
})

export const enableCommand = Command.make(
  "enable",
  { agent, project, json },
  Effect.fn("enable command")(function* (flags) {
    const projectRoot = yield* projectOf(flags.project)
    const after = yield* enable(projectRoot, flags.agent)
    const state = stateOf(flags.agent, projectRoot, after)
    const view = yield* enablementView({
      provider: flags.agent,
      mode: state.mode,
      project: projectRoot,
      sessionRoot: after.session_root,
      settings: yield* projectSettings(projectRoot)
    })
    const hooks = yield* hooksThere(flags.agent, projectRoot)
    const { unsearchable } = yield* MemoryStore
    if (unsearchable !== undefined) yield* note(`${unsearchable.message}\n`)
    yield* noteTreeBelow(flags.project, projectRoot)
    yield* report(flags.json, { ...state, ...hooksFields(hooks) }, (_, look) =>
      [
        renderEnablement(view, look.columns),
        state.display,
        `Memory and recording are on from the next step of ${providerTitles[flags.agent]}.`,
        ...(hooks.idle === undefined ? [] : [`But ${hooks.idle}`]),
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Turn memory on for an agent in this project, and recording with it"))

export const disableCommand = Command.make(
  "disable",
  { agent, project, json },
  Effect.fn("disable command")(function* (flags) {
    const projectRoot = yield* projectOf(flags.project)
    const after = yield* disable(projectRoot, flags.agent)
    yield* report(flags.json, stateOf(flags.agent, projectRoot, after), () =>
      [
        `Memory is off for ${providerTitles[flags.agent]} in ${projectRoot}.`,
        after.recording
          ? `Recording goes on; \`lint-ai record stop ${flags.agent}\` ends it.`
          : "Recording is off too.",
        "Recorded sessions stay.",
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Turn memory off for an agent in this project; recording and recordings stay"))
