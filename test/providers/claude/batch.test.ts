import { assert, describe, it } from "@effect/vitest"
import { outcomeOfAnswer } from "../../../src/providers/claude/batch.ts"

/** Answers as the model sees them. The first column is what the answer proves. */
const answers: ReadonlyArray<readonly [outcome: ReturnType<typeof outcomeOfAnswer>, answer: unknown]> = [
  ["denied", "Permission to use Write has been denied because Claude Code is running in don't ask mode."],
  ["denied", "Permission to use Bash with command rm -rf x has been denied."],
  ["denied", "Permission for this action has been denied. Reason: it deletes files"],
  ["denied", "Permission for this command was denied by a built-in Claude Code safety check"],
  ["denied", "Claude requested permissions to write to /home/dev/a.txt, but you haven't granted it yet."],
  [
    "denied",
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."
  ],
  ["denied", "This Bash command contains multiple operations. The following part requires approval: exit 1"],
  ["denied", "This command requires approval"],
  ["denied", "PreToolUse:Bash hook error: [./guard.sh]: not on Fridays"],
  ["denied", "PreToolUse:Bash hook error: not on Fridays"],
  ["denied", "Tool use is not allowed during compaction"],
  ["denied", [{ type: "text", text: "Permission to use mcp__tiny__echo has been denied." }]],
  ["invalid", "<tool_use_error>Error: No such tool available: Frobnicate</tool_use_error>"],
  ["invalid", "<tool_use_error>InputValidationError: Read failed due to the following issue</tool_use_error>"],
  [
    "invalid",
    "<tool_use_error>File does not exist. Note: your current working directory is /home/dev/p4.</tool_use_error>"
  ],
  ["interrupted", "<tool_use_error>Cancelled: Claude ended the conversation</tool_use_error>"],
  [undefined, "hello"],
  [undefined, "Exit code 1\noops"],
  [undefined, "a log\nPermission to use Write has been denied"],
  [undefined, "SYNTH-PERM-DENY"],
  [undefined, ""],
  [undefined, []],
  [undefined, [{ type: "image" }]],
  [undefined, undefined],
  [undefined, { text: 1 }]
]

describe("the answer to a call in a batch", () => {
  for (const [outcome, answer] of answers)
    it(`${JSON.stringify(answer)?.slice(0, 70)} proves ${outcome ?? "nothing"}`, () => {
      assert.strictEqual(outcomeOfAnswer(answer), outcome)
    })
})
