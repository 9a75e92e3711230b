import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Citations } from "../../../src/memory/extraction/citations.ts"
import { gate, jaccard, KnownNotes } from "../../../src/memory/extraction/gates.ts"
import { Redactor } from "../../../src/redaction/Redactor.ts"

const note = {
  kind: "memory",
  title: "Where the logs are",
  body: "The gateway writes its logs to /var/log/gateway, rotated daily.",
  tags: ["ops"]
} as const
const judged = (
  candidate: Parameters<typeof gate>[0],
  known: ReadonlyArray<string> = [],
  redactor = Redactor.layerDefault
) =>
  gate(candidate, new KnownNotes(known)).pipe(
    Effect.map((drop) => drop?.category),
    Effect.provide(redactor)
  )

describe("the gates", () => {
  const rows = [
    ["lets a note pass", note, [], undefined],
    ["finds a secret in a title", { ...note, title: "password=hunter2-Xk29-long" }, [], "secret-detected"],
    ["finds a secret in a body", { ...note, body: `Use ghp_${"aB3d".repeat(9)} for it.` }, [], "secret-detected"],
    ["finds a secret in a tag", { ...note, tags: [`ghp_${"aB3d".repeat(9)}`] }, [], "secret-detected"],
    [
      "takes a marker for no secret",
      { ...note, body: "The key was [REDACTED:github-token] and expired in May." },
      [],
      undefined
    ],
    ["wants 15 characters", { ...note, body: "a b c d e f g" }, [], "too-thin"],
    ["counts characters, not bytes", { ...note, body: "数据库连接池上限是五十个连接" }, [], "too-thin"],
    ["wants something said", { ...note, body: "It is what it was, and that is that." }, [], "trivia"],
    [
      "knows a note again",
      note,
      ["Where the LOGS are\nThe gateway writes its logs to /var/log/gateway rotated daily!"],
      "duplicate-lexical"
    ],
    [
      "knows it with its words bent and turned",
      {
        ...note,
        title: "Log of the gateways",
        body: "Rotating daily, gateway logs are written at /var/log/gateway by it."
      },
      ["Gateway logs\nThe gateway's log, written to /var/log/gateway, rotates daily."],
      "duplicate-semantic"
    ],
    [
      "keeps another note about the same thing",
      note,
      ["Where the logs are\nThe worker prints to stdout only."],
      undefined
    ]
  ] as const
  for (const [says, candidate, known, expected] of rows) {
    it.effect(says, () => Effect.map(judged(candidate, known), (category) => assert.strictEqual(category, expected)))
  }

  it.effect("lets nothing pass that the redactor could not look through", () =>
    Effect.map(judged(note, [], Redactor.layerFailing), (category) => assert.strictEqual(category, "secret-detected"))
  )

  it("compares sets of words", () => {
    assert.strictEqual(jaccard(new Set(["a", "b"]), new Set(["b", "c"])), 1 / 3)
    assert.strictEqual(jaccard(new Set(), new Set()), 0)
  })
})

describe("citations", () => {
  const line = (sequence: number, text: string) => ({ sequence, timestamp: "", text })
  const lines = [
    line(3, "user: where are the logs of the gateway?"),
    line(4, "assistant [tool_use: Bash]"),
    line(5, "[tool_result] /var/log/gateway rotated daily"),
    line(6, "assistant: The gateway writes to /var/log/gateway."),
    line(9, "user: thanks, now the weather")
  ]

  it("are the events that hold a note's words, in their order", () => {
    const { events, grounded } = new Citations(lines).of(note)
    assert.isTrue(grounded)
    assert.deepStrictEqual(events, [5, 6])
  })

  it("are all that the agent was shown where no event fits, and say so", () => {
    const invented = { ...note, title: "Bananas", body: "Quantum bananas ripen overnight.", tags: [] }
    assert.deepStrictEqual(new Citations(lines).of(invented), { events: [3, 9], grounded: false })
    assert.deepStrictEqual(new Citations([]).of(invented), { events: [], grounded: false })
  })
})
