import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FileChanges } from "../../src/platform/FileChanges.ts"
import { LoopbackLimits, LoopbackServer } from "../../src/platform/LoopbackServer.ts"
import { serveUi } from "../../src/ui/server.ts"
import { deliver, prompt, start } from "../support/claudeDeliveries.ts"
import { machineOf, recordingUser, type TestUser } from "../support/recording.ts"

/** Everything that a server says on a connection to which `bytes` are written, until it closes that. */
const say = (port: number, bytes: string, until?: (heard: string) => boolean): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    let heard = ""
    const socket = net.connect(port, "127.0.0.1")
    const end = () => {
      socket.destroy()
      resume(Effect.succeed(heard))
    }
    socket.setEncoding("utf8")
    socket.on("data", (text) => {
      heard += text
      if (until?.(heard) === true) end()
    })
    socket.on("close", end)
    socket.on("error", end)
    socket.write(bytes)
    return Effect.sync(() => socket.destroy())
  })

interface Client {
  readonly port: number
  readonly used: ReadonlyArray<string>
  readonly url: string
  /** The path with which all others begin, with a slash at both ends, and the cookie. */
  readonly base: string
  readonly cookie: string
  /** A GET with headers beside the usual; the whole answer as it came. */
  readonly get: (target: string, headers?: Readonly<Record<string, string>>) => Effect.Effect<string>
}

const get =
  (port: number) =>
  (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const all = { host: `127.0.0.1:${port}`, connection: "close", ...headers }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    return say(port, `GET ${target} HTTP/1.1\r\n${lines.join("")}\r\n`)
  }
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
const headersOf = (answer: string): string => answer.slice(0, answer.indexOf("\r\n\r\n")).toLowerCase()
const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4)

/** Long enough for a request on a busy machine, short enough to wait for the end of one that never comes. */
const impatientMs = 4_000

/** A server of a user's project, and a client that was let in. */
const serving = <A, E, R>(use: (client: Client, user: TestUser) => Effect.Effect<A, E, R>, requestMs = 60_000) =>
  Effect.gen(function* () {
    const user = yield* recordingUser
    yield* deliver(user, "s1", [start, prompt(1, "find the <b>needle</b>")])
    return yield* Effect.gen(function* () {
      const used: Array<string> = []
      const { port, url } = yield* serveUi(
        { projectRoot: user.project },
        { port: 0, onUsed: (next) => Effect.sync(() => void used.push(next)) }
      )
      const answer = yield* get(port)(new URL(url).pathname)
      const cookie = /set-cookie: (lint-ai=[0-9a-f]+); path=(\/[0-9a-f]+\/)/.exec(headersOf(answer))
      if (cookie === null) throw new Error(answer)
      const [, value = "", base = ""] = cookie
      return yield* use({ port, used, url, base, cookie: value, get: get(port) }, user)
    }).pipe(
      Effect.provide([machineOf(user), FileChanges.layer, LoopbackServer.layer]),
      Effect.provideService(LoopbackLimits, {
        headerBytes: 4096,
        requestMs,
        keepAliveMs: 200,
        connections: 8,
        unreadBytes: 100_000
      })
    )
  }).pipe(Effect.scoped)

