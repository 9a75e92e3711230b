import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { sessionsRoot } from "../../archive/sessionDirectory.ts"
import { renderEnablement } from "../../control/enablement.ts"
import { findSessions } from "../../control/projectSessions.ts"
import { projectSettings } from "../../control/projectSettings.ts"
import { startRecording, stopRecording, togglesNow } from "../../control/switches.ts"
import { inertReasons, inertRemedies, NotAdopted, Toggles } from "../../control/Toggles.ts"
import { dormant, type Toggles as ProviderToggles, recordingMode, togglesOf } from "../../domain/mode.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { inspectArchive } from "../../export/inspection.ts"
import { Screen } from "../../platform/Screen.ts"
import { chosenRoot, rootNotes } from "../chosenRoot.ts"
import { confirm } from "../confirm.ts"
import { enablementView } from "../enablementView.ts"
import { hooksFields, hooksThere } from "../installedHooks.ts"
import { agent, json, project, sessionRoot, yes } from "../options.ts"
import { noteTreeBelow, projectOf } from "../project.ts"
import { told } from "../render/diskWords.ts"
import { renderCard, shortPath } from "../render/sessions.ts"
import { plain } from "../render/text.ts"
import { note, print, report } from "../report.ts"
import { isTemporary } from "../temporaryPlace.ts"

const sessionRecording = Flag.Literals("session-recording", ["capture-only", "assist"]).pipe(
  Flag.withDefault("capture-only" as const),
  Flag.withDescription("assist turns memory on too; capture-only leaves it as it is (default)")
)

/** The state of one provider's recording, as `record` reports it. */
const stateOf = (provider: Provider, projectRoot: string, toggles: ProviderToggles) => ({
  provider,
  project: projectRoot,
  recording: toggles.recording,
  memory: toggles.memory,
  mode: recordingMode(toggles),
  session_root: toggles.session_root ?? sessionsRoot(projectRoot, provider)
})

const start = Command.make(
  "start",
  { agent, project, sessionRoot, sessionRecording, yes, json },
  Effect.fn("record start")(function* (flags) {
    const screen = yield* Screen
    const projectRoot = yield* projectOf(flags.project)
    const consent = yield* Effect.flatMap(Toggles, (toggles) => toggles.read(projectRoot))
    if (consent._tag === "inert") return yield* new NotAdopted({ projectRoot, reason: consent.reason })
    const before = yield* togglesNow(projectRoot, flags.agent)
    const given = yield* chosenRoot(flags.sessionRoot)
    const notes = yield* rootNotes(given)
    const memory = before.memory || flags.sessionRecording === "assist"
    const view = yield* enablementView({
      provider: flags.agent,
      mode: memory ? "assist" : "capture-only",
      project: projectRoot,
      sessionRoot: given ?? before.session_root,
      settings: yield* projectSettings(projectRoot)
    })
    const root = given ?? before.session_root ?? projectRoot
    if (!flags.json) yield* print(`${renderEnablement(view, screen.columns)}\n`)
    yield* noteTreeBelow(flags.project, projectRoot)
    yield* confirm({
      question: "Start recording?",
      action: "Recording",
      // What records already is changed by somebody who has said yes; a place that goes away by itself needs none.
      yes: flags.yes || before.recording || (yield* isTemporary(root))
    })
    const after = yield* startRecording(projectRoot, flags.agent, {
      sessionRoot: given,
      memory: flags.sessionRecording === "assist" ? true : undefined
    })
    const hooks = yield* hooksThere(flags.agent, projectRoot)
    const state = { ...stateOf(flags.agent, projectRoot, after), ...hooksFields(hooks) }
    yield* report(flags.json, state, () =>
      [
        `Recording is on from the next step of ${providerTitles[flags.agent]}.`,
        ...(hooks.idle === undefined ? [] : [`But ${hooks.idle}`]),
        ...notes,
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Record this project's sessions, also one that is running"))

const stop = Command.make(
  "stop",
  { agent, project, json },
  Effect.fn("record stop")(function* (flags) {
    const projectRoot = yield* projectOf(flags.project)
    const { toggles: after, closed, failures } = yield* stopRecording(projectRoot, flags.agent)
    yield* Effect.forEach(failures, (error) => note(`${plain(told(error))}\n`))
    const last = closed[0]
    const inspection = last === undefined ? undefined : yield* inspectArchive(last)
    const state = stateOf(flags.agent, projectRoot, after)
    yield* report(flags.json, { ...state, closed }, (_, look) =>
      [
        `Recording is off for ${providerTitles[flags.agent]} in ${projectRoot}.${after.memory ? " Memory stays on." : ""}\n`,
        ...(inspection === undefined ? [] : [`\n${renderCard(inspection, projectRoot, look.style)}`])
      ].join("")
    )
  })
).pipe(Command.withDescription("Stop recording; ends the archives that are open, leaves memory alone"))

const status = Command.make(
  "status",
  { agent, project, json },
  Effect.fn("record status")(function* (flags) {
    const toggles = yield* Toggles
    const projectRoot = yield* projectOf(flags.project)
    const consent = yield* toggles.read(projectRoot)
    const chosen =
      consent._tag === "adopted" ? (consent.providers[flags.agent] ?? dormant) : { ...dormant, ...togglesOf("off") }
    const { sessions } = yield* findSessions({ projectRoot, provider: flags.agent })
    const active = sessions.filter((session) => session.status === "active").map((one) => one.manifest.session_id)
    const hooks = yield* hooksThere(flags.agent, projectRoot)
    const state = {
      ...stateOf(flags.agent, projectRoot, chosen),
      ...hooksFields(hooks),
      consent: consent._tag,
      active_sessions: active
    }
    yield* report(flags.json, state, () =>
      [
        `Recording is ${state.recording ? `on (${state.mode})` : "off"} for ${providerTitles[flags.agent]} in ${projectRoot}.`,
        ...(consent._tag === "inert"
          ? [
              `The .lint-ai here does not count, so nothing is recorded: ${inertReasons[consent.reason]}. ${inertRemedies[consent.reason]}`
            ]
          : []),
        ...(state.recording ? [`Sessions go to ${shortPath(state.session_root, projectRoot)}${path.sep}`] : []),
        ...(state.recording && hooks.idle !== undefined ? [`But ${hooks.idle}`] : []),
        ...active.map((id) => `Being recorded: ${id}`),
        ""
      ].join("\n")
    )
    yield* noteTreeBelow(flags.project, projectRoot)
  })
).pipe(Command.withDescription("Say whether this project is being recorded"))

export const recordCommand = Command.make("record").pipe(
  Command.withDescription("Turn recording on and off"),
  Command.withSubcommands([start, stop, status])
)
