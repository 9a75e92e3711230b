import * as Effect from "effect/Effect"
import { listArchives } from "../archive/readArchive.ts"
import { sessionsRoot } from "../archive/sessionDirectory.ts"
import { type Provider, providers } from "../domain/provider.ts"
import { Toggles } from "./Toggles.ts"

/** Which archives are looked at. */
export interface SessionScope {
  readonly projectRoot: string
  readonly provider?: Provider | undefined
  /** Instead of the roots of the project. */
  readonly sessionRoot?: string | undefined
}

/** The directories that hold a project's archives: the usual one of each provider, and the one that the user chose. */
export const rootsOf = Effect.fn("rootsOf")(function* (scope: SessionScope) {
  if (scope.sessionRoot !== undefined) return [scope.sessionRoot]
  const toggles = yield* Toggles
  const consent = yield* toggles.read(scope.projectRoot)
  const chosen = consent._tag === "adopted" ? consent.providers : {}
  const wanted = scope.provider === undefined ? providers : [scope.provider]
  return [
    ...new Set(
      wanted.flatMap((provider) => [
        sessionsRoot(scope.projectRoot, provider),
        ...(chosen[provider]?.session_root === undefined ? [] : [chosen[provider].session_root])
      ])
    )
  ]
})

/** The archives in scope, newest first, and the directories that could not be read as one. */
export const findSessions = Effect.fn("findSessions")(function* (scope: SessionScope) {
  const found = yield* Effect.forEach(yield* rootsOf(scope), listArchives)
  const sessions = found
    .flatMap((root) => root.sessions)
    .filter((session) => scope.provider === undefined || session.manifest.provider === scope.provider)
    .sort((a, b) => (a.manifest.started_at < b.manifest.started_at ? 1 : -1))
  return { sessions, unreadable: found.flatMap((root) => root.unreadable) }
})
