import * as Effect from "effect/Effect"
import type { Live, LiveUpdate } from "../live/Live.ts"
import { watchLines } from "../live/watchLine.ts"
import type { Listener } from "../platform/LoopbackServer.ts"
import type { LiveLine } from "./messages.ts"
import { keyOf } from "./sessionRow.ts"

/** How many of the last lines of each session a listener begins with. */
const keptLines = 200
/** Proxies and browsers give up on a connection on which nothing is said. */
const silenceMs = 15_000
const mostListeners = 24

/** Tells everybody who listens what happens in the sessions that are being recorded, in the form of server-sent events. */
export const openLiveFeed = Effect.fn("openLiveFeed")(function* (live: Live) {
  const listeners = new Set<Listener>()
  const kept = new Map<string, Array<LiveLine>>()

  const tell = (text: string): void => {
    for (const listener of [...listeners]) if (!listener.send(text)) listeners.delete(listener)
  }
  const take = (update: LiveUpdate): void => {
    for (const happening of update.happenings) {
      const key = keyOf(happening.session)
      const lines = watchLines(happening).map((line): LiveLine => ({ ...line, key }))
      if (happening._tag === "left") kept.delete(key)
      else {
        const own = [...(kept.get(key) ?? []), ...lines.filter((line) => line.type === "event")]
        kept.set(key, own.slice(-keptLines))
      }
      for (const line of lines) tell(asEvent(line))
    }
    current = update
  }
  let current: LiveUpdate = yield* live.first
  take(current)
  yield* Effect.forkScoped(Effect.forever(Effect.map(live.next, take)))
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.sleep(silenceMs),
        Effect.sync(() => tell(": nothing new\n\n"))
      )
    )
  )

  return {
    /** A body for who listens; undefined when there are too many. */
    join: (): ((listener: Listener) => () => void) | undefined => {
      if (listeners.size >= mostListeners) return undefined
      return (listener) => {
        listener.send("retry: 1000\n\n")
        for (const session of current.sessions) {
          const key = keyOf(session)
          const happening = { _tag: "appeared", session, newest: [] } as const
          for (const line of watchLines(happening)) listener.send(asEvent({ ...line, key }))
          for (const line of kept.get(key) ?? []) listener.send(asEvent(line))
        }
        listener.send("event: caught-up\ndata: {}\n\n")
        listeners.add(listener)
        return () => void listeners.delete(listener)
      }
    }
  }
})

const asEvent = (line: LiveLine): string => `data: ${JSON.stringify(line)}\n\n`
