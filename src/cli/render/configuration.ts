import type { ConfigSource } from "../../control/Configuration.ts"
import { counted } from "../../domain/counted.ts"
import { formatBytes } from "../../export/format.ts"
import { decodePolicy } from "../../redaction/policyConfig.ts"
import { plain } from "./text.ts"

/** Longer than what anybody sets, and short enough to be read. */
const longestShown = 200

/** What a configuration does once it counts in full, a line each: what its owner is asked to agree to. Its texts come from outside. */
export const configurationWords = ({ parts }: Pick<ConfigSource, "parts">): ReadonlyArray<string> => {
  const { extra, allow } = decodePolicy(parts.redaction, "adopted-project").policy
  const rules = [...new Set(allow.map(({ rule }) => plain(rule)))].join(", ").slice(0, longestShown)
  const { durability, session_max_bytes: maxBytes } = parts.recording ?? {}
  return [
    ...(allow.length === 0
      ? []
      : [`lets ${counted(allow.length, "value")} through that redaction would take out (${rules})`]),
    ...(extra.length === 0 ? [] : [`adds ${counted(extra.length, "redaction rule")}`]),
    ...(maxBytes === undefined ? [] : [`ends the record of a session at ${formatBytes(maxBytes)}`]),
    ...(durability === undefined ? [] : [`sets durability to ${durability}`]),
    ...(parts.retention === undefined
      ? []
      : [
          `sets what \`sessions prune\` deletes without flags: ${plain(JSON.stringify(parts.retention) ?? "").slice(0, longestShown)}`
        ])
  ]
}
