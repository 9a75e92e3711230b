import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { DraftEvent } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { subtractTokens, type Tokens } from "../../domain/usage.ts"
import type { Delivery } from "../ProviderAdapter.ts"
import type { AppServer, Notification } from "./appServer.ts"
import { tokensOf } from "./tokens.ts"

/**
 * Usage as `codex app-server` tells it: `thread/tokenUsage/updated {threadId, turnId, tokenUsage: {total, last}}`, once for each model
 * response. Each becomes a turn_usage with the source codex-app-server.
 *
 * A message is named by its thread and the thread's total, because the notification has no id of the response; so the same one told twice, by
 * two connections or again after a reconnection, counts once. When the last total is known the usage is the difference to it, which
 * also holds what was missed between. A total goes on through resume and compaction, and a fork begins with its parent's.
 */
export interface UsageWatch {
  /** Says that a thread was there before this connection, and what Codex says of it. */
  readonly joined: (threadId: string, described: unknown) => void
  /** The delivery that a notification makes; undefined for what is not about usage or tells nothing new. */
  readonly hear: (notification: Notification) => Delivery | undefined
}

interface Thread {
  sessionId: string
  cwd: string | undefined
  model: string | undefined
  total: Tokens | undefined
  isJoined: boolean
  readonly turns: Set<string>
}

export const usageWatch = (): UsageWatch => {
  const threads = new Map<string, Thread>()
  const threadOf = (id: string): Thread => {
    const known = threads.get(id)
    if (known !== undefined) return known
    const made: Thread = {
      sessionId: id,
      cwd: undefined,
      model: undefined,
      total: undefined,
      isJoined: false,
      turns: new Set()
    }
    threads.set(id, made)
    return made
  }
  const describe = (described: unknown): void => {
    if (!isObject(described) || typeof described.id !== "string") return
    const thread = threadOf(described.id)
    if (typeof described.sessionId === "string") thread.sessionId = described.sessionId
    if (typeof described.cwd === "string") thread.cwd = described.cwd
    if (typeof described.model === "string") thread.model = described.model
    // Nothing was said in it yet and it comes from no other, so it stands at nothing, and what is missed before it is joined is not lost.
    if (described.preview === "" && described.forkedFromId === null) thread.total ??= { total_tokens: 0 }
  }

  const used = (params: Notification["params"]): Delivery | undefined => {
    const { threadId, turnId, tokenUsage } = params
    if (typeof threadId !== "string" || !isObject(tokenUsage)) return undefined
    const total = tokensOf(snakeCased(tokenUsage.total))
    const last = tokensOf(snakeCased(tokenUsage.last))
    if (total === undefined || last === undefined) return undefined
    const thread = threadOf(threadId)
    const before = thread.total
    thread.total = total
    const sum = total.total_tokens ?? 0
    const sumBefore = before?.total_tokens ?? 0
    if (before !== undefined && sum === sumBefore) return undefined
    // What is told first after joining is where the thread stands; a turn that began since is new all the same.
    const isOld = before === undefined && thread.isJoined && !(typeof turnId === "string" && thread.turns.has(turnId))
    if (isOld) return undefined
    const tokens = before !== undefined && sum > sumBefore ? subtractTokens(total, before) : last
    return {
      provider: "codex",
      event: "thread/tokenUsage/updated",
      sessionId: thread.sessionId,
      transcriptPath: undefined,
      cwd: thread.cwd,
      projectDirectory: undefined,
      agentPid: undefined,
      events: [draft(threadId, thread, typeof turnId === "string" ? turnId : undefined, sum, tokens)],
      boundary: "none",
      // Usage alone makes no session.
      opens: false
    }
  }

  return {
    joined: (threadId, described) => {
      const thread = threadOf(threadId)
      describe(described)
      // A thread that is loaded to be joined tells first what was used before; one in the middle of a turn does not (0.171.0).
      const status = isObject(described) && isObject(described.status) ? described.status.type : undefined
      thread.isJoined = status !== "active"
    },
    hear: ({ method, params }) => {
      if (method === "thread/started") describe(params.thread)
      if (method === "turn/started" && typeof params.threadId === "string" && isObject(params.turn)) {
        threadOf(params.threadId).turns.add(String(params.turn.id))
      }
      return method === "thread/tokenUsage/updated" ? used(params) : undefined
    }
  }
}

const draft = (
  threadId: string,
  { sessionId, model }: Thread,
  turnId: string | undefined,
  sum: number,
  tokens: Tokens
): DraftEvent => {
  const isAgent = sessionId !== threadId
  return {
    kind: "turn_usage",
    payload: {
      source: "codex-app-server",
      messages: [
        {
          message_id: `${threadId}:${sum}`,
          ...(model === undefined ? {} : { model }),
          ...(isAgent ? { agent_id: threadId } : {}),
          ...tokens
        }
      ]
    },
    identity: ["app_server_usage", threadId, String(sum)],
    ...(turnId === undefined ? {} : { turnId }),
    providerIds: { thread_id: threadId, ...(isAgent ? { agent_id: threadId } : {}) },
    usage: { source: "codex-app-server", ...tokens }
  }
}

/** The counts of the app-server have the names of the rollout, in another case. */
const snakeCased = (counts: unknown): unknown =>
  isObject(counts)
    ? Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [
          name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          count
        ])
      )
    : counts

/** A thread that has just begun cannot be joined before its rollout is there: for a moment it is tried again. */
const untilJoined = { schedule: Schedule.spaced("100 millis"), times: 50 }

/**
 * Joins the threads that an app-server has loaded, and each that another client begins or loads there later; or only the one that is asked
 * for, which is loaded when it is not. Gives a delivery for each model response from then on. When this returns, what was loaded is joined.
 */
export const watchUsage = Effect.fn("codex.watchUsage")(function* (server: AppServer, threadId?: string) {
  const scope = yield* Effect.scope
  const watch = usageWatch()
  const asked = new Set<string>()
  const join = Effect.fnUntraced(function* (id: string) {
    const { thread } = yield* server.request("thread/resume", { threadId: id, excludeTurns: true })
    watch.joined(id, thread)
  })
  /** Joins beside the stream, which goes on. What cannot be joined now is tried again when its status changes. */
  const joinLater = Effect.fnUntraced(function* (id: string) {
    if (asked.has(id)) return
    asked.add(id)
    yield* join(id).pipe(
      Effect.retry(untilJoined),
      Effect.catch(() => Effect.sync(() => void asked.delete(id))),
      Effect.forkIn(scope)
    )
  })
  const follow = ({ method, params: { threadId: id, status } }: Notification) => {
    const begins = method === "thread/status/changed" && isObject(status) && status.type !== "notLoaded"
    return begins && typeof id === "string" ? joinLater(id) : Effect.void
  }
  if (threadId !== undefined) {
    yield* join(threadId)
  } else {
    const { data } = yield* server.request("thread/loaded/list", {})
    for (const id of Array.isArray(data) ? data.filter((one) => typeof one === "string") : []) {
      yield* Effect.catch(join(id), () => joinLater(id))
      asked.add(id)
    }
  }
  return server.notifications.pipe(
    Stream.tap((told) => (threadId === undefined ? follow(told) : Effect.void)),
    Stream.map(watch.hear),
    Stream.filter((delivery) => delivery !== undefined)
  )
})
