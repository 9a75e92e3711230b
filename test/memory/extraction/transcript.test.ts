import { assert, describe, it } from "@effect/vitest"
import type { ArchivedEvent, EventKind } from "../../../src/domain/event.ts"
import { type Chunk, Chunker } from "../../../src/memory/extraction/chunks.ts"
import { conversationLine, providerEventLine, thinned } from "../../../src/memory/extraction/transcript.ts"
import { fixture } from "./fixtures.ts"

const chunkText = (chunk: Chunk): string => chunk.lines.map(({ text }) => text).join("\n")

type Table = Record<"claude" | "codex", Record<string, { readonly in: string; readonly out: string }>>

const event = (kind: EventKind, payload: unknown): ArchivedEvent => ({ kind, payload }) as never
const shown = (events: ReadonlyArray<ArchivedEvent>): string => {
  const chunker = new Chunker()
  for (const [index, one] of events.entries()) chunker.add(index + 1, "", conversationLine(one))
  return chunker.finish().chunks.map(chunkText).join("")
}
const user = (text: string, origin = "user") => event("user_prompt", { text, origin })
const assistant = (text: string) => event("assistant_message", { text, final: true })
const call = (tool_name: string) => event("tool_call", { tool_name, input: { command: "secret-command" } })
const result = (response: unknown) => event("tool_result", { tool_name: "Bash", response })

describe("a session as an agent is shown it", () => {
  const table = fixture<Table>("compaction.json")

  it("is what the reference makes of Claude Code's transcript", () => {
    const events = [
      user("fix it"),
      assistant("ok"),
      call("Bash"),
      result("a".repeat(500)),
      result([{ type: "text", text: "x" }, { type: "image" }])
    ]
    assert.strictEqual(shown(events), table.claude.ordinary?.out)
  })

  it("is what the reference makes of Codex's, a repeated line once", () => {
    const events = [
      user("hi"),
      user("hi"),
      call("shell"),
      result("b".repeat(500)),
      call("local_shell_call"),
      assistant("done"),
      user("hi")
    ]
    assert.strictEqual(shown(events), table.codex.ordinary?.out)
  })

  it("has no boundaries, token counts, inputs of tools, or context that lint-ai put there", () => {
    const events = [
      event("session_start", { source: "startup" }),
      user("injected words", "injected"),
      event("turn_usage", { source: "hook", messages: [] }),
      event("context_injected", { record_ids: ["m"], bytes: 1, milliseconds: 1 }),
      event("session_end", {}),
      call("Read")
    ]
    assert.strictEqual(shown(events), "assistant [tool_use: Read]")
  })

  it("tells what tools answered, in whatever form they did, and what went wrong", () => {
    const events = [
      result({ stdout: "out", stderr: "err", interrupted: false }),
      result({ content: [{ type: "text", text: "in parts" }] }),
      result({ type: "update", filePath: "/a" }),
      result(undefined),
      event("tool_error", { tool_name: "Bash", outcome: "denied", error: "no" }),
      event("compaction", { phase: "after", summary: "so far" }),
      event("subagent_stop", { agent_type: "Explore", text: "found" })
    ]
    assert.deepStrictEqual(shown(events).split("\n"), [
      "[tool_result] out",
      "err",
      "[tool_result] in parts",
      '[tool_result] {"type":"update","filePath":"/a"}',
      "[tool_result]",
      "[tool_error: denied] no",
      "[compaction] summary: so far",
      "subagent Explore: found"
    ])
  })

  it("keeps the beginning and the end of a long text, and whole characters", () => {
    const text = `begin ${"😀".repeat(20_000)} end`
    const cut = thinned(text, 4_096)
    assert.match(cut, /^begin 😀+\n\[… \d+ bytes left out …\]\n😀+ end$/u)
    assert.isBelow(Buffer.byteLength(cut), 4_200)
    assert.strictEqual(thinned("short", 4_096), "short")
  })

  it("shows events that nobody knows as they are, bounded", () => {
    const line = providerEventLine(event("provider_event", { name: "New", fields: { a: "x".repeat(9_000) } }))
    assert.match(line ?? "", /^\{"name":"New","fields":\{"a":"x+\n/)
    assert.isBelow(line?.length ?? 0, 2_200)
  })
})

describe("requests", () => {
  const chunks = (limits: ConstructorParameters<typeof Chunker>[0], texts: ReadonlyArray<string | undefined>) => {
    const chunker = new Chunker(limits)
    for (const [index, text] of texts.entries()) chunker.add(index + 1, "", text)
    const { chunks: made, ...rest } = chunker.finish()
    return { ...rest, texts: made.map(chunkText), through: [...made.map((one) => one.through), rest.through] }
  }

  it("begin with the beginning, and what does not fit is left for another run", () => {
    const texts = ["aaaa", undefined, "bbbb", "cccc", "dddd", undefined]
    assert.deepStrictEqual(chunks({ chunkBytes: 10, chunks: 1, runBytes: 100 }, texts), {
      texts: ["aaaa\nbbbb"],
      more: true,
      through: [3, 3]
    })
    assert.deepStrictEqual(chunks({ chunkBytes: 10, chunks: 2, runBytes: 100 }, texts), {
      texts: ["aaaa\nbbbb", "cccc\ndddd"],
      more: false,
      through: [3, 6, 6]
    })
    assert.deepStrictEqual(chunks({ chunkBytes: 5, chunks: 9, runBytes: 12 }, texts).texts, ["aaaa", "bbbb"])
  })

  it("hold a line that is larger than one alone", () => {
    const { texts } = chunks({ chunkBytes: 5, chunks: 9, runBytes: 100 }, ["a", "b".repeat(20), "c"])
    assert.deepStrictEqual(texts, ["a", "b".repeat(20), "c"])
  })

  it("are none where nothing is said, which is dealt with all the same", () => {
    assert.deepStrictEqual(chunks(undefined, [undefined, undefined]), { texts: [], more: false, through: [2] })
  })
})
