import { assert, describe, it } from "@effect/vitest"
import { claudeHooks } from "../../../src/providers/claude/hooks.ts"
import { sequence, sequences } from "./fixtures.ts"
import { read, summary } from "./recording.ts"

/**
 * What each captured session becomes when the registered hooks run: `Bash?` is a call, `Bash` its result, `Bash:denied` its error, `|` another
 * session. A call without an end was interrupted or cut off by a limit.
 */
const expected: Readonly<Record<string, string>> = {
  // One turn, several turns, a resumed session.
  "print-hello": "start:startup prompt answer end:other",
  "print-resume": "start:resume prompt answer end:other",
  "print-continue": "start:resume prompt answer end:other",
  "print-resume-unknown": "end:other",
  "stream-two-turns": "start:startup prompt answer prompt answer end:other",
  "session-title": "start:startup prompt answer end:other",
  "init-only": "start:startup end:other",
  "prompt-blocked": "start:startup prompt end:other",

  // Tools, which work, fail, are denied or invalid.
  "print-basic-bypass":
    "start:startup prompt Bash? Bash Read? Read Bash? Bash:failed Agent? subagent_start Bash? Bash subagent_stop Agent answer end:other",
  "print-basic-bypass-197":
    "start:startup prompt Bash? Bash Read? Read Bash? Bash:failed Agent? subagent_start Bash? Bash subagent_stop Agent answer end:other",
  "print-basic-denied":
    "start:startup prompt Bash? Bash Read? Read Bash? PermissionRequest Bash:denied Agent? subagent_start Bash? Bash subagent_stop Agent answer end:other",
  "permission-allow-by-hook":
    "start:startup prompt Write? PermissionRequest Write Edit? PermissionRequest Edit answer end:other",
  "permission-dontask": "start:startup prompt Write? Write:denied Edit:invalid answer end:other",
  // The hook that denied gave a reason of its own, so its answer proves nothing.
  "permission-deny-by-hook": "start:startup prompt Write? PermissionRequest Write:denied Edit:invalid answer end:other",
  cd: "start:startup prompt Bash? Bash Bash? Bash answer end:other",
  "nested-memory": "start:startup prompt Read? Read answer end:other",
  tasks:
    "start:startup prompt TaskCreate? TaskCreated TaskCreate TaskUpdate? TaskUpdate TaskUpdate? TaskCompleted TaskUpdate answer end:other",
  skill: "start:startup prompt Skill? Skill answer end:other",
  mcp: "start:startup mcp__tiny__echo? mcp__tiny__echo mcp__tiny__echo? mcp__tiny__echo:failed",
  elicitation: "start:startup prompt mcp__asker__ask? Notification mcp__asker__ask answer end:other",

  // A slash command is one prompt of the user and its expansion.
  "slash-command": "start:startup prompt prompt:expansion answer end:other",

  // Subagents in the background: their end is told by a prompt that nobody typed.
  "agent-background":
    "start:startup prompt Agent? subagent_start Agent Bash? answer Bash subagent_stop prompt:task-notification answer end:other",
  "agent-default-background":
    "start:startup prompt Agent? subagent_start Agent Bash? answer Bash subagent_stop prompt:task-notification answer end:other",
  "interactive-watch-adddir-bgagent":
    "start:startup prompt Agent? Agent subagent_start Bash? answer Bash subagent_stop prompt:task-notification answer end:prompt_input_exit",

  // What ends early.
  "max-turns": "start:startup prompt Bash? Bash Read? Read end:other",
  "max-budget": "start:startup prompt Bash? Bash Read? end:other",
  "signal-term": "start:startup prompt Bash? end:other",
  "signal-kill": "start:startup prompt Bash?",
  "api-error-400": "start:startup prompt answer:unknown end:other",
  "api-error-401": "start:startup prompt answer:authentication_failed end:other",
  "api-retry-529": "start:startup prompt answer end:other",

  // A person at the terminal: approvals, interrupts, /compact, /clear, !command (an answer without a prompt), /model, skills.
  "interactive-auto-mode-reject":
    "start:startup prompt Bash? Bash Read? Read Bash? Notification Notification end:prompt_input_exit",
  "interactive-mcp-then-hangup":
    "start:startup prompt mcp__tiny__echo? PermissionRequest mcp__tiny__echo mcp__tiny__echo? PermissionRequest answer end:other",
  "interactive-long-197":
    "start:startup prompt Bash? prompt Write? PermissionRequest prompt Agent? subagent_start Bash? Bash subagent_stop Agent answer " +
    "prompt:expansion prompt answer compaction:before subagent_stop start:compact compaction:after end:clear " +
    "| start:clear end:prompt_input_exit",
  "interactive-long":
    "start:startup prompt Bash? Bash Read? Read Bash? PermissionRequest Notification Bash:failed Agent? subagent_start Agent Bash? answer Bash " +
    "subagent_stop prompt:task-notification answer compaction:before subagent_stop subagent_stop start:compact compaction:after Notification " +
    "end:clear | start:clear prompt answer answer PreModelSwitch PostModelSwitch prompt prompt:expansion answer prompt prompt:expansion answer " +
    "prompt prompt prompt Bash? prompt Write? PermissionRequest end:prompt_input_exit",

  // Only an event that is never registered.
  worktree: ""
}

const registered = (name: string) =>
  sequence(name).filter(({ hook_event_name: event }) =>
    Object.entries(claudeHooks).some(([known, row]) => known === event && row.install)
  )

describe("a captured session", () => {
  it("is listed here", () => {
    assert.deepStrictEqual(new Set(Object.keys(expected)), new Set(sequences))
  })

  for (const name of sequences) {
    it(`${name} becomes its events`, () => {
      assert.strictEqual(summary(registered(name).map((payload) => read(payload))), expected[name])
    })

    it(`${name} delivered twice is recorded once`, () => {
      const twice = registered(name).flatMap((payload) =>
        // What follows an end is the archive's business: a second end right after the first is a retry.
        payload.hook_event_name === "SessionEnd" ? [read(payload)] : [read(payload), read(payload)]
      )
      assert.strictEqual(summary(twice), expected[name])
    })
  }

  it("is new in its second run, even where the payloads are equal", () => {
    const once = registered("init-only").map((payload) => read(payload))
    assert.strictEqual(summary([...once, ...once]), "start:startup end:other start:startup end:other")
  })

  it("starts anew in another process when the first was killed", () => {
    const [start] = registered("print-resume")
    const runs = [
      read(start, { CLAUDE_PID: "100" }),
      read(start, { CLAUDE_PID: "100" }),
      read(start, { CLAUDE_PID: "200" })
    ]
    assert.strictEqual(summary(runs), "start:resume start:resume")
  })
})
