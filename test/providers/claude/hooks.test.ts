import { assert, describe, it } from "@effect/vitest"
import { claudeHooks, type HookRow } from "../../../src/providers/claude/hooks.ts"
import { payloads, sequence, sequences } from "./fixtures.ts"

const rows: ReadonlyArray<readonly [string, HookRow]> = Object.entries(claudeHooks)
const names = (keep: (row: HookRow) => boolean) =>
  rows
    .filter(([, row]) => keep(row))
    .map(([name]) => name)
    .sort()

describe("the table of Claude's hook events", () => {
  it("has the 34 events of 2.1.332, four of which 2.1.197 does not know", () => {
    assert.strictEqual(rows.length, 34)
    assert.deepStrictEqual(
      names((row) => row.since === "2.1.332"),
      ["DirectoryAdded", "PostModelSwitch", "PreModelSwitch", "PreSkillShellCommand"]
    )
  })

  it("has every event that was captured", () => {
    const captured = [...payloads.map(([, payload]) => payload), ...sequences.flatMap(sequence)]
    const unknown = captured.map((payload) => String(payload.hook_event_name)).filter((name) => !(name in claudeHooks))
    assert.deepStrictEqual(unknown, [])
  })

  it("registers what records a session and nothing that repeats, replaces or gates", () => {
    assert.deepStrictEqual(
      names((row) => row.install),
      [
        "Notification",
        "PermissionRequest",
        "PostCompact",
        "PostModelSwitch",
        "PostToolBatch",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "PreModelSwitch",
        "PreToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "TaskCompleted",
        "TaskCreated",
        "UserPromptExpansion",
        "UserPromptSubmit"
      ]
    )
  })

  it("lets every event but the end open an archive", () => {
    assert.deepStrictEqual(
      names((row) => !row.opens),
      ["SessionEnd"]
    )
    assert.deepStrictEqual(
      names((row) => row.boundary !== "none"),
      ["SessionEnd", "SessionStart"]
    )
  })
})
