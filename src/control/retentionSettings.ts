import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { parseAge, parseSize, type RetentionRules } from "../archive/retention.ts"
import type { Settings } from "./Configuration.ts"

/** The `retention` part of config.json: `{"older_than": "90d", "keep": 20, "max_size": "5GB"}`. */
const RetentionConfig = Schema.Struct({
  older_than: Schema.optionalKey(Schema.String),
  keep: Schema.optionalKey(Schema.Natural),
  max_size: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownOption(RetentionConfig)

/**
 * The rules that the configuration sets, the project's over the user's. A project whose configuration the user has not adopted says nothing about what
 * is deleted. Problems name the file and the setting.
 */
export const retentionRules = (
  settings: Settings
): { readonly rules: RetentionRules; readonly problems: ReadonlyArray<string> } => {
  let rules: RetentionRules = {}
  const problems: Array<string> = []
  for (const { file, owner, parts } of settings.sources) {
    if (owner === "project" || parts.retention === undefined) continue
    const config = Option.getOrUndefined(decode(parts.retention))
    if (config === undefined) {
      problems.push(`${file}: retention is not as it should be, and was left aside`)
      continue
    }
    const { older_than, keep, max_size } = config
    const olderThanMs = older_than === undefined ? undefined : parseAge(older_than)
    const maxBytes = max_size === undefined ? undefined : parseSize(max_size)
    if (older_than !== undefined && olderThanMs === undefined)
      problems.push(`${file}: retention.older_than is no time like 90d`)
    if (max_size !== undefined && maxBytes === undefined)
      problems.push(`${file}: retention.max_size is no size like 5GB`)
    rules = {
      olderThanMs: olderThanMs ?? rules.olderThanMs,
      keep: keep ?? rules.keep,
      maxBytes: maxBytes ?? rules.maxBytes
    }
  }
  return { rules, problems }
}
