import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { contextOf } from "../../src/hook/failOpen.ts"
import { hook, hookBudgetMs, stdinLimit } from "../../src/hook/hook.ts"
import { Stdin, type StdinReading } from "../../src/platform/Stdin.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { type DiskCall, faultyDisk } from "../support/faultyDisk.ts"
import {
  claudeArchive,
  diagnosticsOf,
  machineOf,
  recordingUser,
  snapshot,
  strictEvents,
  type TestUser
} from "../support/recording.ts"

const payload = (name: string, more: Record<string, unknown> = {}) => ({
  session_id: "s",
  hook_event_name: "UserPromptSubmit",
  prompt_id: name,
  prompt: name,
  ...more
})

/** One delivery inside of this process, on a machine of which a test may change a part. */
const deliver = (
  user: TestUser,
  given: unknown,
  machine: Parameters<typeof machineOf>[1] & {
    readonly stopped?: StdinReading["stopped"]
    readonly env?: Record<string, string>
  } = {}
) => {
  const bytes = Buffer.isBuffer(given) ? given : Buffer.from(JSON.stringify(given))
  const env = { ...user.env, ...machine.env }
  return hook(claudeAdapter, contextOf(["claude"])).pipe(
    Effect.provide(Layer.merge(machineOf({ ...user, env }, machine), Stdin.layerTest(bytes, machine.stopped)))
  )
}

const events = (user: TestUser) =>
  fs.existsSync(claudeArchive(user, "s").events) ? strictEvents(claudeArchive(user, "s").events) : []
const prompts = (user: TestUser) =>
  events(user).map((event) => (event.kind === "user_prompt" ? event.payload.text : event.kind))
const lines = (user: TestUser) => diagnosticsOf(user).map(({ tag, event, detail }) => [tag, event, detail])

const test = (sentence: string, body: (user: TestUser) => Effect.Effect<unknown>) =>
  it.live(sentence, () => Effect.flatMap(recordingUser, body))

describe("a disk that fails under the hook", () => {
  for (const code of ["ENOSPC", "EIO", "EROFS", "EMFILE", "EDQUOT", "EACCES"]) {
    test(`with ${code} at the log gives the safe answer and a line with its code`, (user) =>
      Effect.gen(function* () {
        yield* deliver(user, payload("a"))
        const log = claudeArchive(user, "s").events
        const fails = ({ operation, path }: DiskCall) =>
          path === log && (code === "EMFILE" ? operation === "open" : operation === "write") ? code : undefined
        assert.strictEqual(yield* deliver(user, payload("b"), { disk: faultyDisk(fails) }), "")
        const operation = code === "EMFILE" ? "open" : "write"
        assert.deepStrictEqual(lines(user), [["DiskError", "UserPromptSubmit", `${operation} ${code}`]])
        yield* deliver(user, payload("b"))
        assert.deepStrictEqual(prompts(user), ["a", "b"])
      }))
  }

  for (const code of ["ENOSPC", "EROFS"]) {
    test(`with ${code} at every write keeps the agent going, without any trace`, (user) =>
      Effect.gen(function* () {
        yield* deliver(user, payload("a"))
        const writing = ["write", "link", "rename", "mkdir", "remove", "truncate"]
        const disk = faultyDisk(({ operation }) => (writing.includes(operation) ? code : undefined))
        assert.strictEqual(yield* deliver(user, payload("b"), { disk }), "")
        assert.deepStrictEqual(lines(user), [])
        assert.deepStrictEqual(prompts(user), ["a"])
        yield* deliver(user, payload("c"))
        assert.deepStrictEqual(prompts(user), ["a", "c"])
      }))
  }

  test("at any one operation loses no event in silence, never breaks the hook and never the log", (user) =>
    Effect.gen(function* () {
      const files = claudeArchive(user, "s")
      // The calls of one delivery; each is made to fail in a delivery of its own.
      const calls: Array<DiskCall> = []
      yield* deliver(user, payload("first"), { disk: faultyDisk((call) => void calls.push(call)) })
      yield* deliver(user, payload("second"), { disk: faultyDisk((call) => void calls.push(call)) })
      const isKept = (name: string) =>
        prompts(user).includes(name) ||
        (fs.existsSync(files.spool) &&
          Object.values(snapshot(files.spool)).some((text) => text.includes(JSON.stringify(name))))
      for (let failing = 0; failing < calls.length / 2; failing++) {
        let call = 0
        let failed: DiskCall = { operation: "", path: "" }
        const disk = faultyDisk((made) => {
          if (call++ !== failing) return undefined
          failed = made
          return "EIO"
        })
        const told = lines(user).length
        assert.strictEqual(yield* deliver(user, payload(`p${failing}`), { disk }), "")
        // As if this process had ended.
        fs.rmSync(files.lock, { force: true })
        assert.isTrue(events(user).every((event, index) => event.sequence === index + 1))
        // What cannot be asked of the project, or signed by nobody, is no consent.
        const isConsent = /\.lint-ai$|keys\.json$/.test(failed.path)
        if (!isConsent) {
          assert.isTrue(isKept(`p${failing}`) || lines(user).length > told, `${failed.operation} ${failed.path}`)
        }
      }
      yield* deliver(user, payload("last"))
      assert.isTrue(isKept("last"))
      assert.strictEqual(new Set(prompts(user)).size, prompts(user).length)
    }))
})

