import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Provider } from "../../src/domain/provider.ts"
import { remember } from "../../src/memory/hookMemory.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { unlimited } from "../../src/platform/Deadline.ts"
import { adapterFor } from "../../src/providers/registry.ts"
import { machineOf, newUser, snapshot, type TestUser } from "../support/recording.ts"

const request = "Why does the checkout fail to connect to redis in src/payments/retryQueue.ts?"
const result =
  "The retryQueue connects to redis on port 6380, but docker-compose maps 6379. We decided to read REDIS_URL everywhere."
const question = "retryQueue cannot connect to redis, which port?"

const lines = (...all: ReadonlyArray<unknown>): string => all.map((line) => `${JSON.stringify(line)}\n`).join("")

interface Conversation {
  readonly provider: Provider
  /** A transcript in which the user asked `request` and was answered `said`. */
  readonly transcript: (said: string) => string
  readonly stop: Record<string, unknown>
  readonly prompt: Record<string, unknown>
  /** Names of events, where the payload has none. */
  readonly events: { readonly stop?: string; readonly prompt?: string }
  /** The context in an answer. */
  readonly contextIn: (answer: string) => string
}

const additional = (answer: string): string => JSON.parse(answer).hookSpecificOutput.additionalContext

const conversations: ReadonlyArray<Conversation> = [
  {
    provider: "claude",
    transcript: (said) =>
      lines(
        { type: "user", isMeta: true, message: { role: "user", content: "meta" } },
        { type: "user", message: { role: "user", content: request } },
        {
          type: "assistant",
          message: { role: "assistant", content: [{ type: "tool_use", name: "Bash", input: { command: "toolword" } }] }
        },
        { type: "user", message: { role: "user", content: [{ type: "tool_result", content: "resultword" }] } },
        { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: said }] } }
      ),
    stop: { hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: result },
    prompt: { hook_event_name: "UserPromptSubmit", prompt_id: "p2", prompt: question },
    events: {},
    contextIn: additional
  },
  {
    provider: "codex",
    transcript: (said) =>
      lines(
        {
          type: "response_item",
          payload: {
            type: "message",
            role: "user",
            content: [{ type: "input_text", text: "<environment_context>x</environment_context>" }]
          }
        },
        {
          type: "response_item",
          payload: { type: "message", role: "user", content: [{ type: "input_text", text: request }] }
        },
        { type: "response_item", payload: { type: "function_call", name: "exec", arguments: "toolword" } },
        {
          type: "response_item",
          payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: said }] }
        }
      ),
    stop: { hook_event_name: "Stop", turn_id: "t1", last_assistant_message: result },
    prompt: { hook_event_name: "UserPromptSubmit", turn_id: "t2", prompt: question },
    events: {},
    contextIn: additional
  },
  {
    provider: "gemini",
    transcript: (said) =>
      lines(
        { sessionId: "x", startTime: "2026-11-30T03:36:02.513Z" },
        { id: "a", type: "user", content: [{ text: request }] },
        { id: "b", type: "user", content: [{ functionResponse: { response: "resultword" } }] },
        { id: "c", type: "gemini", content: said, toolCalls: [{ args: "toolword" }] }
      ),
    stop: {
      hook_event_name: "AfterAgent",
      timestamp: "2026-11-30T03:36:03.000Z",
      prompt: request,
      prompt_response: result
    },
    prompt: { hook_event_name: "BeforeAgent", timestamp: "2026-11-30T03:36:09.000Z", prompt: question },
    events: {},
    contextIn: additional
  },
  {
    provider: "antigravity",
    transcript: (said) =>
      lines(
        { step_index: 0, type: "USER_INPUT", content: `<USER_REQUEST>\n${request}\n</USER_REQUEST>` },
        { step_index: 1, type: "RUN_COMMAND", content: "resultword" },
        { step_index: 2, type: "PLANNER_RESPONSE", content: said }
      ),
    stop: { executionNum: 1, terminationReason: "done" },
    prompt: { invocationNum: 0, initialNumSteps: 1 },
    events: { stop: "Stop", prompt: "PreInvocation" },
    contextIn: (answer) => JSON.parse(answer).injectSteps[0].ephemeralMessage
  }
]

