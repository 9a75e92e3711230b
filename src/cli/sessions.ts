import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { SessionSummary } from "../archive/readArchive.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { findSessions, rootsOf, type SessionScope } from "../control/projectSessions.ts"
import { NotAdopted, Toggles } from "../control/Toggles.ts"
import { providers, providerTitles } from "../domain/provider.ts"
import { mostSlips, slipsBetween } from "../domain/slips.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { NoSessions, SessionAmbiguous, SessionNotFound, SessionUnreadable } from "./errors.ts"
import { projectOf } from "./project.ts"
import { told } from "./render/diskWords.ts"
import { plain } from "./render/text.ts"
import { note } from "./report.ts"

/** The flags with which commands name sessions. */
export interface ScopeFlags {
  readonly project: string | undefined
  readonly provider: SessionScope["provider"]
  readonly sessionRoot: string | undefined
}

export const scopeOf = Effect.fn("scopeOf")(function* (flags: ScopeFlags) {
  const host = yield* Host
  return {
    projectRoot: yield* projectOf(flags.project),
    provider: flags.provider,
    sessionRoot: flags.sessionRoot === undefined ? undefined : path.resolve(host.cwd, flags.sessionRoot)
  } satisfies SessionScope
})

/** The session that a command's argument and flags mean. */
export const sessionIn = (flags: ScopeFlags & { readonly session: string | undefined }) =>
  Effect.flatMap(scopeOf(flags), (scope) => findSession(scope, flags.session))

/** What a listing does on its way: takes spools into their logs and writes checksums that are missing. Failures leave an archive as it is. */
export const settle = Effect.fn("settle")(function* (sessions: ReadonlyArray<SessionSummary>) {
  const archive = yield* SessionArchive
  let settled = 0
  for (const session of sessions) {
    const unsettled = yield* archive
      .isUnsettled(session.directory, session.manifest)
      .pipe(Effect.orElseSucceed(() => false))
    if (!unsettled) continue
    yield* archive.recover(session.directory).pipe(Effect.ignore)
    settled++
  }
  return settled
})

/** Removes archives one after another. One that cannot be removed keeps nobody from the others, and is told. */
export const removeEach = Effect.fn("removeEach")(function* <S extends { readonly directory: string }>(
  sessions: ReadonlyArray<S>,
  by: "delete" | "prune"
) {
  const archive = yield* SessionArchive
  const removed: Array<S> = []
  const left: Array<string> = []
  for (const one of sessions) {
    const error = yield* archive
      .remove(one.directory, by)
      .pipe(Effect.match({ onSuccess: () => undefined, onFailure: (error) => error }))
    if (error === undefined) removed.push(one)
    else {
      left.push(one.directory)
      yield* note(`${plain(told(error))}\n`)
    }
  }
  return { removed, left }
})

/** What makes sessions where there are none: that depends on what was asked for, and on what keeps them away. */
const firstSession = Effect.fn("firstSession")(function* ({ projectRoot, provider, sessionRoot }: SessionScope) {
  if (sessionRoot !== undefined) {
    const status = yield* Effect.flatMap(Disk, (disk) => disk.status(sessionRoot)).pipe(
      Effect.orElseSucceed(() => undefined)
    )
    const those = "without --session-root those of the project are looked at."
    return status === undefined ? `It does not exist; ${those}` : `${those.charAt(0).toUpperCase()}${those.slice(1)}`
  }
  const toggles = yield* Toggles
  const consent = yield* toggles.read(projectRoot)
  if (consent._tag === "inert") return new NotAdopted({ projectRoot, reason: consent.reason }).message
  const chosen = consent._tag === "adopted" ? consent.providers : {}
  const recorded = providers
    .filter((one) => (provider === undefined || one === provider) && chosen[one]?.recording === true)
    .map((one) => providerTitles[one])
  if (recorded.length > 0) return `Recording is on: work with ${recorded.join(" or ")}.`
  return provider === undefined
    ? "Turn recording on with `lint-ai init`, then work with your agent."
    : `Turn recording on with \`lint-ai install ${provider} --session-recording capture-only\`, then work with ${providerTitles[provider]}.`
})