describe("a redactor that fails", () => {
  test("withholds the content and keeps the event", (user) =>
    Effect.gen(function* () {
      yield* deliver(user, payload("p", { prompt: "secret words" }), { redactor: Redactor.layerFailing })
      yield* deliver(
        user,
        {
          session_id: "s",
          hook_event_name: "PreToolUse",
          tool_use_id: "t",
          tool_name: "Bash",
          tool_input: { command: "secret words" }
        },
        { redactor: Redactor.layerFailing }
      )
      assert.deepStrictEqual(
        events(user).map(({ kind, payload: content, redactions }) => [kind, content, redactions]),
        [
          ["user_prompt", { text: "[REDACTED:withheld]", origin: "user" }, ["payload.text"]],
          [
            "tool_call",
            { tool_name: "[REDACTED:withheld]", input: "[REDACTED:withheld]" },
            ["payload.tool_name", "payload.input"]
          ]
        ]
      )
      assert.notInclude(fs.readFileSync(claudeArchive(user, "s").events, "utf8"), "secret words")
    }))

  test("with a defect withholds it too", (user) =>
    Effect.gen(function* () {
      const broken = Layer.succeed(Redactor, {
        policy: "broken",
        fingerprint: "0000000000000000",
        redact: () => Effect.die(new Error("secret words"))
      })
      yield* deliver(user, payload("p", { prompt: "secret words" }), { redactor: broken })
      assert.deepStrictEqual(prompts(user), ["[REDACTED:withheld]"])
      assert.deepStrictEqual(lines(user), [])
    }))
})

describe("the time of a hook", () => {
  test("that is over when the payload has been read is told with its stage, and nothing is recorded", (user) =>
    Effect.gen(function* () {
      // Each look at the clock finds 150 ms gone.
      let now = 0
      const host = {
        monotonicMs: () => {
          now += 150
          return now
        }
      }
      const env = { LINT_AI_HOOK_TIMEOUT_MS: "200" }
      assert.strictEqual(
        yield* deliver(user, payload("a"), { env, host: { ...host, env: { ...user.env, ...env } } }),
        ""
      )
      assert.deepStrictEqual(lines(user), [
        ["DeadlineExceeded", "UserPromptSubmit", "the time budget of 200 ms ended during reading"]
      ])
      assert.deepStrictEqual(events(user), [])
    }))

  test("that is over while the agent still writes is told too", (user) =>
    Effect.gen(function* () {
      yield* deliver(user, Buffer.from('{"session_id":'), { stopped: "late" })
      assert.deepStrictEqual(lines(user), [
        ["DeadlineExceeded", undefined, "the time budget of 2000 ms ended during stdin"]
      ])
    }))

  for (const [setting, budgetMs] of [
    [undefined, 2_000],
    ["500", 500],
    ["1", 100],
    ["0", 2_000],
    ["-5", 2_000],
    ["", 2_000],
    ["soon", 2_000],
    ["Infinity", 2_000],
    ["999999999", 30_000]
  ] as const) {
    it(`is ${budgetMs} ms where the setting is ${setting}`, () => {
      assert.strictEqual(hookBudgetMs(setting), budgetMs)
    })
  }
})

describe("a payload over the limit", () => {
  /** As the hook sees it: the first bytes, and how many there were. */
  const huge = (fields: Record<string, unknown>) => {
    const text = JSON.stringify({ ...fields, tool_response: "x".repeat(stdinLimit) })
    return Buffer.from(text)
  }

  test("leaves a marker of its size under the session that stands in its first bytes", (user) =>
    Effect.gen(function* () {
      const bytes = huge({
        session_id: "s",
        hook_event_name: "PostToolUse",
        prompt_id: "p",
        tool_use_id: "t",
        tool_name: "T"
      })
      yield* deliver(user, bytes)
      yield* deliver(user, bytes)
      assert.deepStrictEqual(
        events(user).map(({ kind, payload: content, provider_ids, turn_id }) => [kind, content, provider_ids, turn_id]),
        [
          [
            "provider_event",
            { name: "PostToolUse", fields: { oversized_bytes: bytes.length } },
            { tool_use_id: "t" },
            "p"
          ]
        ]
      )
    }))

  test("without an event in its first bytes is told to be invalid", (user) =>
    Effect.gen(function* () {
      yield* deliver(user, huge({ session_id: "s" }))
      assert.deepStrictEqual(
        lines(user).map(([tag]) => tag),
        ["PayloadInvalid"]
      )
      assert.isFalse(fs.existsSync(sessionsRoot(user.project, "claude")))
    }))
})

describe("what goes wrong in a way that nobody thought of", () => {
  test("is told by its name alone, and the agent gets its answer", (user) =>
    Effect.gen(function* () {
      const disk = faultyDisk(({ path }) => {
        if (path.endsWith("manifest.json")) throw new TypeError("secret words")
        return undefined
      })
      assert.strictEqual(yield* deliver(user, payload("a"), { disk }), "")
      const [[tag, event, detail] = []] = lines(user)
      assert.deepStrictEqual([tag, event, detail], ["Defect", "UserPromptSubmit", "TypeError"])
    }))
})
