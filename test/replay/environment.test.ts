import { assert, describe, it } from "@effect/vitest"
import type { Provider } from "../../src/domain/provider.ts"
import { isolationFor } from "../../src/providers/isolations.ts"
import type { ProviderIsolation } from "../../src/providers/ProviderIsolation.ts"
import { passedEnvironment } from "../../src/replay/environment.ts"

/** What a developer's environment may hold. */
const whole = {
  PATH: "/usr/bin",
  LANG: "C.UTF-8",
  HTTPS_PROXY: "http://proxy",
  HOME: "/home/dev",
  XDG_CONFIG_HOME: "/home/dev/.config",
  GITHUB_TOKEN: "g",
  SSH_AUTH_SOCK: "/run/agent",
  GIT_DIR: "/elsewhere",
  NODE_OPTIONS: "--require /evil.js",
  LD_PRELOAD: "/evil.so",
  BASH_ENV: "/evil.sh",
  LINT_AI_DISABLE_HOOKS: "1",
  LINT_AI_PROJECT_DIR: "/elsewhere",
  LINT_AI_REPLAY_SESSION_ID: "claude:replay-other",
  CLAUDECODE: "1",
  CLAUDE_CONFIG_DIR: "/home/dev/.claude",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_SESSION_ID: "s",
  CLAUDE_CODE_OAUTH_TOKEN: "o",
  ANTHROPIC_API_KEY: "a",
  AWS_ACCESS_KEY_ID: "w",
  CODEX_HOME: "/home/dev/.codex",
  OPENAI_API_KEY: "p",
  MY_KEY: "m",
  GEMINI_CLI_HOME: "/home/dev",
  GEMINI_API_KEY: "k",
  GEMINI_SYSTEM_MD: "/evil.md"
}

const named = (provider: Provider, more: ReadonlyArray<string> = [], env: Record<string, string> = whole) =>
  passedEnvironment(env, isolationFor(provider) as ProviderIsolation, more).named

describe("the environment of an isolated agent", () => {
  it("is what every program needs and its own login, by name, and nothing else", () => {
    assert.deepStrictEqual(named("claude"), ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "HTTPS_PROXY"])
    assert.deepStrictEqual(named("codex"), ["HTTPS_PROXY", "OPENAI_API_KEY"])
    assert.deepStrictEqual(named("gemini"), ["GEMINI_API_KEY", "HTTPS_PROXY"])
    assert.deepStrictEqual(named("antigravity"), ["GEMINI_API_KEY", "HTTPS_PROXY"])
    const { env } = passedEnvironment(whole, isolationFor("claude") as ProviderIsolation, [])
    assert.deepStrictEqual(Object.keys(env).sort(), [
      ...["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "HTTPS_PROXY", "LANG", "PATH"]
    ])
  })

  it("has the variables that the user's settings name", () => {
    assert.deepStrictEqual(named("codex", ["MY_KEY"]), ["HTTPS_PROXY", "MY_KEY", "OPENAI_API_KEY"])
  })

  it("has the keys of a cloud only where the agent is told to use it", () => {
    assert.include(named("claude", [], { ...whole, CLAUDE_CODE_USE_BEDROCK: "1" }), "AWS_ACCESS_KEY_ID")
    assert.notInclude(named("claude"), "AWS_ACCESS_KEY_ID")
  })
})
