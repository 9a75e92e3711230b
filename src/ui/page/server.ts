import type { FoundEvents, LiveLine, SessionPart } from "../messages.ts"

const ask = async <A>(path: string, signal?: AbortSignal): Promise<A> => {
  const answer = await fetch(path, {
    headers: { accept: "application/json" },
    ...(signal === undefined ? {} : { signal })
  })
  if (!answer.ok) throw new Error(await answer.text())
  return await answer.json()
}

export const askForSessions = (count: number): Promise<SessionPart> => ask(`sessions?count=${count}`)

export const askForHits = (words: string, signal: AbortSignal): Promise<FoundEvents> =>
  ask(`search?words=${encodeURIComponent(words)}`, signal)

export type Connection = "connecting" | "connected" | "lost"

/** Listens to what happens; the browser connects again by itself when the connection breaks. */
export const listen = (on: {
  readonly line: (line: LiveLine) => void
  readonly connection: (state: Connection) => void
}): (() => void) => {
  const source = new EventSource("live")
  source.onmessage = (message) => on.line(JSON.parse(message.data))
  source.addEventListener("caught-up", () => on.connection("connected"))
  source.onerror = () => on.connection(source.readyState === EventSource.CLOSED ? "lost" : "connecting")
  return () => source.close()
}
