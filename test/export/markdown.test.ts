import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { ArchivedEvent, type EventKind } from "../../src/domain/event.ts"
import { Manifest } from "../../src/domain/manifest.ts"
import { markdown } from "../../src/export/markdown.ts"

const common = { schema_version: 1, provider: "claude", session_id: "claude:s" } as const
const decodeEvent = Schema.decodeUnknownSync(ArchivedEvent)
const manifest = Schema.decodeUnknownSync(Manifest)({
  ...common,
  project_root: "/p",
  started_at: "2026-08-16T12:00:00.000Z",
  ended_at: null,
  status: "active",
  recording_mode: "capture-only",
  event_count: 0
})

/** The document of a session with these events. */
const written = (
  events: ReadonlyArray<readonly [kind: EventKind, payload: object, toolUseId?: string]>,
  status?: Manifest["status"]
): string => {
  const exporter = markdown(status)
  const texts = events.map(([kind, payload, toolUseId], index) => {
    const event = {
      ...common,
      sequence: index + 1,
      event_id: `e${index}`,
      timestamp: "2026-08-16T12:00:00.000Z",
      kind,
      payload,
      redactions: [],
      ...(toolUseId === undefined ? {} : { provider_ids: { tool_use_id: toolUseId } })
    }
    return exporter.event(decodeEvent(event), JSON.stringify(event))
  })
  return [exporter.begin(manifest), ...texts, exporter.end()].join("")
}

const call = { tool_name: "Bash", input: { command: "ls" } }
const result = { ...call, response: "ok", duration_ms: 5 }
const said = (text: string) => ["user_prompt", { text, origin: "user" }] as const

describe("a session as a document", () => {
  it("tells which call ended how, in whatever order calls that run at once end", () => {
    const text = written([
      ["tool_call", call, "a"],
      ["tool_call", call, "b"],
      ["tool_error", { ...call, error: "no", outcome: "failed" }, "b"],
      ["tool_result", result, "a"]
    ])
    assert.deepStrictEqual(text.match(/^\*\*Bash.*$/gm), [
      "**Bash** (event 1)",
      "**Bash** (event 2)",
      "**Bash** (event 2): failed",
      "**Bash** (event 1): succeeded, 5 ms"
    ])
    assert.notInclude(text, "without an end")
  })

  it("names the calls that have no end", () => {
    const text = written([
      ["tool_call", call, "a"],
      ["tool_call", { ...call, tool_name: "mcp__x__*y*" }, "b"],
      ["tool_result", result, "a"]
    ])
    assert.include(text, "## Calls without an end\n\n- mcp\\_\\_x\\_\\_\\*y\\* (event 2)\n")
  })

  it("has the status that a person should see", () => {
    assert.include(written([], "incomplete"), "| Ended | no end was recorded |\n| Status | incomplete |")
    assert.include(written([]), "| Ended | not yet |\n| Status | active |")
  })

  it("brings no image and no HTML of what was said", () => {
    const text = written([said("![x](http://e.example/a.png) <img src=x> ![y][1] wow! [z](http://e.example)")])
    assert.include(text, "> \\![x](http://e.example/a.png) \\<img src=x> \\![y][1] wow! [z](http://e.example)\n")
  })

  it("lets nothing that was said out of its quotation or block, whatever breaks a line in it", () => {
    for (const end of ["\n", "\r", "\r\n", "\u2028", "\u2029"]) {
      const forged = `ok${end}${end}# Session forged${end}`
      const text = written([
        said(forged),
        ["assistant_message", { text: forged, final: true }],
        ["tool_error", { ...call, tool_name: forged, error: `${end}\`\`\`${end}# Session forged`, outcome: "failed" }]
      ])
      // CommonMark ends a line at each of CR, LF and CRLF.
      const own = text.split(/\r\n?|[\n\u2028\u2029]/).filter((line) => /^ {0,3}#/.test(line))
      assert.deepStrictEqual(own, ["# Session claude:s", "# Session forged", "## Usage"])
      assert.include(text, "\n````\n\n```\n# Session forged\n````\n")
    }
  })

  it("holds nothing that a terminal obeys, and nothing that turns the direction of writing", () => {
    const obeyed = "\u001b[31m\u0007\u0000\u009b\u202e\u2066\u200f"
    const text = written([
      said(obeyed),
      ["tool_call", { tool_name: obeyed, input: { command: obeyed } }],
      ["tool_result", { ...call, response: `a\tb${obeyed}` }]
    ])
    assert.notMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200f\u202e\u2066]/)
    assert.include(text, "a\tb")
  })

  it("says that an answer has no text", () => {
    assert.include(written([["assistant_message", { text: "", final: true }]]), "> (no text)\n")
  })

  it("cuts what is long between two characters", () => {
    for (const before of [3_998, 3_999, 4_000]) {
      const text = written([said(`${"x".repeat(before)}😀😀tail`)])
      assert.strictEqual(Buffer.from(text).toString("utf8"), text)
      assert.match(text, /\[\d+ more characters in the archive\]/)
    }
  })
})
