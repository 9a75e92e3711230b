import * as path from "node:path"
import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { objectIn, pick, writeObject } from "../jsonFile.ts"
import type { Isolated, IsolationRequest, ProviderIsolation } from "../ProviderIsolation.ts"
import type { SettingsHome } from "../settingsHome.ts"

/** GEMINI_CLI_HOME stands for the home directory: the settings are in `.gemini` there. */
const geminiSettings: SettingsHome = {
  variable: "GEMINI_CLI_HOME",
  usual: "",
  credential: path.join(".gemini", "oauth_creds.json")
}

/**
 * A fresh GEMINI_CLI_HOME. Its session files are never cleaned up there: going on with a conversation would have Gemini CLI remove that very
 * conversation (0.61.0).
 */
export const geminiIsolation: ProviderIsolation = {
  provider: "gemini",
  settings: geminiSettings,
  passes: (name) =>
    /^(GEMINI_API_KEY|GEMINI_MODEL|GOOGLE_API_KEY|GOOGLE_(GEMINI|VERTEX)_BASE_URL|GOOGLE_GENAI_\w+|GOOGLE_CLOUD_\w+|GOOGLE_APPLICATION_CREDENTIALS)$/.test(
      name
    ),
  loginVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
  prepare: Effect.fn("gemini.prepare")(function* (request: IsolationRequest) {
    const { arm, settingsRoot } = request
    const disk = yield* Disk
    const own = path.join(request.userSettings, ".gemini")
    const directory = path.join(settingsRoot, ".gemini")
    yield* disk.makeDirectory(directory)
    const { security } = yield* objectIn(path.join(own, "settings.json"))
    const login = pick(isObject(security) ? security : {}, ["auth"])
    yield* writeObject(path.join(directory, "settings.json"), {
      ...(Object.keys(login).length === 0 ? undefined : { security: login }),
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, sessionRetention: { enabled: false } }
    })
    // Without a terminal it does not run in a folder that is not trusted.
    yield* writeObject(path.join(directory, "trustedFolders.json"), { [request.workspace]: "TRUST_FOLDER" })
    const trusted = yield* isTrusted(request, own)
    return {
      env: { GEMINI_CLI_HOME: settingsRoot, GEMINI_CLI_NO_RELAUNCH: "1" },
      passes: [],
      programArgs: [],
      args: [],
      notes: [
        ...(login.auth === undefined ? [] : ["Of your settings of Gemini CLI these are in use: security.auth."]),
        ...(trusted
          ? []
          : [
              "You have not told Gemini CLI to trust the project. The replay trusts its copy, since it does not run else."
            ]),
        ...(arm.native_memory
          ? []
          : [
              "Gemini CLI's own memory cannot be switched off: it begins empty, and what it saves goes with the place."
            ]),
        ...(arm.instruction_files
          ? []
          : ["The project's GEMINI.md cannot be switched off in Gemini CLI: it is read in this arm too."])
      ]
    } satisfies Isolated
  }),
  // It tells hooks nothing of them.
  permissions: () => ({
    args: [],
    notes: [
      "What Gemini CLI was allowed is not recorded; without --agent-arg=--approval-mode --agent-arg=yolo it has no tool that needs a yes."
    ]
  }),
  resumes: () => true,
  limits: () => [],
  costs: () => "run"
}

const isTrusted = Effect.fnUntraced(function* (request: IsolationRequest, own: string) {
  const host = yield* Host
  if (host.env.GEMINI_CLI_TRUST_WORKSPACE === "true") return true
  const folders = yield* objectIn(path.join(own, "trustedFolders.json"))
  return Object.entries(folders).some(
    ([folder, trust]) =>
      (folder === request.projectRoot && trust !== "DO_NOT_TRUST") ||
      (trust === "TRUST_FOLDER" && request.projectRoot.startsWith(`${folder}${path.sep}`))
  )
})
