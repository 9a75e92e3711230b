import { codexProgram } from "../../providers/codex/cli.ts"
import { codexSettings } from "../../providers/codex/isolation.ts"
import { candidatesInText } from "./contract.ts"
import type { ExtractorAdapter, Reading } from "./ExtractorAdapter.ts"
import { extractorInstructions } from "./prompt.ts"

/**
 * Features that extraction has no use for. With them a transcript could have Codex read files of the user, which its read-only sandbox allows,
 * or look something up in the web. A version that does not know one passes over it.
 */
const unneeded = [
  "shell_tool",
  "unified_exec",
  "hooks",
  "plugins",
  "apps",
  "multi_agent",
  "goals",
  "browser_use",
  "computer_use"
]

/**
 * Extraction with `codex exec`. `--ignore-user-config` leaves AGENTS.md and hooks.json of its home and AGENTS.md of the working directory in
 * force (0.171.0, measured): both are empty here.
 */
export const codexExtractor: ExtractorAdapter = {
  host: "codex",
  runtime: codexProgram,
  settings: codexSettings,
  env: {},
  call: (schemaFile) => ({
    programArgs: ["-a", "never"],
    args: [
      ...["--ephemeral", "--sandbox", "read-only", "--ignore-user-config", "--ignore-rules", "--color", "never"],
      ...["--output-schema", schemaFile],
      ...unneeded.flatMap((feature) => ["-c", `features.${feature}=false`]),
      ...["-c", 'web_search="disabled"'],
      // A JSON string is a TOML string too, as long as nothing in it is escaped otherwise.
      ...["-c", `developer_instructions=${JSON.stringify(extractorInstructions)}`]
    ]
  }),
  read: ({ text, errors }): Reading => {
    if (text === undefined) {
      return errors.length > 0
        ? { reason: "extractor-failed", error: errors.join("; ") }
        : { reason: "malformed-output", error: "codex ended without an answer" }
    }
    const candidates = candidatesInText(text)
    return candidates === undefined
      ? { reason: "malformed-output", error: "codex's answer does not keep to the schema" }
      : { candidates }
  }
}
