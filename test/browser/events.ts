import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { eventOf } from "../support/events.ts"

const beginning = Date.parse("2026-08-16T12:00:00Z")
const at = (seconds: number) => new Date(beginning + seconds * 1_000).toISOString()

type More = Partial<PreparedEvent>
const told = (seconds: number, turn: string, more: More = {}): More => ({
  timestamp: at(seconds),
  turn_id: turn,
  ...more
})
const idsOf = (id: string, agent: string | undefined) => ({
  tool_use_id: id,
  ...(agent === undefined ? {} : { agent_id: agent })
})
const call = (
  seconds: number,
  turn: string,
  id: string,
  tool_name: string,
  input: unknown,
  agent?: string,
  more: More = {}
) => eventOf("tool_call", id, { tool_name, input }, told(seconds, turn, { provider_ids: idsOf(id, agent), ...more }))
const result = (
  seconds: number,
  turn: string,
  id: string,
  tool_name: string,
  response: unknown,
  duration_ms: number,
  agent?: string,
  more: More = {}
) =>
  eventOf(
    "tool_result",
    id,
    { tool_name, response, duration_ms },
    told(seconds, turn, { provider_ids: idsOf(id, agent), ...more })
  )
const error = (
  seconds: number,
  turn: string,
  id: string,
  tool_name: string,
  outcome: "failed" | "denied" | "invalid" | "interrupted",
  text: string,
  duration_ms?: number
) =>
  eventOf(
    "tool_error",
    id,
    { tool_name, outcome, error: text, ...(duration_ms === undefined ? {} : { duration_ms }) },
    told(seconds, turn, { provider_ids: idsOf(id, undefined) })
  )

const diff = [
  "--- a/src/rateLimit.ts",
  "+++ b/src/rateLimit.ts",
  "@@ -18,7 +18,7 @@ export const allow = (key: string) => {",
  "   const bucket = buckets.get(key) ?? fresh(now)",
  "-  if (bucket.count > limit) return false",
  "+  if (bucket.count >= limit) return false",
  "   bucket.count++",
  "   return true"
].join("\n")

