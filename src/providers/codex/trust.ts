import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { readHookCommand } from "../hookCommand.ts"
import type { AppServer, AppServerError } from "./appServer.ts"
import type { HookTrust } from "./hookTrust.ts"

/**
 * Trust, the official way: Codex itself is asked what it would run in a directory (`hooks/list`) and told what is trusted
 * (`config/batchWrite`), so that nobody but Codex writes its configuration. Only after the user has agreed; the hook path never comes here.
 */

/** A hook of lint-ai as Codex sees it. */
export interface ListedHook {
  /** Codex's name of the event: `preToolUse`. */
  readonly event: string
  readonly key: string
  readonly command: string
  /** The file that it stands in. */
  readonly source: string
  readonly digest: string
  /** `managed`: an administrator decides. */
  readonly trust: HookTrust | "managed"
}

export interface HookListing {
  /** The hooks of lint-ai. Those of a project that is not trusted are not among them: Codex does not read them. */
  readonly hooks: ReadonlyArray<ListedHook>
  /** What Codex says about files that it left aside. */
  readonly warnings: ReadonlyArray<string>
}

/** What Codex would run of lint-ai in a directory. */
export const listHooks = Effect.fn("codex.listHooks")(function* (server: AppServer, cwd: string) {
  const { data } = yield* server.request("hooks/list", { cwds: [cwd] })
  const entries = Array.isArray(data) ? data.filter(isObject) : []
  return {
    hooks: entries.flatMap((entry) => (Array.isArray(entry.hooks) ? entry.hooks.flatMap(listed) : [])),
    warnings: entries.flatMap((entry) =>
      Array.isArray(entry.warnings) ? entry.warnings.filter((one): one is string => typeof one === "string") : []
    )
  } satisfies HookListing
})

const trusts: ReadonlyArray<unknown> = ["trusted", "untrusted", "modified", "managed"]

const listed = (hook: unknown): ReadonlyArray<ListedHook> => {
  if (!isObject(hook)) return []
  const { key, eventName: event, command, sourcePath: source, currentHash: digest, trustStatus: trust } = hook
  if (typeof key !== "string" || typeof event !== "string" || typeof command !== "string") return []
  if (typeof source !== "string" || typeof digest !== "string" || !trusts.includes(trust)) return []
  if (readHookCommand(command, "codex") === undefined) return []
  return [{ event, key, command, source, digest, trust: trust as ListedHook["trust"] }]
}

/** Hooks that Codex would skip. */
export const untrusted = (listing: HookListing): ReadonlyArray<ListedHook> =>
  listing.hooks.filter((hook) => hook.trust === "untrusted" || hook.trust === "modified")

/**
 * Trusts hooks, each exactly as it is now: any change of its command takes the trust away again. Everything else in the user's configuration stays.
 */
export const trustHooks = (server: AppServer, hooks: ReadonlyArray<ListedHook>): Effect.Effect<void, AppServerError> =>
  hooks.length === 0
    ? Effect.void
    : upsert(server, "hooks.state", Object.fromEntries(hooks.map((hook) => [hook.key, { trusted_hash: hook.digest }])))

/**
 * Trusts a project: Codex then reads its hooks, MCP servers and configuration, also those of others.
 *
 * @param root absolute path of the top of the repository, links followed
 */
export const trustProject = (server: AppServer, root: string): Effect.Effect<void, AppServerError> =>
  upsert(server, "projects", { [root]: { trust_level: "trusted" } })

const upsert = (server: AppServer, keyPath: string, value: object): Effect.Effect<void, AppServerError> =>
  Effect.asVoid(
    server.request("config/batchWrite", {
      edits: [{ keyPath, value, mergeStrategy: "upsert" }],
      reloadUserConfig: true
    })
  )
