import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DraftEvent } from "../../domain/event.ts"
import { subtractTokens, type Tokens } from "../../domain/usage.ts"
import { isObject } from "../jsonObject.ts"
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
  /** Says that a thread was there before this connection: its first total may repeat what was used before. */
  readonly joined: (threadId: string, sessionId: string, cwd: string | undefined) => void
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
    joined: (threadId, sessionId, cwd) => {
      const thread = threadOf(threadId)
      thread.sessionId = sessionId
      thread.cwd = cwd ?? thread.cwd
      thread.isJoined = true
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

/**
 * Joins the threads that an app-server has loaded, all of them or the one that is asked for (which is loaded when it is not), and gives a
 * delivery for each model response from then on. When this returns they are joined.
 */
export const watchUsage = Effect.fn("codex.watchUsage")(function* (server: AppServer, threadId?: string) {
  const watch = usageWatch()
  const { data } = threadId === undefined ? yield* server.request("thread/loaded/list", {}) : { data: [threadId] }
  for (const id of Array.isArray(data) ? data.filter((one) => typeof one === "string") : []) {
    const { thread } = yield* server.request("thread/resume", { threadId: id, excludeTurns: true })
    const told = isObject(thread) ? thread : {}
    const cwd = typeof told.cwd === "string" ? told.cwd : undefined
    watch.joined(id, typeof told.sessionId === "string" ? told.sessionId : id, cwd)
  }
  return server.notifications.pipe(
    Stream.map(watch.hear),
    Stream.filter((delivery) => delivery !== undefined)
  )
})
