import * as path from "node:path"
import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { archiveFiles } from "../../archive/sessionDirectory.ts"
import { readSpool } from "../../archive/spool.ts"
import { Configuration } from "../../control/Configuration.ts"
import { type Diagnostic, Diagnostics } from "../../control/Diagnostics.ts"
import { findSessions, rootsOf } from "../../control/projectSessions.ts"
import { configurationFaults } from "../../control/retentionSettings.ts"
import { inertReasons, inertRemedies, Toggles } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import { dormant, recordingMode } from "../../domain/mode.ts"
import { providerTitles } from "../../domain/provider.ts"
import { formatBytes } from "../../export/format.ts"
import { memoryPlace } from "../../memory/memoryPlace.ts"
import { ownedMemory } from "../../memory/owner.ts"
import { Git } from "../../platform/Git.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { installableProviders, installerFor } from "../../providers/installers.ts"
import type { InstallStatus, SettingsStatus } from "../../providers/ProviderInstaller.ts"
import { givenProject, json, projectPlace } from "../options.ts"
import { noteTreeBelow, projectOf } from "../project.ts"
import { shortPath } from "../render/sessions.ts"
import { renderFields } from "../render/table.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"

/** How many of the latest diagnostics a status shows. */
const shownDiagnostics = 3

export const statusCommand = Command.make(
  "status",
  {
    ...projectPlace(),
    json
  },
  Effect.fn("status")(function* (flags) {
    const given = givenProject(flags)
    const toggles = yield* Toggles
    const diagnostics = yield* Diagnostics
    const configuration = yield* Configuration
    const projectRoot = yield* projectOf(given)
    const consent = yield* toggles.read(projectRoot)
    const program = yield* hookProgram
    const { sessions, unreadable } = yield* findSessions({ projectRoot })
    const providers = yield* Effect.forEach(
      installableProviders,
      Effect.fnUntraced(function* (provider) {
        const chosen = consent._tag === "adopted" ? (consent.providers[provider] ?? dormant) : dormant
        const installed = yield* installedIn(provider, projectRoot, program)
        const unread = yield* ownedMemory(yield* memoryPlace(projectRoot, provider)).pipe(
          Effect.as(undefined),
          Effect.catchTag("MemoryNotOwned", ({ reason }) => Effect.succeed(reason)),
          Effect.orElseSucceed(() => undefined)
        )
        const own = sessions.filter((session) => session.manifest.provider === provider)
        return {
          provider,
          recording: chosen.recording,
          memory: chosen.memory,
          mode: recordingMode(chosen),
          hooks: installed,
          session_root: (yield* rootsOf({ projectRoot, provider })).at(-1) ?? "",
          session_count: own.length,
          byte_count: own.reduce((sum, session) => sum + (session.manifest.byte_count ?? 0), 0),
          active_sessions: own.filter((session) => session.status === "active").map((one) => one.manifest.session_id),
          ...(unread === undefined ? undefined : { memory_unread_because: unread })
        }
      })
    )
    const waiting = yield* Effect.forEach(sessions, (session) =>
      readSpool(archiveFiles(session.directory).spool).pipe(Effect.orElseSucceed(() => ({ waiting: [], problems: [] })))
    )
    const git = yield* Git
    const workTree = yield* git.workTree(projectRoot)
    const troubles = [
      ...(yield* diagnostics.read({ projectRoot })),
      ...(yield* diagnostics.read({ projectRoot: undefined }))
    ].sort((a, b) => (a.time < b.time ? 1 : -1))
    const faults = configurationFaults(yield* configuration.load(projectRoot, consent))
    const data = {
      project: projectRoot,
      consent: consent._tag,
      ...(consent._tag === "inert" ? { inert_because: consent.reason } : undefined),
      repository:
        workTree === undefined
          ? null
          : {
              revision: workTree.revision ?? null,
              branch: workTree.branch ?? null,
              dirty: workTree.dirty,
              tracked_recordings: workTree.trackedRecordings
            },
      providers,
      spooled_deliveries: waiting.reduce((sum, spool) => sum + spool.waiting.length, 0),
      unreadable,
      configuration_faults: faults,
      diagnostic_count: troubles.length,
      diagnostics: troubles.slice(0, shownDiagnostics)
    }
    yield* report(flags.json, data, (_, look) =>
      [
        look.style.bold(plain(projectRoot)),
        ...(workTree === undefined
          ? []
          : [
              `${plain(workTree.branch ?? "detached")} at ${workTree.revision?.slice(0, 12) ?? "no commit yet"}${workTree.dirty ? ", with changes" : ""}`
            ]),
        ...(workTree === undefined || workTree.trackedRecordings === 0
          ? []
          : [
              `${counted(workTree.trackedRecordings, "file")} of .lint-ai ${workTree.trackedRecordings === 1 ? "is" : "are"} tracked by Git, so a push would publish recordings: git rm -r --cached .lint-ai`
            ]),
        "",
        ...(consent._tag === "inert"
          ? [
              `The .lint-ai here does not count, so nothing is recorded: ${inertReasons[consent.reason]}.`,
              inertRemedies[consent.reason],
              ""
            ]
          : []),
        ...providers.flatMap((one) => [
          look.style.bold(providerTitles[one.provider]),
          renderFields(
            [
              ["  Recording", one.recording ? `on (${one.mode})` : "off"],
              ["  Memory", `${one.memory ? "on" : "off"}${memoryTroubles[one.memory_unread_because ?? "none"]}`],
              [
                "  Hooks",
                one.hooks.length === 0
                  ? `not installed; lint-ai install ${one.provider}`
                  : one.hooks.map((file) => fileWords(file, projectRoot)).join(", ")
              ],
              [
                "  Sessions",
                `${one.session_count}, ${formatBytes(one.byte_count)}, in ${shortPath(one.session_root, projectRoot)}${path.sep}`
              ],
              ...(one.active_sessions.length === 0 ? [] : [["  Active", one.active_sessions.join(", ")] as const])
            ],
            look.columns
          )
        ]),
        ...(data.spooled_deliveries === 0
          ? []
          : [`${data.spooled_deliveries} waiting in spools; \`lint-ai sessions list\` takes them in.`]),
        ...unreadable.map(
          (directory) => `${plain(directory)} cannot be read; \`lint-ai sessions recover\` may mend it.`
        ),
        ...(faults.length === 0
          ? []
          : [
              `${counted(faults.length, "fault")} in the configuration: \`lint-ai redact check\` says what does not hold.`
            ]),
        ...(troubles.length === 0
          ? ["No trouble with hooks."]
          : [
              `${counted(troubles.length, "note")} of hooks that met trouble. The latest:`,
              ...data.diagnostics.map((one) => `  ${troubleWords(one, projectRoot)}`)
            ]),
        ""
      ].join("\n")
    )
    yield* noteTreeBelow(given, projectRoot)
  })
).pipe(Command.withDescription("Say what is on in a project, what is installed, what is stored and what went wrong"))

