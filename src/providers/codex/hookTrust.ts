import { createHash } from "node:crypto"
import { getNodeValue } from "jsonc-parser"
import { isObject } from "../../domain/jsonObject.ts"
import type { Registered } from "../hookSettings.ts"
import { type JsoncText, nodeAt } from "../jsoncText.ts"

/**
 * What Codex knows of a hook that its user may have trusted. `modified`: another command was trusted at that place. Codex skips hooks that
 * are not trusted, in `codex exec` without a word.
 */
export type HookTrust = "trusted" | "untrusted" | "modified"

/**
 * Where Codex keeps the trust of a hook, in the user's own configuration: `[hooks.state."<file>:<event>:<group>:<index>"]`. The group's
 * index is part of it: a group that is put before ours moves ours to a place that was not trusted.
 *
 * @param file the hooks.json as Codex names it: its directory with links followed
 */
export const trustKey = (file: string, { event, path }: Pick<Registered, "event" | "path">): string =>
  `${file}:${snakeCase(event)}:${path[2]}:${path[4]}`

/**
 * The digest that Codex compares with what was trusted: sha256 of the hook as compact JSON with sorted keys (0.171.0; found by comparing
 * with what `hooks/list` gives, the same for every command hook that was tried).
 */
export const trustDigest = (document: JsoncText, { event, path }: Pick<Registered, "event" | "path">): string => {
  const handler = valueAt(document, path)
  const group = valueAt(document, path.slice(0, 3))
  const { command, async, statusMessage, additionalContextLimit } = isObject(handler) ? handler : {}
  const matcher = isObject(group) && !withoutMatcher.includes(event) ? group.matcher : undefined
  const normal = {
    event_name: snakeCase(event),
    hooks: [
      defined({
        additionalContextLimit,
        async: async === true,
        command,
        statusMessage,
        timeout: timeoutOf(event, isObject(handler) ? handler.timeout : undefined),
        type: "command"
      })
    ],
    ...defined({ matcher })
  }
  return `sha256:${createHash("sha256").update(JSON.stringify(normal)).digest("hex")}`
}

/** What the user's configuration says of a hook. */
export const trustIn = (userConfig: Readonly<Record<string, unknown>>, key: string, digest: string): HookTrust => {
  const hooks = userConfig.hooks
  const state = isObject(hooks) ? hooks.state : undefined
  const one = isObject(state) && Object.hasOwn(state, key) ? state[key] : undefined
  const trusted = isObject(one) ? one.trusted_hash : undefined
  return typeof trusted !== "string" ? "untrusted" : trusted === digest ? "trusted" : "modified"
}

/** Whether the user trusts one of these directories: Codex reads nothing of a project that is not trusted. */
export const isProjectTrusted = (
  userConfig: Readonly<Record<string, unknown>>,
  directories: ReadonlyArray<string>
): boolean => {
  const { projects } = userConfig
  return (
    isObject(projects) &&
    directories.some((directory) => {
      const project = Object.hasOwn(projects, directory) ? projects[directory] : undefined
      return isObject(project) && project.trust_level === "trusted"
    })
  )
}

// Codex ignores the matcher of these.
const withoutMatcher: ReadonlyArray<string> = [
  "UserPromptSubmit",
  "Stop",
  "Interrupt",
  "PreModelRequest",
  "PostModelRequest"
]

const timeoutOf = (event: string, given: unknown): number => {
  const short = event === "SessionEnd" || event === "Interrupt"
  const seconds = typeof given === "number" ? given : short ? 1 : 600
  return Math.max(1, short ? Math.min(3, seconds) : seconds)
}

const snakeCase = (event: string): string => event.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()

const valueAt = (document: JsoncText, path: Registered["path"]): unknown => {
  const node = nodeAt(document, path)
  return node === undefined ? undefined : getNodeValue(node)
}

const defined = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
