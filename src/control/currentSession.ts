import type { SessionSummary } from "../archive/readArchive.ts"
import type { Provider } from "../domain/provider.ts"
import { type SessionId, sessionId } from "../domain/sessionId.ts"

/** What a program that an agent has started knows of the session that it serves. */
export interface SessionHints {
  readonly provider: Provider
  /** The provider's id as the call itself says it. */
  readonly named: string | undefined
  /** The provider's id as the environment says it: that of the session in which the program was started. */
  readonly inherited: string | undefined
  /** The process that started the program. */
  readonly parentPid: number
}

/**
 * The session that runs now, and its archive while it is recorded.
 *
 * The call's own word counts most. Then the recorded session of the very agent that started us, because an agent may begin another session
 * (`/clear`) without starting its servers again; then the environment's word; then the newest session that is being recorded.
 *
 * @param sessions archives of the provider in the project, newest first
 */
export const currentSession = (
  sessions: ReadonlyArray<SessionSummary>,
  hints: SessionHints
): { readonly id: SessionId; readonly archive: SessionSummary | undefined } | undefined => {
  const active = sessions.filter((session) => session.status === "active")
  const named = (id: string) => {
    const full = sessionId(hints.provider, id)
    return { id: full, archive: active.find((session) => session.manifest.session_id === full) }
  }
  if (hints.named !== undefined && hints.named !== "") return named(hints.named)
  const own = active.find((session) => session.manifest.agent_process?.pid === hints.parentPid)
  if (own !== undefined) return { id: own.manifest.session_id, archive: own }
  if (hints.inherited !== undefined && hints.inherited !== "") return named(hints.inherited)
  const [newest] = active
  return newest === undefined ? undefined : { id: newest.manifest.session_id, archive: newest }
}
