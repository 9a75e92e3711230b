import { assert, describe, it } from "@effect/vitest"
import type { SessionSummary } from "../../../src/archive/readArchive.ts"
import { renderSessionList } from "../../../src/cli/render/sessions.ts"
import { widthOf } from "../../../src/cli/render/text.ts"

const session = (id: string) =>
  ({
    status: "completed",
    directory: `/${id}`,
    manifest: { session_id: id, started_at: "2026-08-16T12:00:00.000Z", event_count: 5 }
  }) as unknown as SessionSummary

/** The first column, without the mark of a cut. */
const shownIds = (ids: ReadonlyArray<string>, columns: number): ReadonlyArray<string> =>
  renderSessionList(ids.map(session), columns)
    .split("\n")
    .slice(1, -1)
    .map((line) => line.replace(/ .*$/, "").replace(/…$/, ""))

describe("the list of sessions", () => {
  const replays = [
    "claude:replay-20260816-120001-1f0a3b5c7d9e2f40",
    "claude:replay-20260816-120001-1f7a3b5c7d9e2f41",
    "claude:replay-20260816-120204-aaaaaaaaaaaaaaaa",
    "claude:5f0d7c1e-8a52-4b7f-9c34-2d1f60b7a9e3"
  ]

  it("shows enough of each id to name its session by, on any width that has room for it", () => {
    for (const columns of [72, 80, 100, 120, 200]) {
      const shown = shownIds(replays, columns)
      for (const [at, beginning] of shown.entries()) {
        assert.deepStrictEqual(
          replays.filter((id) => id.startsWith(beginning)),
          [replays[at]],
          `${columns}: ${beginning}`
        )
      }
      for (const line of renderSessionList(replays.map(session), columns).split("\n")) {
        assert.isAtMost(widthOf(line), columns)
      }
    }
  })

  it("cuts ids that differ early before it leaves out what else there is to know", () => {
    const uuids = ["claude:5f0d7c1e-8a52-4b7f-9c34-2d1f60b7a9e3", "claude:aaaa7c1e-8a52-4b7f-9c34-2d1f60b7a9e3"]
    assert.include(renderSessionList(uuids.map(session), 80), "STARTED")
  })
})
