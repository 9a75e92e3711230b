import { parseAge, parseSize, type RetentionRules } from "../archive/retention.ts"
import { isObject } from "../domain/jsonObject.ts"
import type { Settings } from "./Configuration.ts"

/** The `retention` part of config.json: `{"older_than": "90d", "keep": 20, "max_size": "5GB"}`, each with what it must be. */
const settings = {
  older_than: "expected an age like 90d",
  keep: "expected a number like 20",
  max_size: "expected a size like 5GB"
} as const
const names: ReadonlyArray<string> = Object.keys(settings)

/** What the configuration says about deleting. */
export interface ConfiguredRetention {
  readonly rules: RetentionRules
  /**
   * What cannot be read of it. The rules narrow each other: `keep` spares sessions from `older_than`, and without that deletes all others. So one that
   * cannot be read makes the others mean something else, and nothing may be deleted by them.
   */
  readonly problems: ReadonlyArray<{ readonly file: string; readonly problem: string }>
  /** Files of which nothing can be read: what they say about deleting is not known, and the same follows. */
  readonly unread: ReadonlyArray<{ readonly file: string; readonly problem: string }>
}

/** The rules that the configuration sets, the project's over the user's. A project whose configuration the user has not adopted says nothing about what is deleted. */
export const retentionRules = ({ sources }: Settings): ConfiguredRetention => {
  let rules: RetentionRules = {}
  const problems: Array<{ file: string; problem: string }> = []
  const unread: Array<{ file: string; problem: string }> = []
  for (const { file, owner, parts, problems: faults } of sources) {
    if (owner === "project") continue
    // Of what can be read every part has its place, whether it is set or not.
    if (Object.keys(parts).length === 0) unread.push(...faults.map((problem) => ({ file, problem })))
    if (parts.retention === undefined) continue
    const read = readRetention(parts.retention)
    problems.push(...read.problems.map((problem) => ({ file, problem })))
    rules = {
      olderThanMs: read.rules.olderThanMs ?? rules.olderThanMs,
      keep: read.rules.keep ?? rules.keep,
      maxBytes: read.rules.maxBytes ?? rules.maxBytes
    }
  }
  return { rules, problems, unread }
}

const readRetention = (
  config: unknown
): { readonly rules: RetentionRules; readonly problems: ReadonlyArray<string> } => {
  if (!isObject(config)) return { rules: {}, problems: ["retention: expected an object"] }
  const { older_than, keep, max_size } = config
  const olderThanMs = typeof older_than === "string" ? parseAge(older_than) : undefined
  const kept = typeof keep === "number" && Number.isSafeInteger(keep) && keep >= 0 ? keep : undefined
  const maxBytes = typeof max_size === "string" ? parseSize(max_size) : undefined
  const problems = [
    ...Object.keys(config)
      .filter((name) => !names.includes(name))
      .map((name) => `retention.${name}: there is no such setting, only ${names.join(", ")}`),
    ...(older_than !== undefined && olderThanMs === undefined ? [`retention.older_than: ${settings.older_than}`] : []),
    ...(keep !== undefined && kept === undefined ? [`retention.keep: ${settings.keep}`] : []),
    ...(max_size !== undefined && maxBytes === undefined ? [`retention.max_size: ${settings.max_size}`] : [])
  ]
  return { rules: { olderThanMs, keep: kept, maxBytes }, problems }
}

/** All that is wrong with the configuration of a project. What is named does not hold; the defaults do. */
export const configurationFaults = (settings: Settings): Settings["problems"] => [
  ...settings.problems,
  ...retentionRules(settings).problems
]
