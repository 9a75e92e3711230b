import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { DiskError } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import type { Source } from "./Exporter.ts"
import { otlpRequests, type SpanOptions } from "./otlp.ts"

/** The address of a collector is none. */
export class EndpointInvalid extends Data.TaggedError("EndpointInvalid")<{ readonly endpoint: string }> {
  override get message(): string {
    return `${this.endpoint} is no address of a collector; give one as http://localhost:4318`
  }
}

/** A collector did not take what it was sent. */
export class CollectorFailed extends Data.TaggedError("CollectorFailed")<{
  readonly endpoint: string
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  /** Requests that it had taken before. */
  readonly sent: number
}> {
  override get message(): string {
    const what = this.status === 0 ? "could not be reached" : `answered ${this.status}`
    return `${this.endpoint} ${what}; ${this.sent} requests had been taken. Exporting again sends the same spans with the same ids.`
  }
}

class Refused extends Data.TaggedError("Refused")<{ readonly status: number; readonly retryAfterMs: number }> {}

/** Statuses after which OTLP/HTTP says to try again. */
const temporary: ReadonlySet<number> = new Set([0, 429, 502, 503, 504])
const attempts = 5
const answerMs = 30_000
const longestPauseMs = 30_000

/**
 * Where traces go at an address: an address without a path is that of the collector as a whole, and `v1/traces` is added, as the exporters of
 * OpenTelemetry do.
 */
export const tracesUrl = (endpoint: string): Effect.Effect<URL, EndpointInvalid> =>
  Effect.suspend(() => {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol)) return Effect.fail(new EndpointInvalid({ endpoint }))
    if (url.pathname === "/" || url.pathname === "") url.pathname = "/v1/traces"
    return Effect.succeed(url)
  })

/**
 * Sends the spans of a session to a collector that the user named (OTLP/HTTP with JSON). Headers come from OTEL_EXPORTER_OTLP_HEADERS. What fails for a
 * while is sent again, up to five times; redirects are not followed.
 */
export const sendToCollector = Effect.fn("sendToCollector")(function* (
  source: Source,
  options: SpanOptions,
  endpoint: string
) {
  const host = yield* Host
  const url = yield* tracesUrl(endpoint)
  const headers = headersOf(host.env.OTEL_EXPORTER_OTLP_HEADERS)
  let sent = 0
  let rejected = 0
  let failure: CollectorFailed | undefined
  const send = (request: string) =>
    post(url, headers, request).pipe(
      Effect.tapError((error) => (error.retryAfterMs > 0 ? Effect.sleep(error.retryAfterMs) : Effect.void)),
      Effect.retry({
        while: (error) => temporary.has(error.status),
        times: attempts - 1,
        schedule: Schedule.exponential(200, 2).pipe(Schedule.jittered)
      }),
      Effect.tap((spans) =>
        Effect.sync(() => {
          sent++
          rejected += spans
        })
      ),
      Effect.mapError((error) => {
        failure = new CollectorFailed({ endpoint: url.origin + url.pathname, status: error.status, sent })
        return new DiskError({ operation: "send", path: endpoint, code: String(error.status) })
      })
    )
  const count = yield* otlpRequests(source, options, send).pipe(
    Effect.mapError((error): DiskError | CollectorFailed => failure ?? error)
  )
  return { event_count: count, requests: sent, rejected_spans: rejected, endpoint: url.origin + url.pathname }
})

/** Posts one request; gives the number of spans that the collector says it rejected. */
const post = (url: URL, headers: Readonly<Record<string, string>>, body: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
      })
      return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") }
    },
    catch: () => new Refused({ status: 0, retryAfterMs: 0 })
  }).pipe(
    Effect.flatMap(({ status, text, retryAfter }) =>
      status >= 200 && status < 300
        ? Effect.succeed(rejectedIn(text))
        : Effect.fail(new Refused({ status, retryAfterMs: pauseOf(retryAfter) }))
    )
  )

const pauseOf = (retryAfter: string | null): number => {
  const seconds = Number(retryAfter ?? 0)
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), longestPauseMs) : 0
}

const rejectedIn = (text: string): number => {
  try {
    const count = Number(JSON.parse(text)?.partialSuccess?.rejectedSpans ?? 0)
    return Number.isFinite(count) ? count : 0
  } catch {
    // Any answer with 2xx is a yes.
    return 0
  }
}

/** `name=value,name=value`, values percent-encoded (OpenTelemetry's specification of the variable). */
const headersOf = (text: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (text ?? "").split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      if (at <= 0) return []
      const value = pair.slice(at + 1).trim()
      try {
        return [[pair.slice(0, at).trim(), decodeURIComponent(value)]]
      } catch {
        return [[pair.slice(0, at).trim(), value]]
      }
    })
  )
