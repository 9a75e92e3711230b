import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Host } from "./Host.ts"

/** Where lint-ai keeps what belongs to the user and not to a project. */
export interface UserDirectories {
  /** The key and the user's own settings. */
  readonly config: string
  /** Anchors of archives, backups of settings, diagnostics of projects that are off. */
  readonly state: string
}

/**
 * `LINT_AI_CONFIG_DIR` and `LINT_AI_STATE_DIR`, else the platform's usual places: the XDG base directories, Library on macOS, AppData on
 * Windows. Relative values are ignored, as the XDG specification asks.
 */
export const userDirectories: Effect.Effect<UserDirectories, never, Host> = Effect.map(Host, (host) => {
  const usual = usualDirectories(host)
  return {
    config: absolute(host.env.LINT_AI_CONFIG_DIR) ?? usual.config,
    state: absolute(host.env.LINT_AI_STATE_DIR) ?? usual.state
  }
})

const absolute = (value: string | undefined): string | undefined =>
  value !== undefined && path.isAbsolute(value) ? value : undefined

const usualDirectories = (host: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: NodeJS.Platform
}): UserDirectories => {
  if (host.platform === "darwin") {
    const support = path.join(host.home, "Library", "Application Support", "lint-ai")
    return { config: support, state: path.join(support, "state") }
  }
  if (host.platform === "win32") {
    const roaming = absolute(host.env.APPDATA) ?? path.join(host.home, "AppData", "Roaming")
    const local = absolute(host.env.LOCALAPPDATA) ?? path.join(host.home, "AppData", "Local")
    return { config: path.join(roaming, "lint-ai"), state: path.join(local, "lint-ai") }
  }
  const config = absolute(host.env.XDG_CONFIG_HOME) ?? path.join(host.home, ".config")
  const state = absolute(host.env.XDG_STATE_HOME) ?? path.join(host.home, ".local", "state")
  return { config: path.join(config, "lint-ai"), state: path.join(state, "lint-ai") }
}

/**
 * Where lint-ai on Node keeps its compiled code: `XDG_CACHE_HOME`, else the platform's usual place. scripts/launcher.cjs, which must not load anything,
 * finds it by the same rules.
 */
export const cacheDirectory: Effect.Effect<string, never, Host> = Effect.map(Host, (host) => {
  const windows = host.platform === "win32" ? absolute(host.env.LOCALAPPDATA) : undefined
  const usual = path.join(host.home, ...(host.platform === "darwin" ? ["Library", "Caches"] : [".cache"]))
  return path.join(absolute(host.env.XDG_CACHE_HOME) ?? windows ?? usual, "lint-ai")
})
