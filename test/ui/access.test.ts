import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { LoopbackRequest } from "../../src/platform/LoopbackServer.ts"
import { admission, admit, isForAPerson, isKnown, isRefusal, type Keys } from "../../src/ui/access.ts"

const keys: Keys = { port: 4711, base: "b".repeat(24), token: "0123456789abcdef".repeat(4) }

const request = (
  headers: Readonly<Record<string, string | ReadonlyArray<string>>> = {},
  given: { readonly method?: string; readonly target?: string } = {}
): LoopbackRequest => ({
  method: given.method ?? "GET",
  target: given.target ?? "/",
  headers: new Map(
    Object.entries({ host: "127.0.0.1:4711", ...headers }).map(([name, value]) => [
      name,
      typeof value === "string" ? [value] : value
    ])
  )
})
const statusOf = (one: LoopbackRequest): number => {
  const target = admit(one, keys.port)
  return isRefusal(target) ? target.status : 200
}

describe("a request", () => {
  it("is answered only under the names of this machine, with the port", () => {
    for (const host of ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "[::1]:4711"]) {
      assert.strictEqual(statusOf(request({ host })), 200, host)
    }
    for (const host of [
      "127.0.0.1",
      "localhost",
      "127.0.0.1:4712",
      "evil.example:4711",
      "127.0.0.1.evil.example:4711",
      "evil.example#127.0.0.1:4711",
      "0.0.0.0:4711",
      "192.168.0.7:4711",
      "127.1:4711",
      ""
    ]) {
      assert.strictEqual(statusOf(request({ host })), 421, host)
    }
    assert.strictEqual(statusOf(request({ host: ["127.0.0.1:4711", "evil.example"] })), 421)
    assert.strictEqual(statusOf({ ...request(), headers: new Map() }), 421)
  })

  it("of another method, with a body, or of a page of another site is refused", () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "get"]) {
      assert.strictEqual(statusOf(request({}, { method })), 405, method)
    }
    assert.strictEqual(statusOf(request({}, { method: "HEAD" })), 200)
    assert.strictEqual(statusOf(request({ "content-length": "1" })), 413)
    assert.strictEqual(statusOf(request({ "content-length": "0" })), 200)
    assert.strictEqual(statusOf(request({ "transfer-encoding": "chunked" })), 413)
    assert.strictEqual(statusOf(request({ origin: "http://127.0.0.1:4711" })), 200)
    for (const origin of ["http://evil.example", "https://127.0.0.1:4711", "http://127.0.0.1:80", "null", ""]) {
      assert.strictEqual(statusOf(request({ origin })), 403, origin)
    }
  })

  it("for something that is no path is refused", () => {
    for (const target of ["http://evil.example/", "*", "127.0.0.1:4711", "", `/${"a".repeat(5000)}`]) {
      assert.strictEqual(statusOf(request({}, { target })), 400, target.slice(0, 30))
    }
  })

  it("is known by the cookie alone, and not when another site made the browser send it", () => {
    const cookie = `lint-ai=${keys.token}`
    assert.isTrue(isKnown(request({ cookie }), keys))
    assert.isTrue(isKnown(request({ cookie: `a=b; ${cookie}; c=d` }), keys))
    assert.isTrue(isKnown(request({ cookie, "sec-fetch-site": "same-origin" }), keys))
    assert.isTrue(isKnown(request({ cookie, "sec-fetch-site": "none" }), keys))
    for (const site of ["cross-site", "same-site", "SAME-ORIGIN", ""]) {
      assert.isFalse(isKnown(request({ cookie, "sec-fetch-site": site }), keys), site)
    }
    assert.isFalse(isKnown(request({ cookie, "sec-fetch-site": ["same-origin", "cross-site"] }), keys))
    assert.isFalse(isKnown(request(), keys))
    for (const wrong of ["", "lint-ai=", `lint-ai=${keys.token}0`, `lint-ai=${keys.token.slice(1)}`, `x${cookie}`]) {
      assert.isFalse(isKnown(request({ cookie: wrong }), keys), wrong)
    }
  })

  it.prop("is not known by any other text", [Schema.String], ([text]) =>
    text.includes(keys.token) ? true : !isKnown(request({ cookie: `lint-ai=${text}` }), keys)
  )

  it("uses up the first address only when a person's browser sends it", () => {
    assert.isTrue(isForAPerson(request()))
    assert.isTrue(isForAPerson(request({ "sec-fetch-dest": "document" })))
    for (const destination of ["image", "iframe", "empty", "script"]) {
      assert.isFalse(isForAPerson(request({ "sec-fetch-dest": destination })), destination)
    }
    assert.isFalse(isForAPerson(request({}, { method: "HEAD" })))
    assert.isFalse(isForAPerson(request({ "sec-purpose": "prefetch" })))
  })

  it("is answered with a cookie that no script, no other site and no other server gets", () => {
    const header = admission(keys)
    for (const part of ["HttpOnly", "SameSite=Strict", `Path=/${keys.base}/`]) assert.include(header, part)
    assert.notInclude(header, "Domain")
  })
})