/** A session that has one of everything: what a person works on in an hour, with whatever can go wrong. */
export const fullSession: ReadonlyArray<PreparedEvent> = [
  eventOf(
    "session_start",
    "start",
    { source: "startup", model: "claude-opus-4-7", permission_mode: "default" },
    { timestamp: at(0) }
  ),
  eventOf(
    "context_injected",
    "memories",
    {
      record_ids: ["mem-7f31 rate limits are per API key", "mem-a220 tests need Redis"],
      bytes: 1_480,
      milliseconds: 12.4
    },
    { timestamp: at(3.9), turn_id: "t1" }
  ),
  eventOf(
    "user_prompt",
    "p1",
    {
      text: "Requests over the limit are let through once too often.\nFind out why, fix it and add a test.",
      origin: "user"
    },
    told(4, "t1")
  ),
  eventOf(
    "assistant_message",
    "a0",
    { text: "I will look at the limiter and its tests first.", final: false },
    told(7, "t1")
  ),
  call(8, "t1", "c1", "Grep", { pattern: "bucket.count", path: "src" }),
  result(
    8.4,
    "t1",
    "c1",
    "Grep",
    "src/rateLimit.ts:20: if (bucket.count > limit) return false\nsrc/rateLimit.ts:21: bucket.count++",
    310
  ),
  call(10, "t1", "c2", "Read", { file_path: "/srv/app/.env" }),
  result(
    10.1,
    "t1",
    "c2",
    "Read",
    "REDIS_URL=redis://default:[REDACTED:url-password]@cache.internal:6379\nAPI_KEY=[REDACTED:secret]\nLIMIT=100\n",
    14,
    undefined,
    { redactions: ["payload.response", "payload.response"] }
  ),
  call(12, "t1", "c3", "Agent", {
    description: "Find every caller of allow",
    prompt: "Which routes call allow(), and with which limits?",
    subagent_type: "Explore"
  }),
  eventOf(
    "subagent_start",
    "s1",
    { agent_type: "Explore", text: "Which routes call allow(), and with which limits?" },
    told(12.4, "t1", { provider_ids: { agent_id: "agent-1" } })
  ),
  call(14, "t1", "c4", "Glob", { pattern: "src/routes/**/*.ts" }, "agent-1"),
  result(14.2, "t1", "c4", "Glob", "src/routes/users.ts\nsrc/routes/search.ts\nsrc/routes/upload.ts", 90, "agent-1"),
  call(16, "t1", "c5", "Agent", { description: "Read the upload route", subagent_type: "Reader" }, "agent-1"),
  eventOf(
    "subagent_start",
    "s2",
    { agent_type: "Reader", text: "What does the upload route limit?" },
    told(16.5, "t1", { provider_ids: { agent_id: "agent-2" } })
  ),
  call(18, "t1", "c6", "Read", { file_path: "/srv/app/src/routes/upload.ts" }, "agent-2"),
  result(
    18.1,
    "t1",
    "c6",
    "Read",
    "export const upload = limited(20, async (request) => {\n  // …\n})\n",
    21,
    "agent-2"
  ),
  eventOf(
    "subagent_stop",
    "s2-end",
    { agent_type: "Reader", text: "It allows 20 uploads a minute for each key." },
    told(21, "t1", { provider_ids: { agent_id: "agent-2" } })
  ),
  result(
    21.2,
    "t1",
    "c5",
    "Agent",
    { content: [{ type: "text", text: "It allows 20 uploads a minute for each key." }] },
    5_100,
    "agent-1"
  ),
  eventOf(
    "subagent_stop",
    "s1-end",
    { agent_type: "Explore", text: "Three routes: users (100), search (30) and upload (20)." },
    told(24, "t1", { provider_ids: { agent_id: "agent-1" } })
  ),
  result(
    24.3,
    "t1",
    "c3",
    "Agent",
    { content: [{ type: "text", text: "Three routes: users (100), search (30) and upload (20)." }] },
    12_200
  ),
  call(26, "t1", "c7", "Bash", { command: "npm test -- rateLimit", description: "Run the tests of the limiter" }),
  error(
    33,
    "t1",
    "c7",
    "Bash",
    "failed",
    "Exit code 1\n\n  rateLimit › refuses request 101\n    expected 429, got 200\n",
    6_900
  ),
  call(36, "t1", "c8", "Edit", {
    file_path: "/srv/app/src/rateLimit.ts",
    old_string: "if (bucket.count > limit) return false",
    new_string: "if (bucket.count >= limit) return false"
  }),
  result(36.2, "t1", "c8", "Edit", diff, 42),
  call(39, "t1", "c9", "Bash", { command: "npm test -- rateLimit" }),
  result(
    47,
    "t1",
    "c9",
    "Bash",
    { stdout: "Test Files  1 passed (1)\n     Tests  9 passed (9)\n", stderr: "", interrupted: false },
    7_800
  ),
  call(49, "t1", "c10", "Bash", { command: "git push --force origin main" }),
  eventOf(
    "provider_event",
    "permission",
    { name: "PermissionRequest", fields: { tool_name: "Bash" } },
    told(49.2, "t1")
  ),
  error(55, "t1", "c10", "Bash", "denied", "The user does not want to force a push."),
  error(56, "t1", "c11", "Browse", "invalid", "There is no tool of this name."),
  eventOf(
    "assistant_message",
    "a1",
    {
      text: "The comparison was off by one: request 101 was counted after it had been let in.\n\n```ts\nif (bucket.count >= limit) return false\n```\n\nThe nine tests of the limiter pass. I did not push.",
      final: true
    },
    told(58, "t1")
  ),
  eventOf(
    "turn_usage",
    "u1",
    {
      source: "claude-transcript",
      messages: Array.from({ length: 14 }, (_, index) => ({
        message_id: `m${index}`,
        model: "claude-opus-4-7",
        time: at(5 + index * 3.7),
        input_tokens: 900 + ((index * 347) % 800),
        output_tokens: 180 + ((index * 211) % 640),
        cache_creation_input_tokens: index === 0 ? 9_800 : 420 + ((index * 97) % 300),
        cache_read_input_tokens: index === 0 ? 0 : 9_800 + index * 1_150
      }))
    },
    told(58.2, "t1")
  ),
  eventOf("compaction", "k1", { phase: "before", trigger: "auto" }, told(61, "t1")),
  eventOf(
    "compaction",
    "k2",
    {
      phase: "after",
      trigger: "auto",
      summary: "The limiter compared with > instead of >=. Fixed, tests pass, nothing pushed."
    },
    told(66, "t1")
  ),
  eventOf(
    "provider_event",
    "gap",
    { name: "recording_gap", fields: { cause: "spooled", deliveries: 2, events: 3 } },
    told(70, "t1")
  ),
  eventOf(
    "user_prompt",
    "p2",
    { text: "Deploy it to staging with the key ghp_[REDACTED:github-pat].", origin: "user" },
    told(2_460, "t2", { redactions: ["payload.text"] })
  ),
  call(2_463, "t2", "c12", "Bash", { command: "./deploy.sh staging" }, undefined, {
    truncated: [{ path: "payload.input.env", bytes: 18_300 }]
  }),
  error(2_490, "t2", "c12", "Bash", "interrupted", "The user interrupted.", 27_000),
  call(2_494, "t2", "c13", "Bash", { command: "./deploy.sh staging --resume" }),
  eventOf("session_end", "end", { reason: "prompt_input_exit" }, { timestamp: at(2_520), scope: "run" })
]

