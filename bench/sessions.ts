// What a benchmark records into: a project with recording on, and sessions of any length. Bundled by scripts/bench.mjs, because Node 20 runs
// no TypeScript.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Keyring } from "../src/archive/Keyring.ts"
import { LockService } from "../src/archive/LockService.ts"
import { identityDigest, type PreparedEvent } from "../src/archive/preparedEvent.ts"
import { SessionArchive } from "../src/archive/SessionArchive.ts"
import { sessionsRoot } from "../src/archive/sessionDirectory.ts"
import { Toggles } from "../src/control/Toggles.ts"
import { togglesOf } from "../src/domain/mode.ts"
import { sessionId } from "../src/domain/sessionId.ts"
import { timestampOf } from "../src/domain/timestamp.ts"
import { Disk } from "../src/platform/Disk.ts"
import { Host } from "../src/platform/Host.ts"
import { Processes } from "../src/platform/Processes.ts"

const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer)))
const services = Layer.mergeAll(Toggles.layer, SessionArchive.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(LockService.layer, Keyring.layer)),
  Layer.provideMerge(machine)
)

/** Turns recording on, as `lint-ai record start` does. The user's directories come from the environment of this process. */
export const recordProject = (projectRoot: string): Promise<unknown> =>
  Effect.gen(function* () {
    const toggles = yield* Toggles
    yield* toggles.change(projectRoot, "claude", () => togglesOf("capture-only"))
  }).pipe(Effect.provide(services), Effect.runPromise)

/** Events of one append while a session is filled: as many as make the bookkeeping after each append cheap. */
const batch = 2_000

/** Fills a session of a project with tool results. */
export const fillSession = (projectRoot: string, id: string, events: number): Promise<void> =>
  Effect.gen(function* () {
    const archive = yield* SessionArchive
    const key = yield* (yield* Keyring).current
    for (let from = 0; from < events; from += batch) {
      yield* archive.append({
        sessionsRoot: sessionsRoot(projectRoot, "claude"),
        id: sessionId("claude", id),
        events: Array.from(
          { length: Math.min(batch, events - from) },
          (_, n): PreparedEvent => ({
            identity: identityDigest(key, [id, String(from + n)]),
            timestamp: timestampOf(Date.UTC(2026, 2, 14) + (from + n) * 1000),
            kind: "tool_result",
            turn_id: "cfa7c120-4449-4847-866c-566cc2a098a2",
            provider_ids: { tool_use_id: `toolu_filled_${from + n}` },
            payload: { tool_name: "Bash", input: { command: `step ${from + n}` }, response: "done", duration_ms: 48 },
            redactions: []
          })
        ),
        opens: true,
        opening: Effect.succeed({ provider: "claude", project_root: projectRoot, recording_mode: "capture-only" }),
        lockWaitMs: 5_000,
        elapsedMs: () => 1
      })
    }
  }).pipe(Effect.provide(services), Effect.runPromise)
