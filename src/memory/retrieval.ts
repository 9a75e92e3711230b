import * as Effect from "effect/Effect"
import type { DraftEvent } from "../domain/event.ts"
import { Host } from "../platform/Host.ts"
import type { Delivery } from "../providers/ProviderAdapter.ts"
import type { ProviderMemory } from "../providers/ProviderMemory.ts"
import { lastMessages } from "../providers/transcriptTail.ts"
import { contextBlock, withoutBlocks } from "./contextBlock.ts"
import { excerptOf } from "./excerpt.ts"
import type { Patience } from "./indexFile.ts"
import { MemoryStore } from "./MemoryStore.ts"
import type { MemoryPlace } from "./memoryPlace.ts"
import { relevantHits } from "./relevance.ts"
import { revisionStatuses } from "./revisionStatus.ts"
import type { SessionState } from "./sessionState.ts"

/** Memories that one answer holds at most, and its bytes. */
export const mostEntries = 5
const mostContextBytes = 8_000
/** Hits that are looked through for those. */
const mostHits = 8

/** What is put into an agent's context. */
export interface Context {
  readonly text: string
  readonly ids: ReadonlyArray<string>
}

/** Branches that say nothing of what is worked on. */
const commonBranches: ReadonlySet<string> = new Set(["main", "master", "develop", "trunk", "HEAD"])

/**
 * What a delivery asks memory for: the prompt; at the start of a session what it was about before it was compacted, else the branch.
 * Undefined when it asks for nothing.
 */
export const questionOf = Effect.fnUntraced(function* (
  delivery: Delivery,
  memory: ProviderMemory,
  state: SessionState,
  branch: string | null
) {
  const prompt = delivery.events.find(isPrompt)
  if (prompt !== undefined) return withoutBlocks(prompt.payload.text)
  if (delivery.events.some((event) => event.kind === "session_start")) {
    if (state.compacted === true && state.question !== undefined) return state.question
    return branch === null || commonBranches.has(branch) ? undefined : branch.replace(/[/_-]+/g, " ")
  }
  if (delivery.events.some((event) => event.kind === "user_prompt")) return undefined
  // Antigravity CLI: only its transcript has the prompt.
  const messages = yield* lastMessages(delivery.transcriptPath, 2, memory)
  const last = messages.findLast(({ role }) => role === "user")
  return last === undefined ? undefined : withoutBlocks(last.text)
})

/** A prompt of the user, or what a command of the user became. */
const isPrompt = (event: DraftEvent): event is Extract<DraftEvent, { readonly kind: "user_prompt" }> =>
  event.kind === "user_prompt" && (event.payload.origin === "user" || event.payload.origin === "expansion")

/** The memories that answer a question and are news to the session, as a block for its context; undefined when there are none. */
export const contextFor = Effect.fnUntraced(function* (
  place: MemoryPlace,
  question: string,
  session: {
    readonly id: string
    readonly state: SessionState
    readonly head: string | null
    readonly mostBytes: number
  },
  patience: Patience
) {
  const store = yield* MemoryStore
  const host = yield* Host
  const hits = yield* store.search(place, question, mostHits, patience, relevantHits)
  const given = new Set(session.state.injected)
  const news = hits.filter(
    (hit) =>
      !given.has(hit.memory.id) &&
      // What the session captured itself is in its context still.
      (hit.memory.session_id !== session.id || session.state.compacted === true)
  )
  if (news.length === 0) return undefined
  const statusOf = yield* revisionStatuses(place, session.head)
  const excerpts = new Set<string>()
  const entries = news.slice(0, mostEntries).flatMap(({ memory, matched }) => {
    const excerpt = excerptOf(memory.text, matched)
    // Sessions that were asked the same and answered the same.
    if (excerpts.has(excerpt)) return []
    excerpts.add(excerpt)
    return [
      {
        id: memory.id,
        kind: memory.kind,
        sessionId: memory.session_id,
        created: memory.created,
        branch: memory.branch,
        revisionStatus: statusOf(memory.revision),
        excerpt
      }
    ]
  })
  const block = contextBlock(entries, host.randomHex(16), Math.min(session.mostBytes, mostContextBytes))
  return block === undefined
    ? undefined
    : ({ text: block.text, ids: block.entries.map(({ id }) => id) } satisfies Context)
})