/** What somebody could put into a session to do harm to who looks at it. */
export const hostileTexts: ReadonlyArray<string> = [
  "<script>alert('script')</script>",
  "</script><script>alert('closed')</script>",
  "<!--<script>alert('comment')</script>-->",
  '<img src="http://example.com/x.png" onerror="alert(1)">',
  '"><svg onload=alert(1)>',
  "javascript:alert(1)",
  "\u202egnp.exe\u202c \u2066isolated\u2069 \u200b\ufeff zero",
  "\u001b[31mred\u001b[0m \u001b]8;;http://example.com\u0007link\u001b]8;;\u0007 \u0000\u0008\u009b",
  "\u2028line\u2029paragraph",
  "]]><![CDATA[ &lt;b&gt; &amp; {{constructor}} ${alert(1)}",
  "\ud800 alone",
  "[REDACTED:<img src=x onerror=alert(1)>] [REDACTED:ok]"
]

export const hugeText = `BEGIN ${"0123456789abcde\n".repeat(640 * 1024)} END`

/** Every text in every place that a session has for one, a value with keys that mean something to JavaScript, and a result of 10 MB. */
export const hostileSession: ReadonlyArray<PreparedEvent> = [
  eventOf("session_start", "start", { source: hostileTexts[0], model: hostileTexts[3] }, { timestamp: at(0) }),
  ...hostileTexts.flatMap((text, index) => {
    const second = 1 + index * 5
    const turn = `turn ${text}`
    return [
      eventOf("user_prompt", `p${index}`, { text, origin: "user" }, told(second, turn)),
      call(second + 1, turn, `c${index}`, text, { [text]: text, command: text }, index % 3 === 0 ? text : undefined),
      result(
        second + 2,
        turn,
        `c${index}`,
        text,
        { nested: [{ [text]: [text] }] },
        5,
        index % 3 === 0 ? text : undefined
      ),
      eventOf(
        "subagent_start",
        `s${index}`,
        { agent_type: text, text },
        told(second + 3, turn, { provider_ids: { agent_id: text } })
      ),
      eventOf("provider_event", `n${index}`, { name: text, fields: { [text]: text } }, told(second + 3, turn)),
      eventOf("compaction", `k${index}`, { phase: "after", trigger: text, summary: text }, told(second + 3, turn)),
      eventOf(
        "context_injected",
        `m${index}`,
        { record_ids: [text], bytes: 1, milliseconds: 1 },
        told(second + 3, turn)
      ),
      eventOf(
        "assistant_message",
        `a${index}`,
        { text: `\`\`\`html\n${text}\n\`\`\`\n${text}`, final: true },
        told(second + 4, turn)
      )
    ]
  }),
  call(
    90,
    "last",
    "keys",
    "Bash",
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": "x", "toString": "y"}')
  ),
  result(91, "last", "keys", "Bash", JSON.parse(`${"[".repeat(900)}1${"]".repeat(900)}`), 1),
  call(92, "last", "huge", "Bash", { command: "cat everything" }),
  result(93, "last", "huge", "Bash", hugeText, 900),
  eventOf("session_end", "end", { reason: hostileTexts[1] }, { timestamp: at(95), scope: "run" })
]

const words = "the quick archive keeps every event that a hook acknowledged and says where it could not".split(" ")

/** A session of a number of events, of the sizes that sessions have. */
export const longSession = (count: number): ReadonlyArray<PreparedEvent> => {
  const text = (seed: number, length: number) =>
    Array.from({ length }, (_, index) => words[(seed * 7 + index * (1 + (seed % 5))) % words.length]).join(" ")
  const events: Array<PreparedEvent> = [
    eventOf("session_start", "start", { source: "startup", model: "claude-opus-4-7" }, { timestamp: at(0) })
  ]
  for (let n = 1; events.length < count - 1; n++) {
    const turn = `t${Math.ceil(n / 20)}`
    const second = n * 2.5
    if (n % 20 === 1) {
      events.push(eventOf("user_prompt", `p${n}`, { text: text(n, 30), origin: "user" }, told(second, turn)))
    } else if (n % 20 === 0) {
      events.push(eventOf("assistant_message", `a${n}`, { text: text(n, 80), final: true }, told(second, turn)))
    } else {
      const tool = ["Bash", "Read", "Grep", "Edit"][n % 4] ?? "Bash"
      events.push(call(second, turn, `c${n}`, tool, { command: text(n, 8) }))
      if (events.length < count - 1) {
        events.push(
          n % 23 === 0
            ? error(second + 1.2, turn, `c${n}`, tool, "failed", text(n, 20), 1_200)
            : result(second + 1, turn, `c${n}`, tool, text(n, 120), 900 + (n % 700))
        )
      }
    }
  }
  events.push(eventOf("session_end", "end", { reason: "other" }, { timestamp: at(count * 2), scope: "run" }))
  return events.slice(0, count)
}