export const noSessions = (scope: SessionScope) =>
  Effect.flatMap(firstSession(scope), (remedy) => Effect.fail(new NoSessions({ ...scope, remedy })))

/**
 * The session that a person means: by its id with or without the provider, by its directory's name or path, or by the beginning of one of them when
 * only one fits. Without a name, the newest.
 */
export const findSession = Effect.fn("findSession")(function* (scope: SessionScope, given: string | undefined) {
  const found = yield* findSessions(scope)
  const roots = yield* rootsOf(scope)
  const { sessions } = found
  const unreadable = found.unreadable.filter((one) => !roots.includes(one))
  if (given === undefined) {
    const [newest] = sessions
    if (newest !== undefined) return newest
    const [damaged] = unreadable
    return damaged === undefined ? yield* noSessions(scope) : yield* new SessionUnreadable({ directory: damaged })
  }
  const matches = matching(sessions, given)
  const [only, ...others] = matches
  if (only === undefined) {
    const directory = unreadableNamed(unreadable, given)
    if (directory !== undefined) return yield* new SessionUnreadable({ directory })
    return yield* new SessionNotFound({ given, near: nearest(sessions, given) })
  }
  if (others.length > 0) {
    return yield* new SessionAmbiguous({ given, matches: matches.map((session) => session.manifest.session_id) })
  }
  return only
})

/** The one archive without a readable manifest that a person means by its directory, or by the beginning of that or of the id behind the agent's name. */
export const unreadableNamed = (unreadable: ReadonlyArray<string>, given: string): string | undefined => {
  const wanted = given.replace(/[/\\]+$/, "").replace(":", "-")
  if (wanted === "") return undefined
  const names = (directory: string) => {
    const name = path.basename(directory)
    return [name, name.slice(name.indexOf("-") + 1)]
  }
  const exact = unreadable.find((directory) => names(directory).includes(wanted) || directory === path.resolve(given))
  if (exact !== undefined) return exact
  const [only, ...others] = unreadable.filter((directory) => names(directory).some((name) => name.startsWith(wanted)))
  return others.length === 0 ? only : undefined
}

const namesOf = (session: SessionSummary): ReadonlyArray<string> => {
  const { session_id } = session.manifest
  return [session_id, session_id.slice(session_id.indexOf(":") + 1), path.basename(session.directory)]
}

const matching = (sessions: ReadonlyArray<SessionSummary>, given: string): ReadonlyArray<SessionSummary> => {
  const wanted = given.replace(/[/\\]+$/, "")
  // A whole id means itself, also where another one is that with a provider before it (older recorders wrote none).
  const named = sessions.filter((session) => session.manifest.session_id === wanted)
  if (named.length > 0) return named
  const exact = sessions.filter(
    (session) => namesOf(session).includes(wanted) || session.directory === path.resolve(wanted)
  )
  if (exact.length > 0 || wanted === "") return exact
  return sessions.filter((session) => namesOf(session).some((name) => name.startsWith(wanted)))
}

/** More is not shown. */
const mostNear = 10

/**
 * Ids that may have been meant: those that share a long beginning with what was given, and those of whose beginning it differs by a slip or two.
 */
const nearest = (sessions: ReadonlyArray<SessionSummary>, given: string): ReadonlyArray<string> => {
  const common = (name: string): number => {
    let length = 0
    while (length < name.length && name[length] === given[length]) length++
    return length
  }
  return sessions
    .map((session) => {
      const names = namesOf(session)
      return {
        id: session.manifest.session_id,
        shared: Math.max(...names.map(common)),
        slips: Math.min(...names.map((name) => slipsBetween(given, name.slice(0, given.length))))
      }
    })
    .filter(
      ({ shared, slips }) =>
        (shared >= 3 && shared >= given.length / 2) || (given.length >= 2 * mostSlips && slips <= mostSlips)
    )
    .sort((a, b) => a.slips - b.slips || b.shared - a.shared)
    .slice(0, mostNear)
    .map(({ id }) => id)
}
