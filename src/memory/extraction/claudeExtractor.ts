import { claudeProgram, resultIn } from "../../providers/claude/cli.ts"
import { claudeSettings } from "../../providers/claude/isolation.ts"
import { candidateSchema, candidatesIn, candidatesInText } from "./contract.ts"
import type { ExtractorAdapter, Reading } from "./ExtractorAdapter.ts"
import { extractorInstructions } from "./prompt.ts"

const hasSchema = (help: string): boolean => help.includes("--json-schema")

/**
 * Flags that take away what extraction has no use for: all tools but the one that Claude Code answers a schema with, settings of any kind, MCP
 * servers, the transcript on disk. Each is used where the version has it; 2.1.197 and 2.1.332 have them all. `--tools` takes any number of
 * values, so another flag has to follow it.
 */
const fewerThings: ReadonlyArray<readonly [flag: string, ...value: ReadonlyArray<string>]> = [
  ["--tools", ""],
  ["--setting-sources", ""],
  ["--strict-mcp-config"],
  ["--no-session-persistence"]
]

/** Extraction with `claude -p`. Where the version knows no `--json-schema` the answer's text has to be the JSON document itself. */
export const claudeExtractor: ExtractorAdapter = {
  host: "claude",
  runtime: claudeProgram,
  settings: claudeSettings,
  env: {
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
    DISABLE_AUTOUPDATER: "1"
  },
  probe: ["--help"],
  call: (_, help) => ({
    args: [
      ...fewerThings.flatMap(([flag, ...value]) => (help.includes(flag) ? [flag, ...value] : [])),
      ...["--append-system-prompt", extractorInstructions],
      ...(hasSchema(help) ? ["--json-schema", JSON.stringify(candidateSchema)] : [])
    ]
  }),
  read: ({ stdout }, help): Reading => {
    const result = resultIn(stdout)
    if (result === undefined) return { reason: "malformed-output", error: "claude produced no JSON result on stdout" }
    if (result.is_error === true || result.subtype !== "success") {
      const said = typeof result.result === "string" && result.result !== "" ? `: ${result.result}` : ""
      return { reason: "extractor-failed", error: `${result.subtype ?? "no subtype"}${said}` }
    }
    if (!hasSchema(help)) {
      const candidates = typeof result.result === "string" ? candidatesInText(result.result) : undefined
      return candidates === undefined
        ? { reason: "malformed-output", error: "claude's answer is not the JSON document that was asked for" }
        : { candidates }
    }
    if (result.structured_output === undefined) {
      return { reason: "malformed-output", error: "claude reply had no structured_output" }
    }
    const candidates = candidatesIn(result.structured_output)
    return candidates === undefined
      ? { reason: "malformed-output", error: "claude's structured_output does not keep to the schema" }
      : { candidates }
  }
}
