import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { usageTotals } from "../../../src/recorder/usageTotals.ts"
import { sequence, sequences } from "./fixtures.ts"
import { replay, summary } from "./recording.ts"

/**
 * What each captured session becomes: `Bash?` is a call, `Bash` its result, `Bash:denied` its error, `~` in a subagent. Model requests are
 * left out.
 */
const expected: Readonly<Record<string, string>> = {
  // One turn, a second run of the same session, a fork of it.
  plain: "start:startup prompt Bash? Bash answer end:other",
  "plain-resumed": "start:resume prompt answer end:other",
  "plain-forked": "start:fork prompt Bash? Bash answer end:other",
  ephemeral: "start:startup prompt Bash? Bash answer end:other",

  // Commands that fail, patches that do not apply, a patch that a shell command applied, a tool that does not exist.
  tools: "start:startup prompt Bash? Bash Bash? Bash:failed apply_patch? apply_patch answer end:other",
  "code-mode": "start:startup prompt Bash? Bash Bash? Bash:failed apply_patch? apply_patch answer end:other",
  patches:
    "start:startup prompt apply_patch? apply_patch apply_patch? apply_patch apply_patch? apply_patch apply_patch? apply_patch:invalid Bash? Bash no_such_tool:invalid answer end:other",
  parallel: "start:startup prompt Bash? Bash? Bash Bash view_image? view_image:failed answer end:other",
  "invalid-input": "start:startup prompt Bash:invalid answer end:other",
  goals: "start:startup prompt get_goal? get_goal create_goal? create_goal answer Interrupt end:other",
  mcp: "start:startup prompt mcp__tiny__echo? mcp__tiny__echo mcp__tiny__fail? mcp__tiny__fail:failed mcp__tiny__plain? PermissionRequest mcp__tiny__plain:denied answer end:other",

  // Commands that take long: one that was waited for, with a tool that has no hooks, and one that Codex took along when it ended.
  "long-command": "start:startup prompt Bash? Bash write_stdin? write_stdin answer end:other",
  "left-running": "start:startup prompt Bash? answer Bash:interrupted end:other",

  "denied-by-reviewer": "start:startup prompt Bash? PermissionRequest Bash:denied answer end:other",
  "denied-by-hook":
    "start:startup prompt apply_patch? apply_patch:denied apply_patch? apply_patch:denied apply_patch? apply_patch:denied apply_patch? apply_patch:denied Bash? Bash:denied no_such_tool:invalid answer end:other",

  "failed-turn": "start:startup prompt PostModelRequest answer:failed end:other",
  interrupted: "start:startup prompt Bash? Bash:interrupted Interrupt end:other",
  compaction: "start:startup prompt Bash? Bash compaction:before compaction:after start:compact answer end:other",

  "subagent-v1":
    "start:startup prompt spawn_agent? spawn_agent subagent_start prompt:subagent multi_agent_v1wait_agent? ~Bash? ~Bash subagent_stop multi_agent_v1wait_agent answer end:other",
  "subagent-v2":
    "start:startup prompt collaborationspawn_agent? collaborationspawn_agent subagent_start collaborationwait_agent? ~Bash? ~Bash subagent_stop collaborationwait_agent answer end:other"
}

let directory: string
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-codex-"))
})
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }))

describe("a captured session", () => {
  it("is expected for each capture", () => {
    assert.deepStrictEqual(Object.keys(expected).sort(), [...sequences].sort())
  })

  for (const name of sequences)
    it(`${name} becomes what happened in it`, () => {
      assert.strictEqual(summary(replay(directory, sequence(name)).kept), expected[name])
    })

  for (const name of sequences)
    it(`${name} has the same usage in its hooks and in its rollouts, each response once`, () => {
      const earlier = name === "plain-resumed" ? sequence("plain") : []
      const totals = usageTotals(replay(directory, [...earlier, ...sequence(name)]).kept)
      if (name === "failed-turn") return assert.deepStrictEqual(totals, {})
      if (name === "ephemeral") return assert.deepStrictEqual(Object.keys(totals), ["hook-payload"])
      assert.isDefined(totals["hook-payload"])
      assert.deepStrictEqual(totals["codex-transcript"], totals["hook-payload"])
    })

  for (const name of sequences)
    it(`${name} is the same when every hook runs twice`, () => {
      const once = replay(directory, sequence(name)).kept
      fs.rmSync(directory, { recursive: true })
      const twice = replay(
        directory,
        sequence(name).flatMap((moment) => [moment, moment])
      ).kept
      assert.deepStrictEqual(summary(twice), summary(once))
      assert.deepStrictEqual(usageTotals(twice), usageTotals(once))
    })
})

describe("a session that goes on", () => {
  it("keeps the start of each run, told apart by the process of the agent where a run was killed", () => {
    const recording = replay(directory, sequence("plain"))
    const resumed = sequence("plain-resumed")
    const killed = resumed.slice(0, 3)
    replay(directory, killed, recording, 2)
    replay(directory, resumed, recording, 3)
    const starts = recording.kept.filter((event) => event.kind === "session_start")
    assert.deepStrictEqual(
      starts.map((event) => event.kind === "session_start" && event.payload.source),
      ["startup", "resume", "resume"]
    )
  })

  it("counts no response of an earlier run again", () => {
    const recording = replay(directory, sequence("plain"))
    replay(directory, sequence("plain-resumed"), recording, 2)
    const { "hook-payload": hooks, "codex-transcript": rollouts } = usageTotals(recording.kept)
    assert.deepStrictEqual(rollouts, hooks)
    assert.strictEqual(recording.kept.filter((event) => event.kind === "session_end").length, 2)
  })
})
