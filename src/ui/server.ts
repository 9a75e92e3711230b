import * as Effect from "effect/Effect"
import type { SessionSummary } from "../archive/readArchive.ts"
import type { SessionScope } from "../control/projectSessions.ts"
import { eventKinds } from "../domain/event.ts"
import { openLive } from "../live/Live.ts"
import { openSessionBook } from "../live/sessionBook.ts"
import { sameDigest } from "../platform/digest.ts"
import { Host } from "../platform/Host.ts"
import { type LoopbackRequest, type LoopbackResponse, LoopbackServer } from "../platform/LoopbackServer.ts"
import { searchSessions } from "../search/searchSessions.ts"
import { sessionHtml } from "../viewer/html.ts"
import { contentPolicy } from "../viewer/htmlPage.ts"
import { loadPageAssets as loadViewerAssets } from "../viewer/pageAssets.ts"
import {
  admission,
  admit,
  isForAPerson,
  isKnown,
  isRefusal,
  type Keys,
  nothingPolicy,
  strictHeaders
} from "./access.ts"
import { openLiveFeed } from "./liveFeed.ts"
import type { FoundEvents, SessionPart } from "./messages.ts"
import { loadPageAssets } from "./pageAssets.ts"
import { keyOf, sessionRow } from "./sessionRow.ts"
import { entrance, uiPage, uiPolicy } from "./uiPage.ts"

/** How many sessions one part of the list has at most, and events one search. */
const longestPart = 500
const mostHits = 200

/** Where the browser begins. */
export interface Doors {
  readonly port: number
  /** An address that lets one browser in. Each can be used once; then there is another, which `onUsed` is told. */
  readonly url: string
}

/**
 * Serves the sessions of a project to the browser of this user, on this machine, until the scope ends. Nothing can be changed through it.
 *
 * @param options `port`: 0 for any; `onUsed` is told the next address when the last one was used
 */
export const serveUi = Effect.fn("serveUi")(function* (
  scope: SessionScope,
  options: { readonly port: number; readonly onUsed: (url: string) => Effect.Effect<void> }
) {
  const host = yield* Host
  const loopback = yield* LoopbackServer
  const book = yield* openSessionBook(scope)
  const feed = yield* openLiveFeed(yield* openLive(scope, { last: 20 }))
  const assets = yield* Effect.promise(loadPageAssets)
  const viewer = yield* Effect.promise(loadViewerAssets)
  const secrets = { base: host.randomHex(12), token: host.randomHex(32) }
  let pass = host.randomHex(32)
  let port = options.port
  const keys = (): Keys => ({ port, ...secrets })
  const doorOf = (): string => `http://127.0.0.1:${port}/enter/${pass}`

  const enter = Effect.fnUntraced(function* (request: LoopbackRequest, given: string) {
    const fits = sameDigest(given, pass)
    if (!fits || !isForAPerson(request)) {
      return text(403, "This address was used before. The terminal in which `lint-ai ui` runs shows the next one.")
    }
    pass = host.randomHex(32)
    yield* options.onUsed(doorOf())
    return {
      status: 200,
      headers: { ...htmlHeaders(nothingPolicy), "set-cookie": admission(keys()) },
      body: entrance(`/${secrets.base}/`)
    } satisfies LoopbackResponse
  })

  const sessionByKey = (sessions: ReadonlyArray<SessionSummary>, key: string) =>
    sessions.find((session) => keyOf(session) === key)

  const answer = Effect.fnUntraced(function* (path: string, query: URLSearchParams) {
    if (path === "") {
      return page(uiPolicy(assets), uiPage(assets))
    }
    if (path === "live") {
      const body = feed.join()
      if (body === undefined) return text(503, "Too many pages listen. Close some.")
      return {
        status: 200,
        headers: { ...strictHeaders(nothingPolicy), "content-type": "text/event-stream; charset=utf-8" },
        body
      } satisfies LoopbackResponse
    }
    const sessions = yield* book.refresh("all")
    if (path === "sessions") {
      const from = whole(query.get("from"), 0)
      const part: SessionPart = {
        project: scope.projectRoot,
        total: sessions.length,
        sessions: sessions.slice(from, from + Math.min(longestPart, whole(query.get("count"), 100))).map(sessionRow)
      }
      return data(part)
    }
    if (path === "search") {
      const words = (query.get("words") ?? "").split(/\s+/).filter((word) => word !== "")
      const kind = eventKinds.find((one) => one === query.get("kind"))
      if (words.length === 0) return data({ hits: [], more: false } satisfies FoundEvents)
      const limit = Math.min(mostHits, whole(query.get("limit"), 50))
      const { hits, more } = yield* searchSessions(sessions, { words: words.slice(0, 16), kind, limit })
      const keyed = hits.map(({ path: directory, ...hit }) => ({ ...hit, key: keyOf({ directory }) }))
      return data({ hits: keyed, more } satisfies FoundEvents)
    }
    const [folder, key = "", ...rest] = path.split("/")
    const session = folder === "session" && rest.length === 0 ? sessionByKey(sessions, key) : undefined
    if (session === undefined) return text(404, "There is nothing here.")
    const { html } = yield* sessionHtml(session.directory)
    return page(`${contentPolicy(viewer)}; frame-ancestors 'none'`, html)
  })

  port = yield* loopback.serve({
    port: options.port,
    handle: (request) =>
      Effect.gen(function* () {
        const target = admit(request, port)
        if (isRefusal(target)) return text(target.status, target.text)
        const [first, ...rest] = target.path.split("/")
        if (first === "enter" && rest.length === 1) return yield* enter(request, rest[0] ?? "")
        if (!isKnown(request, keys())) {
          return text(403, "The terminal in which `lint-ai ui` runs shows the address that lets you in.")
        }
        if (first !== secrets.base || rest.length === 0) return text(404, "There is nothing here.")
        return yield* answer(rest.join("/"), target.query)
      }).pipe(
        Effect.catchCause(() => Effect.succeed(text(500, "This could not be read. `lint-ai doctor` may say why.")))
      )
  })
  return { port, url: doorOf() } satisfies Doors
})

const whole = (given: string | null, otherwise: number): number =>
  given !== null && /^\d{1,9}$/.test(given) ? Number(given) : otherwise

const htmlHeaders = (policy: string) => ({ ...strictHeaders(policy), "content-type": "text/html; charset=utf-8" })

const page = (policy: string, html: string): LoopbackResponse => ({
  status: 200,
  headers: htmlHeaders(policy),
  body: html
})

const data = (value: unknown): LoopbackResponse => ({
  status: 200,
  headers: { ...strictHeaders(nothingPolicy), "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value)
})

const text = (status: number, words: string): LoopbackResponse => ({
  status,
  headers: {
    ...strictHeaders(nothingPolicy),
    "content-type": "text/plain; charset=utf-8",
    ...(status === 405 ? { allow: "GET, HEAD" } : undefined)
  },
  body: `${words}\n`
})
