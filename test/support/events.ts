import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { AppendRequest } from "../../src/archive/appendSession.ts"
import { identityDigest, type PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { type SessionId, sessionId } from "../../src/domain/sessionId.ts"
import type { TestUser } from "./recording.ts"

const key = { id: "test", secret: Buffer.from("test") }

/** An event that is ready to be stored; events of one name are one delivery that came more than once. */
export const eventOf = (
  kind: PreparedEvent["kind"],
  name: string,
  payload: unknown,
  more: Partial<PreparedEvent> = {}
): PreparedEvent => ({
  identity: identityDigest(key, [kind, name]),
  timestamp: "2026-08-16T12:00:00.000Z",
  kind,
  payload,
  redactions: [],
  ...more
})

export const started = (name = "start"): PreparedEvent =>
  eventOf("session_start", name, { source: "startup" }, { scope: "run" })
export const prompt = (name: string, text = name): PreparedEvent =>
  eventOf("user_prompt", name, { text, origin: "user" })
export const called = (name: string): PreparedEvent => eventOf("tool_call", name, { tool_name: "Bash" })
export const answered = (name: string): PreparedEvent => eventOf("assistant_message", name, { text: name, final: true })
export const ended = (name = "end", reason = "other"): PreparedEvent =>
  eventOf("session_end", name, { reason }, { scope: "run" })

/** The session that most tests use, and its files. */
export const session = sessionId("claude", "s")
export const filesOf = (user: Pick<TestUser, "project">, id: SessionId = session) =>
  archiveFiles(path.join(sessionsRoot(user.project, "claude"), sessionDirectory(id)))

/** Appends as the recorder does. */
export const append = (
  user: Pick<TestUser, "project">,
  events: ReadonlyArray<PreparedEvent>,
  request: Partial<AppendRequest> = {}
) =>
  Effect.flatMap(SessionArchive, (archive) =>
    archive.append({
      sessionsRoot: sessionsRoot(user.project, "claude"),
      id: session,
      events,
      opens: true,
      opening: Effect.succeed({
        provider: "claude",
        project_root: user.project,
        recording_mode: "capture-only"
      }),
      lockWaitMs: 5_000,
      elapsedMs: () => 1,
      ...request
    })
  )
