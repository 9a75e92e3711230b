import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SessionSummary } from "../archive/readArchive.ts"
import type { SessionScope } from "../control/projectSessions.ts"
import { timestampOf } from "../domain/timestamp.ts"
import type { Disk } from "../platform/Disk.ts"
import { type Changed, FileChanges } from "../platform/FileChanges.ts"
import { beginning, eventsSince, type FollowedEvent, type LogPosition, newestEvents } from "./followLog.ts"
import { openSessionBook } from "./sessionBook.ts"

/** A session that is followed, as it is now. */
export interface LiveSession extends SessionSummary {
  readonly newest: FollowedEvent | undefined
  readonly spooledCount: number
  /** Milliseconds of the last hook that is in the manifest; undefined until one was seen to run. */
  readonly lastHookMs: number | undefined
}

/** What happened since the last look. */
export interface LiveUpdate {
  /** Every session that is followed, newest first. */
  readonly sessions: ReadonlyArray<LiveSession>
  readonly happenings: ReadonlyArray<Happening>
}

/**
 * `appeared`: a session that was not followed before, with its newest events. `event`: one more. `cut`: its log was shortened or replaced. `left`: it is
 * not active any more, or gone; `status` says how it ended.
 */
export type Happening =
  | {
      readonly _tag: "appeared"
      readonly session: LiveSession
      readonly newest: ReadonlyArray<FollowedEvent>
    }
  | {
      readonly _tag: "event"
      readonly session: LiveSession
      readonly followed: FollowedEvent
      readonly hookMs: number | undefined
    }
  | { readonly _tag: "cut"; readonly session: LiveSession }
  | { readonly _tag: "left"; readonly session: LiveSession }

/** What is followed. */
export interface Live {
  /** What there is now. */
  readonly first: Effect.Effect<LiveUpdate>
  /** Waits for something to happen, or for a moment in which nothing did. */
  readonly next: Effect.Effect<LiveUpdate>
}

/** How long nothing needs to happen before we look anyway: whether an agent has gone, no file tells. */
const quietMs = 5_000

interface Following {
  readonly session: LiveSession
  readonly position: LogPosition
}

/**
 * Follows the active sessions of a scope, or one session whatever its state, while hooks write them. Takes no lock and changes nothing. An event
 * costs the reading of that event; a moment in which nothing happens costs a look at each archive's manifest, and nothing of it is read.
 *
 * @param options `directory`: the one archive that is followed; `last`: how many events of a session are told when it appears
 */
export const openLive = Effect.fn("openLive")(function* (
  scope: SessionScope,
  options: { readonly directory?: string | undefined; readonly last: number }
) {
  const book = yield* openSessionBook(scope)
  const watching = yield* Effect.flatMap(FileChanges, ({ watch }) => watch)
  const began = timestampOf(yield* Clock.currentTimeMillis)
  let following: ReadonlyMap<string, Following> | undefined
  /** Those that left, where they may go on. */
  const left = new Map<string, Following>()

  const look = Effect.fnUntraced(function* (changed: Changed) {
    const all = yield* book.refresh(changed)
    const wanted = all.filter((one) =>
      options.directory === undefined ? one.status === "active" : one.directory === options.directory
    )
    const next = new Map<string, Following>()
    const happenings: Array<Happening> = []
    for (const summary of wanted) {
      const { directory } = summary
      const before = following?.get(directory) ?? left.get(directory)
      // Of a session that begins while we watch, everything is told that happened since.
      const wants = following === undefined ? { last: options.last } : { since: began }
      const seen = before === undefined ? yield* appear(summary, wants) : yield* goOn(summary, before)
      if (left.delete(directory)) happenings.push({ _tag: "appeared", session: seen.following.session, newest: [] })
      happenings.push(...seen.happenings)
      next.set(summary.directory, seen.following)
    }
    for (const [directory, { session, position }] of following ?? []) {
      if (next.has(directory)) continue
      const ended = all.find((one) => one.directory === directory)
      // Its last events came with its end.
      const seen = ended === undefined ? undefined : yield* goOn(ended, { session, position })
      happenings.push(...(seen?.happenings ?? []), { _tag: "left", session: seen?.following.session ?? session })
      if (seen !== undefined) left.set(directory, seen.following)
    }
    following = next
    yield* watching.observe([...(yield* book.places), ...next.keys()])
    return { sessions: [...next.values()].map(({ session }) => session), happenings } satisfies LiveUpdate
  })

  const within = Effect.provideContext(yield* Effect.context<Disk>())
  return {
    first: within(look("all")),
    next: within(Effect.flatMap(watching.next(quietMs), look))
  } satisfies Live
})

/** How many events of a session are told at most when it begins while we watch. */
const mostAtOnce = 64

const appear = Effect.fnUntraced(function* (
  summary: SessionSummary,
  wants: { readonly last: number } | { readonly since: string }
) {
  const count = "last" in wants ? Math.max(1, wants.last) : mostAtOnce
  const seen = yield* newestEvents(summary.directory, summary.manifest, count).pipe(
    Effect.orElseSucceed(() => ({ events: [], position: beginning, spooledCount: 0 }))
  )
  const session: LiveSession = {
    ...summary,
    newest: seen.events.at(-1),
    spooledCount: seen.spooledCount,
    lastHookMs: undefined
  }
  const newest =
    "since" in wants
      ? seen.events.filter(({ event }) => event.timestamp >= wants.since)
      : wants.last === 0
        ? []
        : seen.events
  return {
    following: { session, position: seen.position },
    happenings: [{ _tag: "appeared", session, newest }] satisfies ReadonlyArray<Happening>
  }
})

const goOn = Effect.fnUntraced(function* (summary: SessionSummary, { session: before, position }: Following) {
  const seen = yield* eventsSince(summary.directory, summary.manifest, position).pipe(
    Effect.orElseSucceed(() => ({ events: [], position, spooledCount: before.spooledCount, cut: false }))
  )
  const hookMs = between(before.manifest.timing?.recording, summary.manifest.timing?.recording)
  const session: LiveSession = {
    ...summary,
    newest: seen.events.at(-1) ?? before.newest,
    spooledCount: seen.spooledCount,
    lastHookMs: hookMs ?? before.lastHookMs
  }
  const happenings: ReadonlyArray<Happening> = [
    ...(seen.cut ? [{ _tag: "cut", session } as const] : []),
    ...seen.events.map(
      (followed): Happening => ({ _tag: "event", session, followed, hookMs: followed.spooled ? undefined : hookMs })
    )
  ]
  return { following: { session, position: seen.position }, happenings }
})

interface Times {
  readonly count: number
  readonly total: number
}

/** Milliseconds of a hook that ran between two readings of a manifest, on average where several did. */
const between = (before: Times | undefined, after: Times | undefined): number | undefined => {
  const count = (after?.count ?? 0) - (before?.count ?? 0)
  if (after === undefined || count <= 0) return undefined
  return Math.round(((after.total - (before?.total ?? 0)) / count) * 1000) / 1000
}
