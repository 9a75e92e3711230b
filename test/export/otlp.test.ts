import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readManifest } from "../../src/archive/manifestFile.ts"
import { sendToCollector, tracesUrl } from "../../src/export/collector.ts"
import { otlp } from "../../src/export/otlp.ts"
import { filesOf } from "../support/events.ts"
import { machineOf, newUser, strictEvents, type TestUser } from "../support/recording.ts"
import { everySession } from "./everySession.ts"
import { exampleSession, golden } from "./example.ts"
import { type DecodedSpan, decodeRequest, isMessages, startReceiver } from "./otlpReceiver.ts"
import { exported, record } from "./sessions.ts"

const plain = { content: false, openInference: false }
const full = { content: true, openInference: true }

const spansIn = (text: string): ReadonlyArray<DecodedSpan> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap(decodeRequest)

/** Attributes that may hold what somebody said. */
const contentKeys = /messages$|arguments$|result$|\.value$/

describe("a session as OpenTelemetry spans", () => {
  for (const [name, provider, payloads] of everySession) {
    it.live(`decodes by the published protocol, one span for each call: ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          for (const directory of yield* record(user, provider, payloads)) {
            const events = strictEvents(path.join(directory, "events.jsonl"))
            const text = yield* exported(directory, otlp(plain))
            const spans = spansIn(text)
            const withAll = spansIn(yield* exported(directory, otlp(full)))
            assert.strictEqual(yield* exported(directory, otlp(plain)), text)
            assert.deepStrictEqual(
              withAll.map((span) => span.spanId),
              spans.map((span) => span.spanId)
            )
            assert.strictEqual(new Set(spans.map((span) => span.spanId)).size, spans.length)
            assert.strictEqual(new Set(spans.map((span) => span.traceId)).size, 1)
            const known = new Set(spans.map((span) => span.spanId))
            assert.strictEqual(spans.filter((span) => span.parentSpanId === "").length, 1)
            for (const span of spans) {
              assert.isTrue(span.parentSpanId === "" || known.has(span.parentSpanId))
              assert.isTrue(span.start <= span.end && span.start > 0n)
              assert.match(span.traceId, /^[0-9a-f]{32}$/)
              assert.match(span.spanId, /^[0-9a-f]{16}$/)
              for (const key of Object.keys(span.attributes)) assert.notMatch(key, contentKeys)
            }
            const calls = new Set(
              events.flatMap((event) =>
                event.kind === "tool_call" || event.kind === "tool_error" || event.kind === "tool_result"
                  ? [event.provider_ids?.tool_use_id ?? event.event_id]
                  : []
              )
            )
            const tools = spans.filter((span) => span.attributes["gen_ai.operation.name"] === "execute_tool")
            assert.strictEqual(tools.length, calls.size)
            for (const span of withAll) {
              const { attributes } = span
              assert.isDefined(attributes["openinference.span.kind"])
              if (attributes["gen_ai.input.messages"] !== undefined) {
                assert.isTrue(isMessages("input", attributes["gen_ai.input.messages"]))
              }
              if (attributes["gen_ai.output.messages"] !== undefined) {
                assert.isTrue(isMessages("output", attributes["gen_ai.output.messages"]))
              }
            }
          }
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }

  it.effect("is, for the example session, what was checked by hand", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const text = yield* Effect.flatMap(exampleSession(user), (directory) => exported(directory, otlp(full))).pipe(
        Effect.provide(machineOf(user))
      )
      const seconds = (nanoseconds: bigint) =>
        Number(nanoseconds / 1_000_000n) / 1000 - Date.UTC(2026, 7, 16, 12) / 1000
      const names = new Map(spansIn(text).map((span) => [span.spanId, span.name]))
      const made = spansIn(text).map(({ traceId: _trace, spanId: _span, parentSpanId, start, end, ...span }) => ({
        ...span,
        parent: names.get(parentSpanId) ?? null,
        from: seconds(start),
        to: seconds(end)
      }))
      const plainMade = JSON.parse(JSON.stringify(made))
      assert.deepStrictEqual(plainMade, golden("example.otlp-spans.json", plainMade))
    })
  )
})

const sourceOf = (user: TestUser) =>
  Effect.gen(function* () {
    const directory = yield* exampleSession(user)
    const reading = yield* readManifest(filesOf(user).manifest)
    if (reading._tag !== "Manifest") throw new Error("no manifest")
    return { directory, manifest: reading.manifest }
  })

describe("sending to a collector", () => {
  it.live("posts the spans to v1/traces with the user's headers", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const receiver = yield* startReceiver()
      const env = { ...user.env, OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b,x-other=c" }
      yield* Effect.gen(function* () {
        const source = yield* sourceOf(user)
        const sent = yield* sendToCollector(source, plain, receiver.url)
        assert.deepInclude(sent, { requests: 1, rejected_spans: 0 })
        const [only] = receiver.received
        assert.strictEqual(only?.url, "/v1/traces")
        assert.strictEqual(only?.headers["content-type"], "application/json")
        assert.strictEqual(only?.headers["x-tenant"], "a b")
        const expected = spansIn(yield* exported(source.directory, otlp(plain)))
        assert.deepStrictEqual(decodeRequest(only?.body ?? ""), expected)
      }).pipe(Effect.provide(machineOf(user, { host: { env } })))
    })
  )

  it.live("tries again what fails for a while, with the same spans", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const receiver = yield* startReceiver([503, 429])
      yield* Effect.gen(function* () {
        const sent = yield* sendToCollector(yield* sourceOf(user), plain, `${receiver.url}/custom/path`)
        assert.strictEqual(sent.requests, 1)
        assert.strictEqual(receiver.received.length, 3)
        assert.strictEqual(new Set(receiver.received.map(({ body }) => body)).size, 1)
        assert.strictEqual(receiver.received[0]?.url, "/custom/path")
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  for (const [what, status] of [
    ["refuses", 400],
    ["sends elsewhere", 307]
  ] as const) {
    it.live(`says so when the collector ${what}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const receiver = yield* startReceiver([status, status, status, status, status, status])
        const error = yield* Effect.flatMap(sourceOf(user), (source) =>
          sendToCollector(source, plain, receiver.url)
        ).pipe(Effect.flip, Effect.provide(machineOf(user)))
        assert.strictEqual(error._tag, "CollectorFailed")
        assert.strictEqual(receiver.received.length, 1)
      })
    )
  }

  it.live("says so when nobody is there", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const receiver = yield* Effect.scoped(startReceiver())
      const error = yield* Effect.flatMap(sourceOf(user), (source) =>
        sendToCollector(source, plain, receiver.url)
      ).pipe(Effect.flip, Effect.provide(machineOf(user)))
      assert.deepInclude(error, { _tag: "CollectorFailed", status: 0, sent: 0 })
    })
  )

  it.effect("takes http and https addresses only", () =>
    Effect.gen(function* () {
      for (const wrong of ["", "localhost", "ftp://x", "file:///etc/passwd", "http://"]) {
        assert.strictEqual((yield* Effect.flip(tracesUrl(wrong))).endpoint, wrong)
      }
      assert.strictEqual((yield* tracesUrl("http://localhost:4318")).href, "http://localhost:4318/v1/traces")
      assert.strictEqual((yield* tracesUrl("https://x/otlp/v1/traces")).href, "https://x/otlp/v1/traces")
    })
  )
})
