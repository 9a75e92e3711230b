import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Host } from "../../src/platform/Host.ts"
import { userDirectories } from "../../src/platform/userDirectories.ts"

const cases: ReadonlyArray<
  readonly [
    what: string,
    platform: NodeJS.Platform,
    env: Record<string, string>,
    expected: { readonly config: string; readonly state: string }
  ]
> = [
  ["on Linux", "linux", {}, { config: "/home/u/.config/lint-ai", state: "/home/u/.local/state/lint-ai" }],
  [
    "where the XDG variables say",
    "linux",
    { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" },
    { config: "/c/lint-ai", state: "/s/lint-ai" }
  ],
  [
    "not where a relative XDG variable says",
    "linux",
    { XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" },
    { config: "/home/u/.config/lint-ai", state: "/home/u/.local/state/lint-ai" }
  ],
  [
    "in the Library on macOS",
    "darwin",
    { XDG_CONFIG_HOME: "/c" },
    {
      config: "/home/u/Library/Application Support/lint-ai",
      state: "/home/u/Library/Application Support/lint-ai/state"
    }
  ],
  [
    "where lint-ai's own variables say, on every platform",
    "darwin",
    { LINT_AI_CONFIG_DIR: "/own/config", LINT_AI_STATE_DIR: "/own/state", XDG_STATE_HOME: "/s" },
    { config: "/own/config", state: "/own/state" }
  ],
  [
    "not where lint-ai's own variables are relative",
    "linux",
    { LINT_AI_CONFIG_DIR: "config", LINT_AI_STATE_DIR: "./state" },
    { config: "/home/u/.config/lint-ai", state: "/home/u/.local/state/lint-ai" }
  ]
]

describe("the user's directories are", () => {
  for (const [what, platform, env, expected] of cases) {
    it(what, () => {
      const found = Effect.runSync(Effect.provide(userDirectories, Host.layerTest({ platform, env, home: "/home/u" })))
      assert.deepStrictEqual(found, expected)
    })
  }
})
