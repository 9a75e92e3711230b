import { assert, describe, it } from "@effect/vitest"
import { redrawing } from "../../../src/cli/render/redrawing.ts"
import { styles, widthOf } from "../../../src/cli/render/text.ts"
import { renderWatch, renderWatchLine } from "../../../src/cli/render/watch.ts"
import type { WatchedSession, WatchLine } from "../../../src/live/watchSchema.ts"

const now = Date.parse("2026-01-01T10:00:30.000Z")
const newest = {
  sequence: 214,
  timestamp: "2026-01-01T10:00:12.345Z",
  kind: "tool_result",
  tool_name: "Bash",
  summary: "npm test",
  redaction_count: 2,
  truncation_count: 0
}
const session: WatchedSession = {
  type: "session",
  session_id: "claude:8fd2ac5e-9b1c-4a86-9c3d-0a6b8f1c2d3e",
  provider: "claude",
  status: "active",
  started_at: "2026-01-01T09:00:00.000Z",
  event_count: 214,
  redaction_count: 3,
  spooled_count: 0,
  newest,
  hooks: { count: 200, average_ms: 14.2, max_ms: 41.5, last_ms: null },
  path: "/p/.lint-ai/claude-sessions/x"
}
const event: WatchLine = { ...newest, type: "event", session_id: session.session_id, hook_ms: 12.3 }
const look = (columns: number, colors = false) => ({ columns, style: styles(colors) })
const linesOf = (text: string) => text.split("\n").slice(0, -1)

describe("the view of sessions that are recorded", () => {
  it("has a row for each, with its newest event, counts and what its hooks take", () => {
    assert.deepStrictEqual(linesOf(renderWatch({ project: "/p", sessions: [session] }, look(120), now)), [
      "1 session is being recorded in /p",
      "",
      "SESSION                                      LAST         TOOL   AGO  EVENTS  REDACTED  HOOK MS  MAX",
      "claude:8fd2ac5e-9b1c-4a86-9c3d-0a6b8f1c2d3e  tool_result  Bash  17 s     214         3       14   42"
    ])
  })

  it("says what to expect when there is none", () => {
    const lines = linesOf(renderWatch({ project: "/p", sessions: [] }, look(40), now))
    assert.strictEqual(lines[0], "No session is being recorded in /p")
    assert.include(lines.join(" "), "lint-ai status")
  })

  it("fits every width and height of a terminal", () => {
    for (const columns of [40, 52, 64, 80, 120, 200]) {
      const sessions = Array.from({ length: 30 }, (_, at) => ({ ...session, spooled_count: at % 2 }))
      const lines = linesOf(renderWatch({ project: "/p", sessions }, look(columns), now, 12))
      assert.isAtMost(lines.length, 12)
      assert.strictEqual(lines.at(-1), "and 22 more")
      for (const line of lines) assert.isAtMost(widthOf(line), columns)
    }
  })
})

describe("a line for what happened", () => {
  it("tells time, number, kind, tool, content, redactions and what the hook took", () => {
    assert.strictEqual(
      renderWatchLine(event, look(Number.POSITIVE_INFINITY), false),
      "10:00:12  #214    tool_result        Bash npm test  2 redacted  12 ms"
    )
    assert.match(
      renderWatchLine(event, look(Number.POSITIVE_INFINITY), true),
      /^10:00:12 {2}claude:8fd2ac5e\S+ {2}#214/
    )
    assert.match(renderWatchLine({ ...event, sequence: null, hook_ms: null }, look(80), false), /^10:00:12 {2}spool /)
  })

  it("fits every width, and prints no control character of what was recorded", () => {
    const hostile = "\u001b]0;title\u0007\u001b[2J\u202eevil\r\n日本語".repeat(20)
    for (const columns of [40, 47, 64, 80, 200]) {
      for (const named of [true, false]) {
        for (const line of [
          event,
          { ...event, summary: hostile, tool_name: hostile, session_id: hostile },
          { ...session, session_id: hostile },
          { type: "cut", session_id: hostile } as const,
          { type: "left", session_id: hostile, status: "completed" } as const
        ]) {
          const text = renderWatchLine(line, look(columns), named)
          assert.isAtMost(widthOf(text), columns)
          assert.notMatch(text, /[\u0000-\u001f\u007f-\u009f\u202e]/)
        }
      }
    }
  })
})

describe("a view that is drawn over", () => {
  it("goes up by the lines of the one before, also when the terminal became narrower", () => {
    const redraw = redrawing()
    assert.strictEqual(redraw("\u001b[1mone\u001b[22m\n\ntwo\n", 80), "\u001b[1mone\u001b[22m\n\ntwo\n")
    assert.strictEqual(redraw("\u001b[1mone\u001b[22m\n\ntwo\n", 80), "", "nothing to draw")
    assert.strictEqual(redraw(`${"x".repeat(50)}\n`, 80), `\u001b[3A\r\u001b[J${"x".repeat(50)}\n`)
    assert.strictEqual(redraw("end\n", 40), "\u001b[2A\r\u001b[Jend\n")
  })
})
