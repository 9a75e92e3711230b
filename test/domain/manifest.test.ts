import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { addTiming, ManifestJson, noTiming } from "../../src/domain/manifest.ts"

const read = Schema.decodeUnknownSync(ManifestJson)

/** What the recorder before this one wrote for a session. */
const older = {
  schema_version: 1,
  session_id: "4f1c09aa-0000-4000-8000-000000000001",
  provider: "claude",
  project_root: "/home/dev/p1",
  started_at: "unix:1786881600",
  ended_at: null,
  status: "active",
  recording_mode: "capture-only",
  event_count: 3,
  last_event: "PreToolUse",
  last_event_at: "unix:1786881700",
  redaction_policy: "default-v1"
}

describe("a manifest of the older recorder", () => {
  it("is read with its raw session id and its times in seconds", () => {
    const manifest = read(JSON.stringify(older))
    assert.strictEqual(manifest.session_id, older.session_id)
    assert.strictEqual(manifest.started_at, "2026-08-16T12:00:00.000Z")
    assert.strictEqual(manifest.ended_at, null)
    assert.strictEqual(manifest.event_count, 3)
  })

  it("that was interrupted is incomplete", () => {
    const interrupted = {
      ...older,
      status: "interrupted",
      ended_at: "unix:1786881800",
      interrupted_at: "unix:1786881800",
      status_reason: "no event for 30 minutes"
    }
    const manifest = read(JSON.stringify(interrupted))
    assert.strictEqual(manifest.status, "incomplete")
    assert.strictEqual(manifest.ended_at, "2026-08-16T12:03:20.000Z")
  })

  it("of a replay says what it replayed", () => {
    const replayed = {
      ...older,
      status: "replayed",
      recording_mode: "replay",
      run_type: "replay",
      replay_of_session_id: "4f1c09aa-0000-4000-8000-000000000001",
      recording_enabled: true,
      lint_ai_enabled: false,
      prompt_count: 2
    }
    const manifest = read(JSON.stringify(replayed))
    assert.strictEqual(manifest.status, "completed")
    assert.strictEqual(manifest.run_type, "replay")
    assert.strictEqual(manifest.replay_of_session_id, older.session_id)
    assert.strictEqual(manifest.prompt_count, 2)
    assert.strictEqual(manifest.lint_ai_enabled, false)
  })

  for (const [written, provider] of [
    ["gemini-cli", "gemini"],
    ["agy", "antigravity"],
    ["codex", "codex"]
  ] as const) {
    it(`whose provider was called ${written} is one of ${provider}`, () => {
      assert.strictEqual(read(JSON.stringify({ ...older, provider: written })).provider, provider)
    })
  }
})

describe("a manifest", () => {
  it("with a field of another type is refused", () => {
    for (const wrong of [{ schema_version: 2 }, { event_count: -1 }, { status: "finished" }, { provider: "copilot" }]) {
      assert.throws(() => read(JSON.stringify({ ...older, ...wrong })))
    }
  })

  it("adds times up with their longest, to a thousandth of a millisecond", () => {
    const timing = [1.25, 0.1, 7.00049].reduce(addTiming, noTiming)
    assert.deepStrictEqual(timing, { count: 3, total: 8.35, max: 7 })
  })
})
