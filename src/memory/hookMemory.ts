import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { DraftEvent } from "../domain/event.ts"
import { sessionId } from "../domain/sessionId.ts"
import type { Deadline } from "../platform/Deadline.ts"
import { Host } from "../platform/Host.ts"
import { Sqlite } from "../platform/Sqlite.ts"
import { memories } from "../providers/memories.ts"
import type { Delivery } from "../providers/ProviderAdapter.ts"
import { lastMessages } from "../providers/transcriptTail.ts"
import { readHead } from "../recorder/repository.ts"
import { cutUtf8 } from "../redaction/bound.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { captureOf } from "./capture.ts"
import { withoutBlocks } from "./contextBlock.ts"
import type { Patience } from "./indexFile.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { memoryPlace } from "./memoryPlace.ts"
import { contextFor, questionOf } from "./retrieval.ts"
import { pruneSessionStates, readSessionState, type SessionState, writeSessionState } from "./sessionState.ts"

/** What memory adds to one hook delivery. */
export interface Remembered {
  /** What the agent must read instead of the usual answer. */
  readonly answer?: string
  /** What is to be recorded of it. */
  readonly event?: DraftEvent
}

/** A hook has no time for an index that lags: what is left over, the next one takes in, or the CLI. */
const mostCatchUpMs = 60
const questionBytes = 1_000

/**
 * The memory's part of a hook delivery, in a project that has memory on: keeps what is worth it, and answers with what earlier sessions know.
 * This is a chunk of its own: with memory off nothing of it is loaded.
 */
export const remember = Effect.fnUntraced(function* (
  delivery: Delivery,
  payload: unknown,
  where: { readonly root: string; readonly workTree: string },
  deadline: Deadline
) {
  const host = yield* Host
  const memory = memories[delivery.provider]
  const began = host.monotonicMs()
  const place = yield* memoryPlace(where.root, delivery.provider)
  // Without an id nobody could say which session it is of.
  if (delivery.sessionId === undefined || delivery.sessionId === "") return {} satisfies Remembered
  const id: string = sessionId(delivery.provider, delivery.sessionId)
  const captures = delivery.events.some((event) => capturing.has(event.kind))
  const takesContext = memory.takesContext(delivery.event, payload)
  if (!captures && !takesContext) return {} satisfies Remembered

  const store = yield* MemoryStore
  const patience: Patience = {
    lockWaitMs: Math.max(50, deadline.remainingMs() - 250),
    catchUpMs: Math.min(mostCatchUpMs, deadline.remainingMs() / 4)
  }
  const head = yield* readHead(where.workTree)
  const revision = head?.revision ?? null
  const branch = head?.branch ?? null
  if (captures) {
    const drafts = yield* captureOf(delivery, memory, { sessionId: id, revision, branch })
    const summary = drafts.find(({ kind }) => kind === "session-summary")
    // A session that was resumed is summed up anew.
    const earlier =
      summary === undefined ? [] : yield* store.list(place, 20, { kind: summary.kind, sessionId: id }, patience)
    const supersedes = earlier.flatMap((one) => (one.superseded_by === null ? [one.id] : []))
    yield* store.add(
      place,
      drafts.map((draft) => ({ ...draft, supersedes })),
      patience
    )
  }
  if (!(yield* store.exists(place))) return {} satisfies Remembered
  const state = yield* readSessionState(place, id)
  if (delivery.events.some((event) => event.kind === "compaction")) {
    // What was injected is gone from the context, or is about to be; what the session is about is asked for when it goes on.
    const messages = yield* lastMessages(delivery.transcriptPath, 2, memory)
    const request = messages.findLast(({ role }) => role === "user")?.text
    const question = request === undefined ? state.question : yield* kept(withoutBlocks(request))
    yield* writeSessionState(place, id, {
      injected: [],
      compacted: true,
      ...(question === undefined ? undefined : { question })
    })
    return {} satisfies Remembered
  }
  if (!takesContext) return {} satisfies Remembered
  const question = yield* questionOf(delivery, memory, state, branch)
  if (question === undefined || question.trim() === "") return {} satisfies Remembered
  const context = yield* contextFor(
    place,
    question,
    { id, state, head: revision, mostBytes: memory.mostBytes },
    patience
  )
  if (context === undefined) return {} satisfies Remembered
  yield* writeSessionState(place, id, {
    ...state,
    injected: [...state.injected, ...context.ids]
  } satisfies SessionState)
  if (state.injected.length === 0) yield* Effect.ignore(pruneSessionStates(place))
  const event: DraftEvent = {
    kind: "context_injected",
    payload: {
      record_ids: context.ids,
      bytes: Buffer.byteLength(context.text),
      milliseconds: Math.round((host.monotonicMs() - began) * 10) / 10
    },
    identity: ["context", ...context.ids, context.text],
    ...turnOf(delivery)
  }
  return { answer: memory.answer(delivery.event, context.text), event } satisfies Remembered
})

const capturing: ReadonlySet<string> = new Set(["assistant_message", "subagent_stop", "compaction", "session_end"])

/** A question as it may be stored. */
const kept = Effect.fnUntraced(function* (question: string) {
  const redactor = yield* Redactor
  const redacted = yield* redactor.redact(question, "question").pipe(Effect.orElseSucceed(() => ({ value: "" })))
  return cutUtf8(String(redacted.value), questionBytes).kept
})

const turnOf = (delivery: Delivery) => {
  const turnId = delivery.events.find((event) => event.turnId !== undefined)?.turnId
  return turnId === undefined ? undefined : { turnId }
}

/** The services of memory, over those that the hook has anyway. */
export const memoryLayer = MemoryStore.layer.pipe(Layer.provide(Sqlite.layer))