/** One hook of a session, as memory sees it after it was recorded. */
const hook = (
  user: TestUser,
  provider: Provider,
  session: string,
  payload: Record<string, unknown>,
  more: { readonly event?: string | undefined; readonly transcript?: string } = {}
) =>
  Effect.gen(function* () {
    const transcript = path.join(user.directory, `${session}.jsonl`)
    if (more.transcript !== undefined) fs.writeFileSync(transcript, more.transcript)
    const named =
      provider === "antigravity"
        ? { conversationId: session, transcriptPath: transcript, workspacePaths: [user.project] }
        : { session_id: session, transcript_path: transcript, cwd: user.project }
    const given = { ...named, ...payload }
    const adapter = adapterFor(provider)
    if (adapter === undefined) throw new Error(provider)
    const delivery = yield* adapter.read({ payload: given, event: more.event, env: user.env })
    return yield* remember(delivery, given, { root: user.project, workTree: user.project }, unlimited)
  })

const memoriesOf = (user: TestUser, provider: Provider) =>
  Effect.gen(function* () {
    const store = yield* MemoryStore
    return yield* store.list(yield* memoryPlace(user.project, provider), 100)
  })

describe.each(conversations)("memory in the hooks of $provider", (one) => {
  const { provider, stop, prompt, events, contextIn, transcript } = one
  const stopped = (user: TestUser, session: string, said = result) =>
    hook(user, provider, session, stop, { event: events.stop, transcript: transcript(said) })
  const asked = (user: TestUser, session: string, more: Record<string, unknown> = {}) =>
    hook(
      user,
      provider,
      session,
      { ...prompt, ...more },
      {
        event: events.prompt,
        ...(provider === "antigravity"
          ? {
              transcript: lines({
                step_index: 0,
                type: "USER_INPUT",
                content: `<USER_REQUEST>\n${question}\n</USER_REQUEST>`
              })
            }
          : {})
      }
    )

  if (provider === "gemini") {
    it.live(
      "takes an answer that the hook tells with pieces repeated from the transcript, and a prompt without the context of hooks",
      () =>
        Effect.gen(function* () {
          const user = yield* newUser
          yield* Effect.gen(function* () {
            const context =
              "<hook_context>[lint-ai-memory:0 begin]\n| an older note\n[lint-ai-memory:0 end]</hook_context>"
            const told = lines(
              { id: "a", type: "user", content: [{ text: request }, { text: context }] },
              { id: "c", type: "gemini", content: result }
            )
            const garbled = { ...stop, prompt_response: `${result} ${result.slice(20)}` }
            yield* hook(user, provider, "one", garbled, { transcript: told })
            const [memory] = yield* memoriesOf(user, provider)
            assert.strictEqual(memory?.text, `Request: ${request}\nResult: ${result}`)
            // The hook tells all answers of a turn, each with its pieces repeated, and the transcript each with what was called.
            const calling = lines(
              { id: "a", type: "user", content: [{ text: request }] },
              { id: "b", type: "gemini", content: "Reading it first." },
              { id: "b", type: "gemini", content: "Reading it first.", toolCalls: [{ args: "toolword" }] },
              { id: "c", type: "user", content: [{ functionResponse: { response: "resultword" } }] },
              { id: "d", type: "gemini", content: result }
            )
            const both = { ...stop, prompt_response: `Reading it first. it first.\n${result} ${result.slice(20)}` }
            yield* hook(user, provider, "three", both, { transcript: calling })
            const texts = Effect.map(memoriesOf(user, provider), (all) =>
              Object.fromEntries(all.map(({ session_id, text }) => [session_id, text]))
            )
            assert.strictEqual(
              (yield* texts)["gemini:three"],
              `Request: ${request}\nResult: Reading it first.\n${result}`
            )
            // Not yet in the transcript: what the hook tells is better than the answer to something else.
            const earlier = lines(
              { id: "a", type: "user", content: [{ text: request }] },
              { id: "b", type: "gemini", content: "Reading the queue first." }
            )
            yield* hook(user, provider, "two", stop, { transcript: earlier })
            assert.strictEqual((yield* texts)["gemini:two"], `Request: ${request}\nResult: ${result}`)
          }).pipe(Effect.provide(machineOf(user)))
        }).pipe(Effect.scoped)
    )
  }

  it.live("keeps what a turn came to, once, without the text of tools", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        for (let time = 0; time < 3; time++) yield* stopped(user, "one")
        const memories = yield* memoriesOf(user, provider)
        assert.deepStrictEqual(
          memories.map(({ kind, text, session_id }) => [kind, text, session_id]),
          [["outcome", `Request: ${request}\nResult: ${result}`, `${provider}:one`]]
        )
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("makes nothing of a turn in which nothing was said", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* asked(user, "one")
        const short = { last_assistant_message: "Done.", prompt_response: "Done." }
        const brief = transcript("Done.").replaceAll(request, "Go on")
        yield* hook(user, provider, "one", { ...stop, ...short }, { event: events.stop, transcript: brief })
        assert.deepStrictEqual(snapshot(user.project), {})
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("gives another session what fits its prompt, once, and says what it gave", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* stopped(user, "one")
        const [memory] = yield* memoriesOf(user, provider)
        const first = yield* asked(user, "two")
        const context = contextIn(first.answer ?? "{}")
        assert.match(context, /^\[lint-ai-memory:[0-9a-f]{32} begin\]\n/)
        assert.include(context, "| Result: The retryQueue connects to redis on port 6380")
        assert.isAtMost(Buffer.byteLength(context), 8_000)
        assert.deepInclude(first.event?.payload, { record_ids: [memory?.id ?? ""], bytes: Buffer.byteLength(context) })
        assert.deepStrictEqual(yield* asked(user, "two"), {})
        assert.isDefined((yield* asked(user, "three")).answer)
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("gives a session nothing of its own, and keeps no block that it gave", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* stopped(user, "one")
        assert.deepStrictEqual(yield* asked(user, "one"), {})
        const context = contextIn((yield* asked(user, "two")).answer ?? "{}")
        const repeated = `${context}\nSo the client reads the address from its environment, and the compose file stays as it was before.`
        yield* hook(
          user,
          provider,
          "two",
          { ...stop, last_assistant_message: repeated, prompt_response: repeated },
          { event: events.stop, transcript: transcript(repeated) }
        )
        const memories = yield* memoriesOf(user, provider)
        assert.strictEqual(memories.length, 2)
        for (const { text } of memories) assert.notInclude(text, "lint-ai-memory")
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )
})

describe("memory in the hooks of Claude Code", () => {
  const claude = (user: TestUser, session: string, payload: Record<string, unknown>, transcript?: string) =>
    hook(user, "claude", session, payload, transcript === undefined ? {} : { transcript })
  const [{ transcript }] = conversations as readonly [Conversation]
  const ask = { hook_event_name: "UserPromptSubmit", prompt_id: "p", prompt: question }

  it.live("gives a memory again after the context was compacted, also at the start that follows", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* claude(
          user,
          "one",
          { hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: result },
          transcript(result)
        )
        assert.isDefined((yield* claude(user, "two", ask)).answer)
        assert.deepStrictEqual(yield* claude(user, "two", ask), {})
        yield* claude(
          user,
          "two",
          { hook_event_name: "PreCompact", trigger: "auto" },
          lines({ type: "user", message: { role: "user", content: question } })
        )
        const again = yield* claude(user, "two", { hook_event_name: "SessionStart", source: "compact" })
        assert.include(again.answer ?? "", '"hookEventName":"SessionStart"')
        assert.deepStrictEqual(yield* claude(user, "two", ask), {})
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("keeps checkpoints, what subagents came to, and a summary of several turns", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const summary = "The user migrates the ledger to postgres; three of eleven tables are done, invoices come next."
        yield* claude(user, "one", { hook_event_name: "PostCompact", trigger: "auto", compact_summary: summary })
        yield* claude(user, "one", {
          hook_event_name: "SubagentStop",
          agent_id: "a",
          agent_type: "Explore",
          last_assistant_message:
            "The ledger tables are created in migrations/0007 and read by src/ledger/store.ts only."
        })
        // What a compaction ends, without a type.
        yield* claude(user, "one", { hook_event_name: "SubagentStop", agent_type: "", last_assistant_message: summary })
        const turns = lines(
          { type: "user", message: { role: "user", content: "Migrate the customers table to postgres" } },
          { type: "assistant", message: { content: [{ type: "text", text: "Customers are migrated." }] } },
          { type: "user", message: { role: "user", content: "And the invoices table, with its index" } },
          {
            type: "assistant",
            message: { content: [{ type: "text", text: "Invoices are migrated, the index is concurrent." }] }
          }
        )
        yield* claude(user, "one", { hook_event_name: "SessionEnd", reason: "other" }, turns)
        const memories = yield* memoriesOf(user, "claude")
        assert.deepStrictEqual(
          memories.map(({ kind }) => kind),
          ["session-summary", "outcome", "checkpoint"]
        )
        assert.match(
          memories[0]?.text ?? "",
          /^Request: Migrate[^\n]*\nRequest: And the invoices[^\n]*\nResult: Invoices/
        )
        assert.match(memories[1]?.text ?? "", /^Subagent Explore: /)
        assert.strictEqual(memories[2]?.text, summary)
        yield* claude(user, "one", { hook_event_name: "SessionEnd", reason: "other" })
        assert.strictEqual((yield* memoriesOf(user, "claude")).length, 3)
        const more = lines(
          { type: "user", message: { role: "user", content: "Now drop the old tables" } },
          { type: "assistant", message: { content: [{ type: "text", text: "The old tables are dropped." }] } }
        )
        yield* hook(
          user,
          "claude",
          "one",
          { hook_event_name: "SessionEnd", reason: "other" },
          { transcript: turns + more }
        )
        const [newest, ...older] = yield* memoriesOf(user, "claude")
        assert.include(newest?.text ?? "", "dropped")
        assert.deepStrictEqual(
          older.map(({ superseded_by }) => superseded_by),
          [newest?.id ?? "", null, null]
        )
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("reads only as much of a long transcript as it needs, and no link", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const long = lines({ type: "tool", text: "x".repeat(300_000) }, { type: "tool", text: "y".repeat(300_000) })
        const stop = { hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: result }
        yield* claude(user, "one", stop, `${transcript(result)}${long}`)
        assert.include((yield* memoriesOf(user, "claude"))[0]?.text ?? "", `Request: ${request}`)
        fs.symlinkSync(path.join(user.directory, "one.jsonl"), path.join(user.directory, "two.jsonl"))
        yield* claude(user, "two", stop)
        assert.strictEqual((yield* memoriesOf(user, "claude"))[0]?.text, `Result: ${result}`)
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("asks nothing for prompts that are not the user's", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* claude(
          user,
          "one",
          { hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: result },
          transcript(result)
        )
        const prompt = `<task-notification>${question}</task-notification>`
        assert.deepStrictEqual(yield* claude(user, "two", { ...ask, prompt }), {})
        assert.deepStrictEqual(yield* claude(user, "two", { ...ask, prompt: "hello" }), {})
        assert.deepStrictEqual(yield* claude(user, "two", { ...ask, prompt: "" }), {})
        assert.deepStrictEqual(yield* claude(user, "two", { hook_event_name: "SessionStart", source: "startup" }), {})
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )
})
