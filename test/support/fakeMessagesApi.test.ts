import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type FakeMessagesApi, startFakeMessagesApi, usageOfAll } from "./fakeMessagesApi.ts"

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: string
}
const user = (content: string): Turn => ({ role: "user", content })
const assistant = (content: string): Turn => ({ role: "assistant", content })

const ask = (api: FakeMessagesApi, messages: ReadonlyArray<Turn>, stream = false) =>
  Effect.promise(async (signal) => {
    const body = JSON.stringify({ model: "some-model", stream, messages })
    const response = await fetch(`${api.url}/v1/messages`, { method: "POST", body, signal })
    const text = await response.text()
    return { status: response.status, text }
  })

const textOf = (answer: { readonly text: string }): string => JSON.parse(answer.text).content[0].text

describe("the fake Messages API", () => {
  it.live("chooses the answer by the last prompt and the answers since", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi({
        two: [{ text: "First." }, { text: "Second." }],
        other: [{ text: "Other." }]
      })
      const history = [user("scenario:two"), assistant("First."), user("<system-reminder>Be brief.</system-reminder>")]
      assert.strictEqual(textOf(yield* ask(api, [user("scenario:two")])), "First.")
      assert.strictEqual(textOf(yield* ask(api, history)), "Second.")
      assert.strictEqual(textOf(yield* ask(api, [...history, user("scenario:other")])), "Other.")
      assert.strictEqual(textOf(yield* ask(api, [...history, user("Give it a title.")])), "Nothing to add.")
    })
  )

  it.live("streams the blocks in pieces and the true token count last", () =>
    Effect.gen(function* () {
      const text = "A text that is longer than a single piece of the stream can be, with one 🎈 in it."
      const api = yield* startFakeMessagesApi({
        long: [{ text, tools: [{ name: "Bash", input: { command: "true" } }] }]
      })
      const { text: stream } = yield* ask(api, [user("scenario:long")], true)
      const events = [...stream.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? ""))
      const deltas = events.filter((event) => event.type === "content_block_delta").map((event) => event.delta)
      assert.strictEqual(deltas.map((delta) => delta.text ?? "").join(""), text)
      assert.deepStrictEqual(JSON.parse(deltas.at(-1).partial_json), { command: "true" })
      assert.strictEqual(events[0].message.usage.output_tokens, 1)
      assert.deepStrictEqual(events.at(-2).usage, api.sent[0]?.usage)
      assert.deepStrictEqual(usageOfAll(api.sent), api.sent[0]?.usage)
    })
  )

  it.live("fails as often as the scenario says, then answers", () =>
    Effect.gen(function* () {
      const error = { status: 529, type: "overloaded_error", message: "Too much.", times: 2 }
      const api = yield* startFakeMessagesApi({ busy: [{ error, text: "At last." }] })
      const answers = [1, 2, 3].map(() => ask(api, [user("scenario:busy")]))
      assert.deepStrictEqual(
        (yield* Effect.all(answers)).map((answer) => answer.status),
        [529, 529, 200]
      )
    })
  )

  it.live("says when an answer stalls, with the usage of its beginning", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi({ slow: [{ text: "This never ends.", stalls: true }] })
      const client = yield* Effect.forkChild(ask(api, [user("scenario:slow")], true))
      const message = yield* api.answered("slow", 0)
      yield* Fiber.interrupt(client)
      assert.strictEqual(message.whole, false)
      assert.strictEqual(message.usage.output_tokens, 1)
    })
  )
})
