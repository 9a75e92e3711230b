import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { rolldown } from "rolldown"
import { leanResolve } from "../../scripts/build.mjs"
import * as whole from "../support/hookSchemas.ts"

type Name = keyof typeof whole.schemas

/** The same sources as the hook's bundle has them. */
const bundleLean = async (): Promise<typeof whole> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-lean-"))
  try {
    const file = path.join(directory, "lean.mjs")
    const input = path.join(import.meta.dirname, "../support/hookSchemas.ts")
    const build = await rolldown({ input, platform: "node", resolve: leanResolve })
    await build.write({ file, format: "esm", codeSplitting: false })
    await build.close()
    return await import(pathToFileURL(file).href)
  } finally {
    fs.rmSync(directory, { recursive: true })
  }
}

let lean: typeof whole
beforeAll(async () => {
  lean = await bundleLean()
})

const time = "2026-03-14T09:00:00.000Z"
const digest = "ab".repeat(32)
const tokens = { input_tokens: 1, output_tokens: null, cache_read_input_tokens: 3 }
const cursor = { file: "/t.jsonl", offset: 12, more: true }
const receipt = {
  _tag: "failure",
  provider: "claude",
  session_id: "claude:s",
  host: "codex",
  reason: "extractor-failed",
  error: "no login"
}
const message = { message_id: "m1", model: "large", time, agent_id: "a", stop_reason: "end_turn", ...tokens }
const usage = { source: "hook-payload", ...tokens }
const identity = { pid: 4, start: "9", boot: "b", namespace: "n", host: "h" }

const payloads: Readonly<Record<keyof typeof whole.payloads, unknown>> = {
  session_start: { source: "startup", model: "large", permission_mode: "default", config_hash: "c" },
  session_end: { reason: "exit" },
  user_prompt: { text: "hello", origin: "user", permission_mode: "default", command_name: "c", command_args: "a" },
  assistant_message: { text: "hi", final: true, stop_reason: "end_turn", error: "e" },
  tool_call: { tool_name: "Bash", input: { command: "ls" } },
  tool_result: { tool_name: "Bash", input: {}, response: ["x", { y: null }], duration_ms: 5 },
  tool_error: { tool_name: "Bash", outcome: "denied", input: 1, error: "e", duration_ms: 0 },
  compaction: { phase: "before", trigger: "auto", summary: "s", instructions: "i" },
  subagent_start: { agent_type: "Explore", text: "t" },
  subagent_stop: { agent_type: "Explore", text: "t" },
  turn_usage: { source: "claude-transcript", messages: [message], cursors: [cursor] },
  context_injected: { record_ids: ["r"], bytes: 10, milliseconds: 1.5 },
  provider_event: { name: "Notification", fields: { message: "m" } }
}

const event = {
  schema_version: 1,
  sequence: 3,
  event_id: "evt_1",
  timestamp: time,
  provider: "claude",
  session_id: "claude:s",
  turn_id: "t",
  provider_ids: { tool_use_id: "u" },
  usage,
  redactions: ["payload.text"],
  truncated: [{ path: "payload.text", bytes: 4 }],
  omitted: ["input"],
  chain_hash: digest
}

const manifest = {
  schema_version: 1,
  session_id: "claude:s",
  provider: "claude",
  provider_version: "2.1.332",
  identity: "provider",
  project_root: "/p",
  started_at: "unix:1773478800",
  ended_at: null,
  status: "interrupted",
  recording_mode: "replay",
  joined: "mid-session",
  repository_revision: digest,
  repository_branch: "trunk",
  repository_dirty: false,
  event_count: 1,
  capabilities: { usage: "transcript" },
  agent_process: identity,
  usage: { "hook-payload": tokens },
  timing: { recording: { count: 1, total: 2.5, max: 2.5 } },
  provider_session_ids: ["s"]
}

const state = {
  offset: 10,
  sequence: 1,
  head: digest,
  checksum: digest,
  lines: 1,
  event_count: 1,
  redaction_count: 0,
  truncation_count: 0,
  recent_ids: ["evt_1"],
  last_kind: "tool_call",
  last_timestamp: time,
  terminal_count: 0,
  end: { timestamp: time, reason: "exit" },
  full: false,
  usage: { "claude-transcript": tokens },
  recent_messages: [{ id: "m1", tokens }],
  cursors: [cursor]
}

const hookPayload = {
  hook_event_name: "PostToolUse",
  session_id: "s",
  transcript_path: "/t.jsonl",
  cwd: "/p",
  prompt_id: "p",
  turn_id: "t",
  agent_id: "a",
  tool_input: { command: "ls" }
}

/** Values that each schema takes. */
const examples: Readonly<Record<Name, ReadonlyArray<unknown>>> = {
  Anchor: [{ schema_version: 1, session_id: "claude:s", archive: "/a", count: 2, digest }],
  ArchivedEvent: Object.entries(payloads).map(([kind, payload]) => ({ ...event, kind, payload })),
  Checksums: [
    {
      schema_version: 1,
      events: { algorithm: "sha256-running", bytes: 1, lines: 1, digest },
      manifest: { algorithm: "sha256", digest }
    }
  ],
  ClaudePayload: [hookPayload],
  CodexPayload: [hookPayload],
  Diagnostic: [{ time, provider: "claude", event: "Stop", tag: "LockTimeout", detail: "d" }],
  LockOwner: [{ token: "t", ...identity }],
  LogState: [state],
  Manifest: [manifest],
  ManifestJson: [JSON.stringify(manifest), "{", JSON.stringify([manifest])],
  PreparedEvent: [
    {
      identity: "i",
      scope: "run",
      timestamp: time,
      kind: "tool_call",
      payload: { a: 1 },
      usage,
      redactions: [],
      truncated: [{ path: "p", bytes: 1 }],
      omitted: ["x"]
    }
  ],
  ProjectToggles: [{ claude: { recording: true, memory: false, mode: "assist", session_root: "/s" } }],
  Provider: ["claude", "codex", "gemini", "antigravity"],
  MemoryRecord: [
    {
      schema_version: 1,
      id: "mem_1",
      kind: "outcome",
      provider: "claude",
      session_id: "claude:s",
      turn_id: "t",
      text: "x",
      source: "lint-ai://claude/session/s/turn/t",
      events: [1, 2],
      revision: null,
      branch: "main",
      created: time,
      supersedes: ["mem_0"],
      content_hash: digest,
      key_id: "k"
    }
  ],
  SessionState: [{ injected: ["mem_1"], compacted: true, question: "q" }],
  SignedReceipt: [{ receipt, key_id: "k", mac: digest }],
  Receipt: [
    receipt,
    {
      _tag: "dropped",
      provider: "gemini",
      session_id: "gemini:s",
      drops: [{ category: "too-thin", recoverable: false, cause: "short", next_action: "none" }]
    }
  ],
  RecoveryRecord: [
    {
      schema_version: 1,
      findings: [{ found_at: time, problem: "nul", offset: 1, length: 2, detail: "d", bytes: "AA==" }]
    }
  ],
  RedactionConfig: [
    {
      extra: [{ id: "own-rule", literals: ["four"], prefixes: ["pre-"], patterns: ["a+"] }],
      allow: [{ rule: "r", sha256: digest }]
    }
  ],
  SessionId: ["claude:s", "raw"],
  Timestamp: [time, "unix:1773478800", "2026-03-14T09:00:00+01:00", "unix:1e99", "yesterday"],
  Usage: [usage]
}

/** What may stand anywhere in a file that was damaged, made by another version or by somebody else. */
const oddities: ReadonlyArray<unknown> = [
  ...[undefined, null, true, false, 0, -0, 1, -1, 1.5, 2 ** 53, 1e300, Number.NaN],
  ...["", "x", "claude", "unix:", "\ud800", "session_end", "2026-03-14T09:00:00Z"],
  ...[[], [null], ["x"], {}, { a: 1 }, { length: 1 }, JSON.parse('{"__proto__":{"a":1}}')]
]