describe("the server of the sessions", () => {
  it.live("gives a browser that was let in the page, the list, a search and the page of a session", () =>
    serving(({ get, base, cookie }, user) =>
      Effect.gen(function* () {
        const page = yield* get(base, { cookie })
        assert.strictEqual(statusOf(page), 200)
        assert.include(page, '<div id="page">')
        assert.notInclude(page, user.project, "it asks for its data")
        const list = JSON.parse(bodyOf(yield* get(`${base}sessions`, { cookie })))
        assert.strictEqual(list.project, user.project)
        assert.deepStrictEqual(
          list.sessions.map((one: { readonly session_id: string }) => one.session_id),
          ["claude:s1"]
        )
        const found = JSON.parse(bodyOf(yield* get(`${base}search?words=the+needle`, { cookie })))
        assert.strictEqual(found.hits[0].kind, "user_prompt")
        const session = yield* get(`${base}session/${list.sessions[0].key}`, { cookie })
        assert.strictEqual(statusOf(session), 200)
        assert.include(session, "claude:s1")
        assert.notInclude(session, "<b>needle")
      })
    )
  )

  it.live("lets each address be used once, and tells the next one to the terminal alone", () =>
    serving(({ get, url, used }) =>
      Effect.gen(function* () {
        assert.strictEqual(used.length, 1)
        assert.notStrictEqual(used[0], url)
        const again = yield* get(new URL(url).pathname)
        assert.strictEqual(statusOf(again), 403)
        assert.notInclude(headersOf(again), "set-cookie")
        const next = new URL(used[0] ?? "").pathname
        assert.strictEqual(statusOf(yield* get(next, { "sec-fetch-dest": "image" })), 403)
        assert.strictEqual(statusOf(yield* get(next)), 200)
        assert.strictEqual(used.length, 2)
      })
    )
  )

  it.live("gives nothing to who was not let in, whatever is asked for", () =>
    serving(({ get, base, cookie, port }, user) =>
      Effect.gen(function* () {
        for (const target of [
          base,
          `${base}sessions`,
          `${base}live`,
          `${base}search?words=needle`,
          "/",
          "/favicon.ico"
        ]) {
          for (const headers of [
            {},
            { cookie: `${cookie}0` },
            { cookie, "sec-fetch-site": "cross-site" },
            { cookie, "sec-fetch-site": "same-site" },
            { cookie, origin: "http://evil.example" },
            { cookie, host: `evil.example:${port}` },
            { cookie, host: "127.0.0.1:80" }
          ] as ReadonlyArray<Readonly<Record<string, string>>>) {
            const answer = yield* get(target, headers)
            assert.include([403, 421], statusOf(answer), `${target} ${JSON.stringify(headers)}`)
            assert.notInclude(answer, user.project)
          }
        }
      })
    )
  )

  it.live("has nothing outside of its few addresses: no path of the machine can be named", () =>
    serving(({ get, base, cookie }) =>
      Effect.gen(function* () {
        for (const target of [
          `${base}../../etc/passwd`,
          `${base}session/../../../etc/passwd`,
          `${base}session/%2e%2e%2f%2e%2e%2fetc%2fpasswd`,
          `${base}session/..%5c..%5cwindows`,
          `${base}session/claude-s1`,
          `${base}session/`,
          `${base}session/x/y`,
          `${base}constructor`,
          `${base}__proto__`,
          `${base}session/\u0000`,
          `/${base.slice(1, -1)}`
        ]) {
          assert.include([400, 404], statusOf(yield* get(target, { cookie })), target)
        }
      })
    )
  )

  it.live("says on every answer that it is for this page alone", () =>
    serving(({ get, base, cookie, port }) =>
      Effect.gen(function* () {
        const answers = [
          yield* get(base, { cookie }),
          yield* get(`${base}sessions`, { cookie }),
          yield* get("/"),
          yield* get("/", { host: "evil.example" }),
          yield* say(port, `POST ${base} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
        ]
        for (const answer of answers) {
          const headers = headersOf(answer)
          for (const header of [
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
            "frame-ancestors 'none'",
            "default-src 'none'"
          ]) {
            assert.include(headers, header)
          }
          assert.notInclude(headers, "unsafe-")
          assert.notInclude(headers, "access-control")
        }
        assert.strictEqual(statusOf(answers[4] ?? ""), 405)
      })
    )
  )

  it.live("sends a client away that drips its request, sends too much, or speaks no HTTP, and goes on for others", () =>
    serving(
      ({ get, base, cookie, port }) =>
        Effect.gen(function* () {
          const host = `Host: 127.0.0.1:${port}\r\n`
          // The server closes all of these: `say` ends only then.
          assert.include([0, 400, 408], statusOf(yield* say(port, `GET ${base} HTTP/1.1\r\n${host}`)))
          assert.include([0, 400, 408], statusOf(yield* say(port, "")))
          assert.include(
            [400, 431],
            statusOf(yield* say(port, `GET ${base} HTTP/1.1\r\n${host}X: ${"a".repeat(9000)}\r\n\r\n`))
          )
          assert.include([400, 431], statusOf(yield* say(port, `GET /${"a".repeat(9000)} HTTP/1.1\r\n${host}\r\n`)))
          assert.strictEqual(statusOf(yield* say(port, "\u0016\u0003\u0001\u0000 hello\r\n\r\n")), 400)
          const body = yield* say(port, `POST / HTTP/1.1\r\n${host}Content-Length: 1000000\r\n\r\nabc`)
          assert.include([400, 405, 408], statusOf(body))
          yield* say(port, `GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
          assert.strictEqual(statusOf(yield* get(base, { cookie })), 200)
        }),
      impatientMs
    )
  )

  it.live("is not kept from others by one who opens connections and says nothing", () =>
    serving(
      ({ get, base, cookie, port }) =>
        Effect.gen(function* () {
          yield* Effect.all(
            Array.from({ length: 30 }, () => say(port, "")),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(statusOf(yield* get(base, { cookie })), 200)
        }),
      impatientMs
    )
  )

  it.live("tells who listens what is recorded, as it is recorded", () =>
    serving(({ base, cookie, port }, user) =>
      Effect.gen(function* () {
        const request = `GET ${base}live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`
        let isCaughtUp: () => void = () => undefined
        const caughtUp = Effect.callback<void>((resume) => {
          isCaughtUp = () => resume(Effect.void)
        })
        const [heard] = yield* Effect.all(
          [
            say(port, request, (text) => {
              if (text.includes("event: caught-up")) isCaughtUp()
              return text.includes("now this")
            }),
            Effect.andThen(caughtUp, deliver(user, "s1", [prompt(2, "now this")]))
          ],
          { concurrency: "unbounded" }
        )
        const lines = heard
          .split("\n")
          .filter((line) => line.startsWith('data: {"type"'))
          .map((line) => JSON.parse(line.slice(6)))
        assert.deepStrictEqual(
          lines.map((line) => [line.type, line.kind ?? ""]),
          [
            ["session", ""],
            ["event", "session_start"],
            ["event", "user_prompt"],
            ["event", "user_prompt"]
          ]
        )
        assert.match(lines[0].key, /^[0-9a-f]{20}$/)
      })
    )
  )

  it.live("listens on this machine only, and no more once its scope has ended", () =>
    Effect.gen(function* () {
      const port = yield* serving(({ port }) => Effect.succeed(port))
      assert.strictEqual(yield* say(port, "GET / HTTP/1.1\r\n\r\n"), "")
    })
  )

  it.live("says which port is taken", () =>
    serving(({ port }) =>
      Effect.gen(function* () {
        const server = yield* LoopbackServer
        const handle = () => Effect.succeed({ status: 200, headers: {}, body: "" })
        const error = yield* Effect.flip(Effect.scoped(server.serve({ port, handle })))
        assert.strictEqual(error.code, "EADDRINUSE")
        assert.include(error.message, String(port))
      })
    )
  )
})
