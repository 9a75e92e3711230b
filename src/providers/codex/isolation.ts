import * as path from "node:path"
import * as Effect from "effect/Effect"
import { stringify } from "smol-toml"
import { replaceFile } from "../../archive/atomicFile.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { Disk } from "../../platform/Disk.ts"
import { readHookCommand } from "../hookCommand.ts"
import { registrations } from "../hookSettings.ts"
import { isProblem, readJsonc } from "../jsoncText.ts"
import { pick } from "../jsonFile.ts"
import type { Isolated, IsolationRequest, ProviderIsolation } from "../ProviderIsolation.ts"
import type { SettingsHome } from "../settingsHome.ts"
import { isTomlProblem, readToml } from "./configToml.ts"
import { isProjectTrusted, trustDigest, trustKey } from "./hookTrust.ts"

export const codexSettings: SettingsHome = { variable: "CODEX_HOME", usual: ".codex", credential: "auth.json" }

/** How the service is reached and which model answers; what the agent may do, which flags of the baseline may have changed; nothing else. */
const carriedSettings = [
  ...["model", "model_provider", "model_providers", "model_catalog_json", "model_reasoning_effort", "model_verbosity"],
  ...["model_context_window", "model_max_output_tokens", "chatgpt_base_url", "openai_base_url", "forced_login_method"],
  ...["approval_policy", "sandbox_mode", "sandbox_workspace_write", "features", "analytics"]
]

type Table = Readonly<Record<string, unknown>>

/**
 * A fresh CODEX_HOME: not under the agent's directory for temporary files, where it refuses to make its helpers. Its hooks are trusted there, and the
 * project as far as the user trusts it.
 */
export const codexIsolation: ProviderIsolation = {
  provider: "codex",
  settings: codexSettings,
  passes: (name) => /^(OPENAI_\w+|CODEX_API_KEY|CODEX_ACCESS_TOKEN|AZURE_OPENAI_\w+|RUST_LOG)$/.test(name),
  loginVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  prepare: Effect.fn("codex.prepare")(function* (request: IsolationRequest) {
    const { arm, settingsRoot } = request
    const user = yield* tomlIn(path.join(request.userSettings, "config.toml"))
    const carried = pick(user, carriedSettings)
    const trusted = isProjectTrusted(user, [request.projectRoot])
    const features = isObject(carried.features) ? carried.features : {}
    const config = {
      ...carried,
      ...catalogOf(carried, request.userSettings),
      check_for_update_on_startup: false,
      ...(arm.instruction_files ? undefined : { project_doc_max_bytes: 0 }),
      features: { ...features, hooks: true, daemon_auto_start: false },
      memories: arm.native_memory
        ? isObject(user.memories)
          ? user.memories
          : {}
        : { use_memories: false, generate_memories: false },
      ...(trusted ? { projects: { [request.workspace]: { trust_level: "trusted" } } } : undefined)
    }
    yield* replaceFile(path.join(settingsRoot, "config.toml"), Buffer.from(`${stringify(config)}\n`))
    return {
      env: { CODEX_HOME: settingsRoot },
      passes: variablesIn(carried.model_providers),
      programArgs: [],
      args: [],
      notes: [
        ...(Object.keys(carried).length === 0
          ? []
          : [`Of your configuration of Codex these are in use: ${Object.keys(carried).join(", ")}.`]),
        "Your own rules, MCP servers, profiles and AGENTS.md of Codex are not there; those of the project are, where you trust it."
      ]
    } satisfies Isolated
  }),
  afterHooks: Effect.fn("codex.afterHooks")(function* ({ settingsRoot }: IsolationRequest) {
    const disk = yield* Disk
    const file = path.join(settingsRoot, "hooks.json")
    const document = readJsonc((yield* disk.readFile(file)).toString("utf8"))
    if (isProblem(document)) return
    const ours = registrations(document, (command) => readHookCommand(command, "codex") !== undefined)
    const state = Object.fromEntries(
      ours.map((hook) => [trustKey(file, hook), { trusted_hash: trustDigest(document, hook) }])
    )
    const config = path.join(settingsRoot, "config.toml")
    const before = yield* disk.readFile(config)
    yield* replaceFile(config, Buffer.concat([before, Buffer.from(`\n${stringify({ hooks: { state } })}\n`)]))
  }),
  // Only whether it asks is recorded, and `codex exec` never does.
  permissions: () => ({
    args: [],
    notes: [
      "Sandbox and approvals are those of your configuration of Codex; what flags gave is not recorded: --agent-arg=--sandbox --agent-arg=workspace-write."
    ]
  }),
  resumes: () => true,
  limits: () => [],
  costs: () => "run"
}

const tomlIn = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Table, never, Disk> {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => Buffer.from("")))
  const read = readToml(bytes.toString("utf8"))
  return isTomlProblem(read) ? {} : read.values
})

/** A path of the user's configuration holds from there. */
const catalogOf = ({ model_catalog_json: file }: Table, userSettings: string) =>
  typeof file === "string" ? { model_catalog_json: path.resolve(userSettings, file) } : undefined

/** The variables that providers of the user's own have their keys in. */
const variablesIn = (modelProviders: unknown): ReadonlyArray<string> =>
  Object.values(isObject(modelProviders) ? modelProviders : {}).flatMap((one) => {
    if (!isObject(one)) return []
    const headers = isObject(one.env_http_headers) ? Object.values(one.env_http_headers) : []
    return [one.env_key, ...headers].filter((name) => typeof name === "string")
  })
