import * as fs from "node:fs"
import * as http from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { Ajv } from "ajv"
import * as Effect from "effect/Effect"

/** One span as the published protocol buffers decode it; ids in hex. */
export interface DecodedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: string
  readonly start: bigint
  readonly end: bigint
  readonly status: string
  readonly attributes: Readonly<Record<string, unknown>>
}

interface MessageType {
  readonly fromObject: (value: object) => object
  readonly verify: (value: object) => string | null
  readonly encode: (message: object) => { readonly finish: () => Uint8Array }
  readonly decode: (bytes: Uint8Array) => object
  readonly toObject: (message: object, options: object) => Record<string, unknown>
}

// Made from the published .proto files; the package hides it from `exports`, not from a path.
const require = createRequire(import.meta.url)
const transformer = path.dirname(require.resolve("@opentelemetry/otlp-transformer/package.json"))
const { opentelemetry } = require(path.join(transformer, "build/src/generated/root.js"))
const Request: MessageType = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest

const ids = new Set(["traceId", "spanId", "parentSpanId"])

/** OTLP/JSON writes ids in hex, where protobuf's own JSON form has base64 for bytes. */
const withBytes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      ids.has(key) && typeof item === "string" ? [key, Buffer.from(item, "hex")] : [key, withBytes(item)]
    )
  )
}

/** Names of all fields that have a value, with their paths: what decoding must not lose. */
const fieldsOf = (value: unknown, at = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, at))
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return [at]
  return Object.entries(value).flatMap(([key, item]) => fieldsOf(item, `${at}.${key}`))
}

/** Decodes one request by way of the binary form. Throws when a field is unknown, of another kind, or lost on the way. */
export const decodeRequest = (text: string): ReadonlyArray<DecodedSpan> => {
  const json = withBytes(JSON.parse(text)) as object
  const message = Request.decode(Request.encode(Request.fromObject(json)).finish())
  const object = Request.toObject(message, { longs: String, enums: String, bytes: String, defaults: false })
  const lost = new Set(fieldsOf(json))
  for (const field of fieldsOf(object)) lost.delete(field)
  if (lost.size > 0) throw new Error(`not in the protocol: ${[...lost].join(", ")}`)
  return (object.resourceSpans as Array<Loose>).flatMap((resource) =>
    (resource.scopeSpans as Array<{ readonly spans: Array<Loose> }>).flatMap(({ spans }) => spans.map(spanOf))
  )
}

const hex = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString("hex")

// What toObject gives has no type that says more.
// biome-ignore lint/suspicious/noExplicitAny: decoded by a schema that the compiler does not know
type Loose = Readonly<Record<string, any>>

const spanOf = (span: Loose): DecodedSpan => ({
  traceId: hex(span.traceId),
  spanId: hex(span.spanId),
  parentSpanId: hex(span.parentSpanId),
  name: String(span.name),
  kind: String(span.kind),
  start: BigInt(String(span.startTimeUnixNano)),
  end: BigInt(String(span.endTimeUnixNano)),
  status: String((span.status as { readonly code?: string } | undefined)?.code ?? ""),
  attributes: Object.fromEntries(
    (span.attributes as Array<{ readonly key: string; readonly value: Record<string, unknown> }>).map(
      ({ key, value }) => [key, Object.values(value)[0]]
    )
  )
})

const schema = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "../fixtures/genai-messages.schema.json"), "utf8")
)
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true }).addSchema(schema, "messages")
/** Whether a text is a list of messages as the GenAI conventions have them. */
export const isMessages = (kind: "input" | "output", text: unknown): boolean =>
  ajv.validate(`messages#/definitions/${kind}`, JSON.parse(String(text)))

export interface Received {
  readonly url: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A collector on loopback. `answers` are its first statuses; then it takes everything. */
export const startReceiver = (answers: ReadonlyArray<number> = []) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly received: Array<Received>; readonly server: http.Server }>(
      (resume) => {
        const received: Array<Received> = []
        const left = [...answers]
        const server = http.createServer((request, response) => {
          const pieces: Array<Buffer> = []
          request.on("data", (piece: Buffer) => pieces.push(piece))
          request.on("end", () => {
            received.push({ url: request.url, headers: request.headers, body: Buffer.concat(pieces).toString("utf8") })
            response.writeHead(left.shift() ?? 200, { "content-type": "application/json" }).end("{}")
          })
        })
        server.listen(0, "127.0.0.1", () =>
          resume(
            Effect.succeed({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, server })
          )
        )
      }
    ),
    ({ server }) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )
