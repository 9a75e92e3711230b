import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Host } from "../../platform/Host.ts"
import { checkoutOf } from "../checkout.ts"

/** What Codex reads in one place: a project, or its home directory. */
export interface CodexFiles {
  readonly hooks: string
  readonly config: string
  readonly memory: string
}

export interface CodexPlaces {
  readonly project: CodexFiles
  readonly user: CodexFiles
  /** The main checkout, when the project is in a linked worktree of one. */
  readonly mainCheckout: string | undefined
  /** Directories whose trust counts for the project. */
  readonly roots: ReadonlyArray<string>
}

/**
 * The files of Codex. Its home is `CODEX_HOME`, else `~/.codex`. In a linked worktree it takes hooks.json from the main checkout, and all else
 * from the worktree (0.171.0, measured).
 */
export const codexPlaces = Effect.fn("codexPlaces")(function* (project: string) {
  const host = yield* Host
  const given = host.env.CODEX_HOME
  const home = given === undefined || given === "" ? path.join(host.home, ".codex") : path.resolve(host.cwd, given)
  const checkout = yield* checkoutOf(project)
  const main = checkout?.main
  const hooksRoot = main === undefined ? project : path.join(main, path.relative(checkout?.top ?? project, project))
  return {
    project: {
      hooks: path.join(hooksRoot, ".codex", "hooks.json"),
      config: path.join(project, ".codex", "config.toml"),
      memory: path.join(project, "AGENTS.md")
    },
    user: {
      hooks: path.join(home, "hooks.json"),
      config: path.join(home, "config.toml"),
      memory: path.join(home, "AGENTS.md")
    },
    mainCheckout: main,
    roots: [...new Set([project, checkout?.top, main].filter((one) => one !== undefined))]
  } satisfies CodexPlaces
})
