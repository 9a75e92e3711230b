import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { DraftEvent, TranscriptCursor } from "../../src/domain/event.ts"
import { type Provider, providers } from "../../src/domain/provider.ts"
import { CurrentDeadline, type Deadline, unlimited } from "../../src/platform/Deadline.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { adapterFor } from "../../src/providers/registry.ts"
import { unreadTranscripts } from "../../src/recorder/unreadTranscripts.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"
import { payload as antigravityPayload } from "./antigravity/fixtures.ts"
import { payload as geminiPayload } from "./gemini/fixtures.ts"

type Json = Readonly<Record<string, unknown>>

/** The last delivery of a session of each agent, and the name of a transcript that it reads. */
const agents: Readonly<
  Record<Provider, { readonly file: string; readonly event?: string; readonly payload: (file: string) => Json }>
> = {
  claude: {
    file: "session.jsonl",
    payload: (transcript_path) => ({ hook_event_name: "SessionEnd", session_id: "s", reason: "other", transcript_path })
  },
  codex: {
    file: "rollout-2026-11-30T04-09-44-thread.jsonl",
    payload: (transcript_path) => ({
      hook_event_name: "SessionEnd",
      session_id: "thread",
      reason: "other",
      transcript_path
    })
  },
  gemini: {
    file: "session-2026-11-30T03-36-6ada47d5.jsonl",
    payload: (transcript_path) => geminiPayload("SessionEnd-1", { transcript_path })
  },
  antigravity: {
    file: "transcript.jsonl",
    event: "Stop",
    payload: (transcriptPath) => ({ ...antigravityPayload("Stop-1"), transcriptPath })
  }
}

/** A line that no agent's reader takes for anything. */
const filler = `${JSON.stringify({ type: "attachment", text: "x".repeat(1_000_000) })}\n`

describe.each(providers)("the transcript of %s", (provider) => {
  const { file: name, event, payload } = agents[provider]
  const reading = (file: string, cursors: ReadonlyArray<TranscriptCursor>, deadline: Deadline = unlimited) =>
    Effect.gen(function* () {
      const adapter = adapterFor(provider) ?? assert.fail(provider)
      const delivery = yield* adapter.read({ payload: payload(file), event, env: {} })
      return yield* delivery.transcript?.({ cursors, sinceMs: 0 }) ?? Effect.succeed([])
    }).pipe(Effect.provideService(CurrentDeadline, deadline), Effect.provide(Disk.layer), Effect.orDie)
  const cursorsOf = (events: ReadonlyArray<DraftEvent>) =>
    events.flatMap((one) => (one.kind === "turn_usage" ? (one.payload.cursors ?? []) : []))
  const unreadOf = (events: ReadonlyArray<DraftEvent>) => {
    const tally = unreadTranscripts()
    for (const one of events) tally.add(one as never)
    return tally.end().length
  }

  it.effect("is said to go on where a reading took no more of it, and no more once it was read to its end", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, name)
      fs.writeFileSync(file, filler.repeat(20))
      const first = yield* reading(file, [])
      assert.strictEqual(unreadOf(first), 1)
      const second = yield* reading(file, cursorsOf(first))
      assert.strictEqual(unreadOf([...first, ...second]), 0)
      assert.deepStrictEqual(cursorsOf(yield* reading(file, cursorsOf(second))), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is said to go on where the time was over in the middle of it", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, name)
      fs.writeFileSync(file, filler.repeat(5))
      let asked = 0
      // Each question takes 500 of 2000 ms; 500 are left to write what was read.
      const over: Deadline = { budgetMs: 2000, remainingMs: () => 2000 - 500 * asked++ }
      const first = yield* reading(file, [], over)
      assert.strictEqual(unreadOf(first), 1)
      const second = yield* reading(file, cursorsOf(first))
      assert.strictEqual(unreadOf([...first, ...second]), 0)
      const identities = [...first, ...second].flatMap((one) =>
        one.kind === "turn_usage" ? [one.identity.join()] : []
      )
      assert.strictEqual(new Set(identities).size, 2)
    }).pipe(Effect.scoped)
  )
})
