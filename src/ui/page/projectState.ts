import { computed, signal } from "@preact/signals"
import type { WatchedSession } from "../../live/watchSchema.ts"
import type { FoundEvent, LiveLine, SessionPart } from "../messages.ts"
import { askForHits, askForSessions, type Connection, listen } from "./server.ts"

export type EventLine = Extract<LiveLine, { type: "event" }>

/** A session that is being recorded, with its last events. */
export interface Running {
  readonly key: string
  readonly session: WatchedSession
  readonly lines: ReadonlyArray<EventLine>
}

/** How many lines of a running session are kept, and shown before somebody asks for all of them. */
const keptLines = 500
const firstPart = 100

/** What the page of a project knows. */
export const projectState = () => {
  const part = signal<SessionPart | undefined>(undefined)
  const shownCount = signal(firstPart)
  const running = signal<ReadonlyMap<string, Running>>(new Map())
  const connection = signal<Connection>("connecting")
  const words = signal("")
  const found = signal<
    { readonly words: string; readonly hits: ReadonlyArray<FoundEvent>; readonly more: boolean } | undefined
  >(undefined)
  const problem = signal("")

  const refresh = async () => {
    try {
      part.value = await askForSessions(shownCount.peek())
      problem.value = ""
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  let isDue = false
  /** Soon, and once for everything that happens until then. */
  const refreshSoon = () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      void refresh()
    }, 400)
  }

  const take = (line: LiveLine) => {
    const next = new Map(running.peek())
    const known = next.get(line.key)
    if (line.type === "session") {
      // Told again after a connection was lost, its events come again too.
      next.set(line.key, { key: line.key, session: line, lines: [] })
    } else if (line.type === "left") next.delete(line.key)
    else if (known !== undefined && line.type === "event") next.set(line.key, withEvent(known, line))
    running.value = next
    refreshSoon()
  }

  let asking: AbortController | undefined
  const search = (text: string) => {
    words.value = text
    asking?.abort()
    const wanted = text.trim()
    if (wanted === "") {
      found.value = undefined
      return
    }
    const own = new AbortController()
    asking = own
    setTimeout(() => {
      if (own.signal.aborted) return
      askForHits(wanted, own.signal).then(
        (answer) => {
          found.value = { words: wanted, ...answer }
        },
        (error) => {
          if (!own.signal.aborted) problem.value = error instanceof Error ? error.message : String(error)
        }
      )
    }, 150)
  }

  return {
    part,
    running: computed(() => [...running.value.values()]),
    connection,
    words,
    found,
    problem,
    search,
    showMore: () => {
      shownCount.value += 400
      void refresh()
    },
    start: () => {
      void refresh()
      return listen({
        line: take,
        connection: (state) => {
          connection.value = state
        }
      })
    }
  }
}
export type ProjectState = ReturnType<typeof projectState>

const withEvent = (known: Running, line: EventLine): Running => {
  const { session } = known
  const isNew = line.sequence === null || line.sequence > (session.newest?.sequence ?? 0)
  return {
    ...known,
    lines: [...known.lines, line].slice(-keptLines),
    session: {
      ...session,
      newest: line,
      event_count: Math.max(session.event_count, line.sequence ?? 0),
      redaction_count: session.redaction_count + (isNew ? line.redaction_count : 0),
      hooks: { ...session.hooks, last_ms: line.hook_ms ?? session.hooks.last_ms }
    }
  }
}