/** What is said beside the switch when nothing of a memory is read. */
const memoryTroubles = {
  none: "",
  unsigned:
    "; what is there is not yours (it came with a clone or was copied), so none of it is read: lint-ai memory adopt",
  link: "; what is there is a link, which is not followed: move it away",
  "no-key": "; lint-ai could not create its key, so none of it is read: lint-ai doctor"
} as const

/** A diagnostic in words; of another project when it names one. */
const troubleWords = (one: Diagnostic, projectRoot: string): string => {
  const what = [one.time, one.provider, one.event ?? "", one.tag].filter((word) => word !== "").join(" ")
  const where = one.project === undefined || one.project === projectRoot ? "" : `, in ${one.project}`
  return plain(`${what}${one.detail === undefined ? "" : `: ${one.detail}`}${where}`)
}

/** The settings files that register our hooks, each with how well they still do. */
const installedIn = Effect.fn("installedIn")(function* (
  provider: (typeof installableProviders)[number],
  project: string,
  program: { readonly file: string; readonly args: ReadonlyArray<string> }
) {
  const installer = installerFor(provider)
  if (installer === undefined) return []
  const status = yield* installer.status({ project, program })
  return status.files
    .filter((file) => file.hooks.length > 0 || (file.exists && file.problem !== undefined))
    .map((file) => ({ path: file.path, events: file.hooks.length, state: installState(file, status, project) }))
})

/** The hooks of one settings file, whose problem names the file itself. */
const fileWords = (
  { path: file, state }: { readonly path: string; readonly state: string },
  project: string
): string => (state.startsWith(unused) ? state : `${state} in ${shortPath(file, project)}`)

const unused = "not used: "
const untrusted = "installed and not trusted, so they do not run (lint-ai codex trust),"

/** How well the hooks in a settings file still do, in words. */
const installState = (file: SettingsStatus, { hooksOffIn }: InstallStatus, project: string): string => {
  if (file.untrusted === true) return untrusted
  if (file.problem !== undefined) return `${unused}${file.problem}`
  if (hooksOffIn.length > 0) {
    return `switched off with all other hooks, by ${hooksOffIn.map((off) => shortPath(off, project)).join(" and ")},`
  }
  const missing = file.hooks.filter((hook) => hook.state === "missing")
  if (missing.some((hook) => hook.form === "shared")) {
    return "idle (lint-ai is not on the PATH; npm install --global lint-ai)"
  }
  if (missing.length > 0) return "stale (the program has moved; install again)"
  if (file.hooks.some((hook) => hook.state === "other")) return "installed, by another lint-ai"
  if (file.hooks.some((hook) => hook.trust !== undefined && hook.trust !== "trusted")) {
    return untrusted
  }
  return "installed"
}