/** A value, and every value that differs from it in one place. */
function* variantsOf(value: unknown): Generator<unknown> {
  yield value
  yield* oddities
  if (Array.isArray(value)) {
    yield [...value, value[0]]
    for (const [at, item] of value.entries()) for (const other of variantsOf(item)) yield value.with(at, other)
  } else if (typeof value === "object" && value !== null) {
    yield { unknown_key: 1, ...value }
    yield Object.fromEntries(Object.entries(value).reverse())
    yield Object.assign(JSON.parse('{"__proto__":"x"}'), value)
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _left, ...others } = value as Record<string, unknown>
      yield others
      for (const other of variantsOf(item)) yield { ...value, [key]: other }
    }
  }
}

const names = Object.keys(whole.schemas) as ReadonlyArray<Name>

/** The outcome as something to compare: the value with its order of keys, or that there is none. */
const outcome = (value: Option.Option<unknown>) => Option.map(value, (some) => [some, JSON.stringify(some)])
const decoderOf = (from: typeof whole, name: Name) =>
  from.decodeUnknownOption(from.schemas[name] as Schema.Decoder<unknown>)

describe("the hook's stand-in for effect/Schema", () => {
  for (const name of names) {
    it(`decodes ${name} as effect/Schema does, and refuses what it refuses`, () => {
      const expected = decoderOf(whole, name)
      const actual = decoderOf(lean, name)
      let taken = 0
      let refused = 0
      for (const example of examples[name]) {
        for (const variant of variantsOf(example)) {
          const value = expected(variant)
          if (Option.isSome(value)) taken++
          else refused++
          assert.deepStrictEqual(outcome(actual(variant)), outcome(value), JSON.stringify(variant))
        }
      }
      assert.isAbove(taken, 0, `the example of ${name} is out of date`)
      assert.isAbove(refused, 0)
    })
  }

  it("judges the payload of each kind, and each of its fields, as effect/Schema does", () => {
    for (const kind of Object.keys(payloads) as ReadonlyArray<keyof typeof payloads>) {
      for (const variant of variantsOf(payloads[kind])) {
        const expected = whole.is(whole.payloads[kind] as Schema.Top)(variant)
        assert.strictEqual(lean.is(lean.payloads[kind] as Schema.Top)(variant), expected, JSON.stringify(variant))
      }
      const fields = Object.entries(whole.payloads[kind].fields as Readonly<Record<string, Schema.Top>>)
      const leanFields = lean.payloads[kind].fields as Readonly<Record<string, Schema.Top>>
      for (const [field, schema] of fields) {
        for (const value of oddities) {
          const leanField = leanFields[field]
          assert.isDefined(leanField)
          if (leanField !== undefined) assert.strictEqual(lean.is(leanField)(value), whole.is(schema)(value), field)
        }
      }
    }
  })

  it("judges what is decoded already without transforming it", () => {
    const decoded = [time, "unix:1773478800", ""]
    for (const value of decoded) {
      assert.strictEqual(lean.is(lean.schemas.Timestamp)(value), whole.is(whole.schemas.Timestamp)(value), value)
    }
    assert.strictEqual(lean.schemas.SessionId.make("claude:s"), whole.schemas.SessionId.make("claude:s"))
    assert.throws(() => lean.schemas.SessionId.make(""))
  })

  it("refuses unknown keys where it is asked to, and tells success from failure in each form", () => {
    const strict = { onExcessProperty: "error", errors: "all" } as const
    const expected = whole.decodeUnknownResult(whole.schemas.RedactionConfig, strict)
    const actual = lean.decodeUnknownResult(lean.schemas.RedactionConfig, strict)
    for (const variant of variantsOf(examples.RedactionConfig[0])) {
      assert.deepStrictEqual(Result.getSuccess(actual(variant)), Result.getSuccess(expected(variant)))
    }
    for (const value of [hookPayload, {}]) {
      const exit = lean.decodeUnknownExit(lean.schemas.ClaudePayload)(value)
      assert.strictEqual(exit._tag, whole.decodeUnknownExit(whole.schemas.ClaudePayload)(value)._tag)
    }
  })
})
