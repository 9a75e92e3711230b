import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Diagnostics } from "../control/Diagnostics.ts"
import type { Provider } from "../domain/provider.ts"
import { memoryPlace, receiptsDirectory } from "../memory/memoryPlace.ts"
import { after, CurrentDeadline, type Deadline, DeadlineExceeded } from "../platform/Deadline.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Stdin, type StdinReading } from "../platform/Stdin.ts"
import type { Delivery, ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { type MemoryUse, Recorder } from "../recorder/Recorder.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { failOpen, type HookContext } from "./failOpen.ts"
import { oversizedPayload, withoutContent } from "./oversized.ts"

/** The hook was called for an agent that lint-ai does not know; its settings were written by another version or by hand. */
export class UnknownProvider extends Data.TaggedError("UnknownProvider") {}

/** The agent gave the hook no payload: nothing at all, or it held stdin open without writing. */
export class NoPayload extends Data.TaggedError("NoPayload")<{ readonly stopped: StdinReading["stopped"] }> {
  override get message(): string {
    if (this.stopped === "end") return "stdin was empty"
    return this.stopped === "error" ? "stdin failed" : "stdin was held open without a payload"
  }
}

/** The payload is no JSON. */
export class PayloadNotJson extends Data.TaggedError("PayloadNotJson")<{ readonly bytes: number }> {
  override get message(): string {
    return `${this.bytes} bytes that are no JSON`
  }
}

/** More of a payload than this is drained and not kept. */
export const stdinLimit = 32 * 1024 * 1024
/** How long the agent may fall silent after its payload with stdin open. A host that never closes it pays this once per hook. */
const idleMs = 300
/** The end of a session has little time: the agent is about to go. */
export const endBudgetMs = 1_000
/** Kept of the deadline for writing, when the lock is waited for. */
const writeReserveMs = 250

/** What keeps an agent going when the hook has nothing else to say; silence for an agent that is not known. */
export const safeAnswer = (adapter: ProviderAdapter | undefined, event: string | undefined): string =>
  adapter?.answer(event ?? "") ?? ""

/** The time that a hook may take: `LINT_AI_HOOK_TIMEOUT_MS` within sane bounds, else two seconds. */
export const hookBudgetMs = (setting: string | undefined): number => {
  const given = Number(setting)
  return setting === undefined || !Number.isFinite(given) || given <= 0 ? 2_000 : Math.min(Math.max(given, 100), 30_000)
}

/**
 * One hook delivery (DESIGN 5): what the agent must read on stdout. Never fails: whatever goes wrong becomes the safe answer and a line of
 * diagnostics. This is the one place where a failure is turned into silence.
 *
 * @param adapter undefined for an agent that lint-ai does not know
 */
export const hook = Effect.fnUntraced(function* (adapter: ProviderAdapter | undefined, context: HookContext) {
  const host = yield* Host
  const deadline = after(hookBudgetMs(host.env.LINT_AI_HOOK_TIMEOUT_MS), host.monotonicMs)
  return yield* deliver(adapter, deadline, context).pipe(failOpen(safeAnswer(adapter, context.event), context))
})

const deliver = Effect.fnUntraced(function* (
  adapter: ProviderAdapter | undefined,
  deadline: Deadline,
  context: HookContext
) {
  const host = yield* Host
  const stdin = yield* Stdin
  const recorder = yield* Recorder
  const diagnostics = yield* Diagnostics
  // Drained whatever follows: an agent that writes to a closed pipe is disturbed.
  const input = yield* stdin.drain({
    limit: stdinLimit,
    idleMs: Math.min(idleMs, deadline.budgetMs / 2),
    isWhole: isJson,
    totalMs: Math.max(1, deadline.remainingMs())
  })
  if (adapter === undefined) return yield* new UnknownProvider()
  // A child that lint-ai itself started to extract memories must not be recorded as a session of the user.
  if (host.env.LINT_AI_DISABLE_HOOKS === "1") return adapter.answer(context.event ?? "")
  if (input.total === 0) return yield* new NoPayload({ stopped: input.stopped })
  if (input.stopped === "late") return yield* new DeadlineExceeded({ stage: "stdin", budgetMs: deadline.budgetMs })

  const oversized = input.total > stdinLimit
  const payload = oversized ? oversizedPayload(input.bytes) : yield* parseJson(input.bytes)
  const read = yield* adapter.read({
    payload,
    event: context.event,
    env: host.env,
    parentPid: host.parentPid
  })
  const delivery = oversized ? withoutContent(read, input.total) : read
  context.event = delivery.event
  yield* check(deadline, "reading")

  const limit =
    delivery.boundary === "end" && deadline.remainingMs() > endBudgetMs
      ? after(endBudgetMs, host.monotonicMs)
      : deadline
  const recording = yield* recorder.record(adapter, delivery, Math.max(50, limit.remainingMs() - writeReserveMs)).pipe(
    Effect.provideService(CurrentDeadline, limit),
    Effect.catchTag("RecordingFailed", ({ projectRoot, error }) => {
      context.projectRoot = projectRoot
      return Effect.fail(error)
    }),
    Effect.catchTag("StateUnreadable", (error) => {
      context.about = error.projectRoot
      return Effect.fail(error)
    })
  )
  if (recording._tag === "Off" && recording.memory === undefined) return adapter.answer(delivery.event)
  context.projectRoot = recording.projectRoot
  if (recording._tag === "Recorded" && recording.result._tag === "Appended") {
    for (const warning of recording.result.warnings) {
      yield* diagnostics.note(context, {
        provider: context.provider,
        event: delivery.event,
        tag: warning._tag,
        detail: `after the event was stored: ${warning.operation} ${warning.code}`
      })
    }
  }
  const { memory, projectRoot } = recording
  const remembered =
    memory === undefined || limit.remainingMs() < memoryReserveMs
      ? undefined
      : yield* withMemory(adapter, delivery, payload, memory, limit).pipe(
          Effect.provideService(CurrentDeadline, limit),
          Effect.asSome,
          failOpen(Option.none<string | undefined>(), context),
          Effect.map(Option.getOrUndefined)
        )
  const answer = remembered ?? adapter.answer(delivery.event)
  // What became of an extraction is for the user, who does not see what a replay is told.
  if (delivery.boundary !== "start" || recording.replay === true || limit.remainingMs() < memoryReserveMs) return answer
  return yield* withReceipts(answer, projectRoot, adapter.provider).pipe(failOpen(answer, context))
})

/** An answer that also tells the user what became of an extraction, where something is still to be told. */
const withReceipts = Effect.fnUntraced(function* (answer: string, projectRoot: string, provider: Provider) {
  const disk = yield* Disk
  const place = yield* memoryPlace(projectRoot, provider)
  if ((yield* disk.list(receiptsDirectory(place))).length === 0) return answer
  const { withReceiptNotice } = yield* Effect.promise(() => import("../memory/extraction/receiptNotice.ts"))
  return yield* withReceiptNotice(answer, place)
})

/** Less time than this is not worth beginning with. */
const memoryReserveMs = 100

/** What memory has to say to the agent; it is loaded only here. */
const withMemory = Effect.fnUntraced(function* (
  adapter: ProviderAdapter,
  { transcript: _transcript, retold: _retold, ...delivery }: Delivery,
  payload: unknown,
  use: MemoryUse,
  limit: Deadline
) {
  const { memoryLayer, remember } = yield* Effect.promise(() => import("../memory/hookMemory.ts"))
  const { answer, event } = yield* remember(delivery, payload, use, limit).pipe(
    Effect.provide(memoryLayer),
    Effect.provideService(Redactor, use.redactor)
  )
  if (event !== undefined) {
    const recorder = yield* Recorder
    // Beside the events of the delivery, which are stored by now. Where recording is off, nowhere.
    const lockWaitMs = Math.max(50, limit.remainingMs() - writeReserveMs)
    yield* recorder.record(adapter, { ...delivery, events: [event], boundary: "none", opens: false }, lockWaitMs)
  }
  return answer
})

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString("utf8"))
    return true
  } catch {
    return false
  }
}

const parseJson = (bytes: Buffer) =>
  Effect.try({
    try: (): unknown => JSON.parse(bytes.toString("utf8")),
    // Never the parser's message: it quotes the text.
    catch: () => new PayloadNotJson({ bytes: bytes.length })
  })

const check = (deadline: Deadline, stage: string): Effect.Effect<void, DeadlineExceeded> =>
  deadline.remainingMs() > 0 ? Effect.void : Effect.fail(new DeadlineExceeded({ stage, budgetMs: deadline.budgetMs }))
