import * as path from "node:path"
import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { Host } from "../../platform/Host.ts"
import { atLeast } from "../agentVersions.ts"
import { objectIn, pick, writeObject } from "../jsonFile.ts"
import type { Isolated, IsolationRequest, ProviderIsolation } from "../ProviderIsolation.ts"
import type { SettingsHome } from "../settingsHome.ts"
import { oldestVersion } from "./install.ts"

export const claudeSettings: SettingsHome = {
  variable: "CLAUDE_CONFIG_DIR",
  usual: ".claude",
  credential: ".credentials.json"
}

/** How the service is reached and who pays; switches of the network. Those of a cloud only where Claude Code is told to use it. */
const own =
  /^(ANTHROPIC_\w+|CLAUDE_CODE_(OAUTH_TOKEN|USE_(BEDROCK|VERTEX|FOUNDRY)|SKIP_(BEDROCK|VERTEX|FOUNDRY)_AUTH|API_KEY_HELPER_TTL_MS|CLIENT_(CERT|KEY|KEY_PASSPHRASE)|MAX_OUTPUT_TOKENS|MAX_RETRIES|DISABLE_NONESSENTIAL_TRAFFIC)|API_TIMEOUT_MS|MAX_THINKING_TOKENS|DISABLE_(TELEMETRY|ERROR_REPORTING|PROMPT_CACHING)|IS_SANDBOX)$/
const clouds: ReadonlyArray<readonly [onlyWith: string, names: RegExp]> = [
  ["CLAUDE_CODE_USE_BEDROCK", /^AWS_\w+$/],
  ["CLAUDE_CODE_USE_VERTEX", /^(GOOGLE_\w+|GCLOUD_PROJECT|CLOUDSDK_\w+|CLOUD_ML_REGION|VERTEX_\w+)$/],
  ["CLAUDE_CODE_USE_FOUNDRY", /^AZURE_\w+$/]
]

const passes: ProviderIsolation["passes"] = (name, env) =>
  own.test(name) || clouds.some(([cloud, names]) => env[cloud] !== undefined && names.test(name))

/** The tools of lint-ai's MCP server that read memory. */
const memoryTools = ["search", "list_memories", "info"].map((tool) => `mcp__lint-ai__${tool}`)

/** Settings that say how to log in, and nothing else. */
const loginSettings = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "forceLoginMethod", "forceLoginOrgUUID"]

/**
 * A fresh CLAUDE_CONFIG_DIR with nothing of the user in it but how to log in. The switches of its memory and of CLAUDE.md are variables, for `--bare`
 * and `--safe-mode` run no hooks.
 */
export const claudeIsolation: ProviderIsolation = {
  provider: "claude",
  settings: claudeSettings,
  passes,
  loginVariables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  prepare: Effect.fn("claude.prepare")(function* (request: IsolationRequest) {
    const { arm, settingsRoot } = request
    const settings = yield* objectIn(path.join(request.userSettings, "settings.json"))
    const carried = pick(settings, loginSettings)
    const given = isObject(settings.env) ? settings.env : {}
    const env = Object.fromEntries(Object.entries(given).filter(([name]) => passes(name, { ...defined(given) })))
    yield* writeObject(path.join(settingsRoot, "settings.json"), {
      ...carried,
      ...(Object.keys(env).length === 0 ? undefined : { env }),
      // Nobody is there to allow them.
      ...(arm.profile === "mcp-only" && arm.lint_ai ? { permissions: { allow: memoryTools } } : undefined)
    })
    const trusted = yield* isTrusted(request)
    yield* writeObject(path.join(settingsRoot, ".claude.json"), {
      hasCompletedOnboarding: true,
      ...(trusted ? { projects: { [request.workspace]: { hasTrustDialogAccepted: true } } } : undefined)
    })
    const names = [...Object.keys(carried), ...Object.keys(env).map((name) => `env.${name}`)]
    return {
      env: {
        CLAUDE_CONFIG_DIR: settingsRoot,
        CLAUDE_CODE_TMPDIR: request.temporary,
        DISABLE_AUTOUPDATER: "1",
        ...(arm.native_memory ? undefined : { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }),
        ...(arm.instruction_files ? undefined : { CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1" })
      },
      passes: [],
      programArgs: [],
      args: [],
      notes: [
        ...(names.length === 0 ? [] : [`Of your settings of Claude Code these are in use: ${names.join(", ")}.`]),
        "Your own permissions, MCP servers and plugins of Claude Code are not there; those of the project are."
      ]
    } satisfies Isolated
  }),
  permissions: (recorded) => {
    const unrecorded =
      "What --allowedTools or your own settings allowed is not recorded, and tools that would ask are denied: --agent-arg gives more."
    if (recorded === "bypassPermissions") {
      const notes = [
        "The baseline ran with bypassPermissions. A replay does not, unless you ask for it: --agent-arg=--dangerously-skip-permissions."
      ]
      return { args: [], notes }
    }
    return { args: recorded === undefined ? [] : ["--permission-mode", recorded], notes: [unrecorded] }
  },
  // Both tested versions do. What older ones make of --resume with -p was not tried.
  resumes: (agentVersion) => atLeast(agentVersion, oldestVersion),
  limits: ({ turns, usd }) => [
    ...(turns === undefined ? [] : ["--max-turns", String(turns)]),
    ...(usd === undefined ? [] : ["--max-budget-usd", String(usd)])
  ],
  // Measured: 2.1.332 adds up over the conversation, 2.1.197 does not.
  costs: (agentVersion) => (atLeast(agentVersion, "2.1.332") ? "conversation" : "run")
}

/** What the project may do is what it might do for its user: rules of an untrusted project are passed over. */
const isTrusted = Effect.fnUntraced(function* (request: IsolationRequest) {
  const host = yield* Host
  const directory = host.env.CLAUDE_CONFIG_DIR
  const own = directory === undefined || directory === "" ? host.home : request.userSettings
  const { projects } = yield* objectIn(path.join(own, ".claude.json"))
  const project = isObject(projects) ? projects[request.projectRoot] : undefined
  return isObject(project) && project.hasTrustDialogAccepted === true
})

const defined = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  )
