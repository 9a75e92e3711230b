import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeGeminiApi, geminiUsage, startFakeGeminiApi } from "./fakeGeminiApi.ts"

const user = (text: string) => ({ role: "user", parts: [{ text }] })
const model = (text: string) => ({ role: "model", parts: [{ text }] })
const toolAnswer = { role: "user", parts: [{ functionResponse: { name: "x", response: { output: "y" } } }] }

const ask = (api: FakeGeminiApi, contents: ReadonlyArray<unknown>, method = "generateContent", more: object = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`${api.url}/v1beta/models/m:${method}`, {
      method: "POST",
      body: JSON.stringify({ contents, ...more })
    })
    return { status: response.status, text: await response.text() }
  })

const scenarios = {
  plain: [{ text: ["One", "."], calls: [{ name: "x", args: {} }] }, { text: ["Two", "."] }],
  failing: [{ error: { status: 503, message: "Later.", times: 1 }, text: "Now." }]
}

describe("the fake Gemini API", () => {
  it.live("answers by the scenario of the last prompt and the answers since", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(scenarios)
      const first = [user("scenario:plain Go.")]
      const second = [...first, model("One."), toolAnswer]
      yield* ask(api, first)
      yield* ask(api, second)
      yield* ask(api, [...second, model("Two."), user("scenario:plain Again.")])
      yield* ask(api, [...second, model("Two."), user("Something else.")])
      assert.deepStrictEqual(
        api.received.map(({ scenario, step }) => [scenario, step]),
        [
          ["plain", 0],
          ["plain", 1],
          ["plain", 0],
          [undefined, 0]
        ]
      )
    })
  )

  it.live("streams in pieces, with usage in the last one, other for each answer", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(scenarios)
      const { text } = yield* ask(api, [user("scenario:plain Go."), model("One."), toolAnswer], "streamGenerateContent")
      const chunks = text
        .split("\r\n\r\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line.slice("data: ".length)))
      assert.deepStrictEqual(
        chunks.map((chunk) => [chunk.candidates[0].content.parts[0].text, chunk.usageMetadata === undefined]),
        [
          ["Two", true],
          [".", false]
        ]
      )
      yield* ask(api, [user("scenario:plain Go.")])
      const [one, two] = api.sent
      assert.notDeepEqual(one?.tokens, two?.tokens)
      assert.strictEqual(
        geminiUsage(api.sent).total_tokens,
        (one?.tokens.totalTokenCount ?? 0) + (two?.tokens.totalTokenCount ?? 0)
      )
    })
  )

  it.live("fails as often as it is told to", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(scenarios)
      const contents = [user("scenario:failing Go.")]
      assert.deepStrictEqual([(yield* ask(api, contents)).status, (yield* ask(api, contents)).status], [503, 200])
    })
  )

  it.live("gives the agent's own requests what they want, and counts them nowhere", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(scenarios)
      const schema = { type: "object", properties: { a: { type: "boolean" }, b: { enum: ["x", "y"] } } }
      const { text } = yield* ask(api, [user("Which?")], "generateContent", {
        generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema }
      })
      assert.deepStrictEqual(JSON.parse(JSON.parse(text).candidates[0].content.parts[0].text), { a: false, b: "x" })
      assert.deepStrictEqual(api.sent, [])
    })
  )
})
