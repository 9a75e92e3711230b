import type { SessionSummary } from "../archive/readArchive.ts"
import { sha256 } from "../platform/digest.ts"
import type { SessionRow } from "./messages.ts"

/** The name of a session in addresses: a digest, so that nothing in an address is ever taken for a path. */
export const keyOf = (session: Pick<SessionSummary, "directory">): string => sha256(session.directory).slice(0, 20)

export const sessionRow = (session: SessionSummary): SessionRow => {
  const { manifest } = session
  return {
    key: keyOf(session),
    session_id: manifest.session_id,
    provider: manifest.provider,
    status: session.status,
    mode: manifest.recording_mode,
    started_at: manifest.started_at,
    ended_at: manifest.ended_at ?? null,
    branch: manifest.repository_branch ?? null,
    event_count: manifest.event_count,
    byte_count: manifest.byte_count ?? 0,
    redaction_count: manifest.redaction_count ?? 0
  }
}
