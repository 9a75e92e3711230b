import { assert, describe, it } from "@effect/vitest"
import { rewriteFlatFlags } from "../../src/cli/flatFlags.ts"

const cases: ReadonlyArray<readonly [flat: string, command: string]> = [
  ["--list-sessions /home/me/app", "sessions list --project /home/me/app"],
  ["--list-sessions", "sessions list"],
  ["--list-sessions --json", "sessions list --json"],
  [
    "--inspect-session abc --session-root .lint-ai/claude-sessions",
    "sessions inspect abc --session-root .lint-ai/claude-sessions"
  ],
  ["--session-root x --inspect-session abc", "sessions inspect abc --session-root x"],
  ["--export-session abc --format jsonl --out session.jsonl", "sessions export abc --format jsonl --out session.jsonl"],
  ["--export-session=abc --format=markdown", "sessions export abc --format=markdown"],
  ["--export-session -abc", "sessions export -abc"],
  ["--record-session /home/me/app", "record start --project /home/me/app"],
  ["--record-session /home/me/app --session-provider agy", "record start antigravity --project /home/me/app"],
  ["--inspect-session abc --session-provider agy", "sessions inspect abc --provider antigravity"],
  [
    "--claude-code-install /home/me/app --session-recording capture-only --session-root /tmp/s",
    "install claude /home/me/app --mcp --session-recording capture-only --session-root /tmp/s"
  ],
  ["--codex-install", "install codex --mcp"],
  ["--gemini-cli-uninstall /home/me/app", "uninstall gemini /home/me/app"],
  ["--agy-install /home/me/app --yes", "install antigravity /home/me/app --mcp --yes"],
  ["--session-recording ab --experiment-root /tmp/run-1", "experiment ab /tmp/run-1"],
  ["--experiment-root=/tmp/run-1 --session-recording=ab lab.json --yes", "experiment ab /tmp/run-1 lab.json --yes"],
  [
    "--claude-code-install /home/me/app --session-recording ab --experiment-root /tmp/run-1",
    "experiment ab /tmp/run-1 --provider claude --project /home/me/app"
  ],
  [
    "--session-recording ab --session-provider agy --experiment-root /tmp/run-1 --json",
    "experiment ab /tmp/run-1 --provider antigravity --json"
  ],
  [
    "--scenario-from-session abc123 --session-provider claude --scenario-out scenarios/review.json",
    "scenario from-session abc123 --provider claude --out scenarios/review.json"
  ],
  ["--scenario-from-session=abc --scenario-out=s.json --force", "scenario from-session abc --out s.json --force"],
  ["sessions list --session-provider codex", "sessions list --provider codex"],
  ["sessions inspect abc --json", "sessions inspect abc --json"],
  ["", ""]
]

describe("the flat flags of the source documents", () => {
  for (const [flat, command] of cases) {
    it(`\`${flat}\` is \`${command}\``, () => {
      const words = (line: string) => line.split(" ").filter((word) => word !== "")
      assert.deepStrictEqual(rewriteFlatFlags(words(flat)), words(command))
    })
  }
})
