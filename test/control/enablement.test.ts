import { assert, describe, it } from "@effect/vitest"
import { type EnablementView, renderEnablement } from "../../src/control/enablement.ts"

const view: EnablementView = {
  provider: "claude",
  mode: "capture-only",
  project: "/home/ada/projects/analytical-engine/mill",
  sessionRoot: ".lint-ai/claude-sessions",
  retrieval: false,
  nativeMemory: "unchanged",
  redactionPolicy: "default-v1",
  redactionRules: { added: 0, allowed: 0 },
  limits: { stringBytes: 8192, eventBytes: 65536, sessionBytes: 256 * 1024 * 1024 },
  command: "lint-ai record stop claude --project /home/ada/projects/analytical-engine/mill"
}

describe("renderEnablement", () => {
  it("shows every choice, the warning and the way back in 100 columns", () => {
    assert.strictEqual(
      renderEnablement(view, 100),
      `Record session

Provider       Claude Code
Mode           Capture only
Project        /home/ada/projects/analytical-engine/mill
Session root   .lint-ai/claude-sessions
Retrieval      Off
Native memory  Unchanged
Redaction      default-v1. What looks like a secret is replaced before anything is written.
Size policy    Texts are cut at 8 KiB, prompts and events at 64 KiB. A session grows to 256 MiB.

Will be stored on this machine: your prompts, the agent's answers, every tool call with its input
and result (also commands and the text of files that the agent reads or writes), times and token
counts.

Redaction finds common kinds of secrets, not all of them, and no names or other private matters.
Nothing leaves this machine unless you export it.

Turn it off with
  lint-ai record stop claude --project /home/ada/projects/analytical-engine/mill
`
    )
  })

  it("keeps its columns in a terminal of 40", () => {
    assert.strictEqual(
      renderEnablement(view, 40).split("\n\n")[1],
      `Provider       Claude Code
Mode           Capture only
Project        /home/ada/projects/
               analytical-engine/mill
Session root   .lint-ai/claude-sessions
Retrieval      Off
Native memory  Unchanged
Redaction      default-v1. What looks
               like a secret is replaced
               before anything is
               written.
Size policy    Texts are cut at 8 KiB,
               prompts and events at
               64 KiB. A session grows
               to 256 MiB.`
    )
  })

  it.each([30, 40, 57, 80, 100])("fits into %i columns, but for the command, which stays whole", (columns) => {
    const long = { ...view, sessionRoot: `/mnt/${"x".repeat(130)}/${"😀".repeat(40)}/sessions` }
    const text = renderEnablement(long, columns)
    const lines = text.split("\n")
    assert.include(lines, `  ${view.command}`)
    for (const line of lines.filter((one) => !one.includes(view.command))) {
      assert.isAtMost(Array.from(line).length, columns)
      assert.strictEqual(line, line.trimEnd())
    }
    const root = text.slice(text.indexOf("Session root") + 12, text.indexOf("Retrieval")).replace(/\s/g, "")
    assert.strictEqual(root, long.sessionRoot)
  })

  it("says what the other modes do", () => {
    const assist = renderEnablement({ ...view, mode: "assist", retrieval: true, nativeMemory: "off" }, 100)
    assert.include(assist, "Mode           Assist\n")
    assert.include(assist, "Retrieval      On. Memories may be put into the agent's context.\n")
    assert.include(assist, "Native memory  Off in this session\n")
    const switches = `Turn recording off with\n  ${view.command}\nTurn memory off with\n  lint-ai disable claude\n`
    assert.isTrue(assist.endsWith(switches), "recording and memory are two switches")
    const off = renderEnablement({ ...view, mode: "off", command: "lint-ai record start claude" }, 100)
    assert.include(off, "Nothing will be stored")
    assert.notInclude(off, "Will be stored")
    assert.include(off, "Turn it on with\n  lint-ai record start claude\n")
  })

  it("does not pass control characters of a path on to the terminal", () => {
    const text = renderEnablement({ ...view, project: "/tmp/\u001b[2J\nMode           Off" }, 100)
    assert.notInclude(text, "\u001b")
    assert.strictEqual(text.split("\n").filter((line) => line.startsWith("Mode")).length, 1)
  })
})
