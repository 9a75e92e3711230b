import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { objectIn, pick, writeObject } from "../jsonFile.ts"
import type { Isolated, IsolationRequest, ProviderIsolation } from "../ProviderIsolation.ts"
import type { SettingsHome } from "../settingsHome.ts"

/** Where it keeps its login is not known to lint-ai. */
const antigravitySettings: SettingsHome = { variable: undefined, usual: ".gemini", credential: undefined }

/** A fresh directory in the place of ~/.gemini, by `--gemini_dir` (public reports of 1.2.15 and 1.2.16; not tried). */
export const antigravityIsolation: ProviderIsolation = {
  provider: "antigravity",
  settings: antigravitySettings,
  passes: (name) =>
    /^(GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GEMINI_BASE_URL|GOOGLE_CLOUD_\w+|GOOGLE_APPLICATION_CREDENTIALS)$/.test(
      name
    ),
  loginVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
  prepare: Effect.fn("antigravity.prepare")(function* (request: IsolationRequest) {
    const { arm } = request
    const disk = yield* Disk
    const directory = path.join(request.settingsRoot, ".gemini")
    const cli = path.join("antigravity-cli", "settings.json")
    yield* disk.makeDirectory(path.dirname(path.join(directory, cli)))
    const carried = pick(yield* objectIn(path.join(request.userSettings, cli)), ["modelProvider"])
    yield* writeObject(path.join(directory, cli), { ...carried, enableTelemetry: false })
    return {
      env: { AGY_CLI_DISABLE_AUTO_UPDATE: "true" },
      passes: [],
      programArgs: [],
      args: [`--gemini_dir=${directory}`],
      installHome: request.settingsRoot,
      notes: [
        "What lint-ai knows of Antigravity CLI comes from public reports, not from tests with it.",
        ...(carried.modelProvider === undefined
          ? []
          : ["Of your settings of Antigravity CLI these are in use: modelProvider."]),
        ...(arm.native_memory
          ? []
          : ["lint-ai knows no way to switch Antigravity CLI's own memory off: it begins empty."]),
        ...(arm.instruction_files
          ? []
          : ["lint-ai knows no way to keep Antigravity CLI from reading the project's instruction files."])
      ]
    } satisfies Isolated
  }),
  permissions: () => ({
    args: [],
    notes: [
      "What Antigravity CLI was allowed is not recorded; --agent-arg=--dangerously-skip-permissions or --agent-arg=--mode=accept-edits gives it more."
    ]
  }),
  resumes: () => true,
  limits: () => [],
  costs: () => "run"
}
