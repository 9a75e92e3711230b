import { sameDigest } from "../platform/digest.ts"
import type { LoopbackRequest } from "../platform/LoopbackServer.ts"

/** What the server was started with: whoever does not know it gets nothing. */
export interface Keys {
  readonly port: number
  /** The first part of every path, random: a cookie for this path goes to no other server of this machine. */
  readonly base: string
  /** The value of the cookie. */
  readonly token: string
}

const cookieName = "lint-ai"

/** Why a request is not answered. The text says it to whoever looks, and nothing else. */
export interface Refusal {
  readonly status: 400 | 403 | 404 | 405 | 413 | 421
  readonly text: string
}

/** Where a request goes: the path after the first slash, as it came, and its query. */
export interface Target {
  readonly path: string
  readonly query: URLSearchParams
}

/**
 * Whether a request may be answered at all, whoever sends it. A page of another site that has its name point to this machine (DNS rebinding) sends its
 * own name as the host; a page of another site says so in its origin.
 */
export const admit = (request: LoopbackRequest, port: number): Target | Refusal => {
  const { method, target, headers } = request
  const hosts = headers.get("host") ?? []
  if (hosts.length !== 1 || !ownHosts(port).includes((hosts[0] ?? "").toLowerCase())) {
    return { status: 421, text: "This server answers to its own address only." }
  }
  if (method !== "GET" && method !== "HEAD") return { status: 405, text: "Nothing can be changed here." }
  const lengths = headers.get("content-length") ?? []
  if (headers.has("transfer-encoding") || lengths.some((length) => length !== "0")) {
    return { status: 413, text: "A request here has no body." }
  }
  const origins = headers.get("origin") ?? []
  if (origins.some((origin) => !ownHosts(port).some((host) => origin.toLowerCase() === `http://${host}`))) {
    return { status: 403, text: "Pages of other sites see nothing here." }
  }
  if (!target.startsWith("/") || target.length > longestTarget) {
    return { status: 400, text: "This is no path." }
  }
  const end = target.indexOf("?")
  return {
    path: (end < 0 ? target : target.slice(0, end)).slice(1),
    query: new URLSearchParams(end < 0 ? "" : target.slice(end + 1))
  }
}

const longestTarget = 4096

const ownHosts = (port: number): ReadonlyArray<string> =>
  ["127.0.0.1", "localhost", "[::1]"].flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])])

export const isRefusal = (one: Target | Refusal): one is Refusal => "status" in one

/** Whether a request comes from the browser that was let in: it has the cookie, and no other site made it send it. */
export const isKnown = (request: LoopbackRequest, keys: Keys): boolean => {
  const [site = "none", ...others] = request.headers.get("sec-fetch-site") ?? []
  if (others.length > 0 || (site !== "none" && site !== "same-origin")) return false
  const given = (request.headers.get("cookie") ?? [])
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1))
  // Every one is compared, in a time that tells nothing of where they differ.
  return given.map((value) => sameDigest(value, keys.token)).includes(true)
}

/** Whether a browser asks for a page to show it, not for a picture, a frame or a preview. A client that is no browser does not say. */
export const isForAPerson = (request: LoopbackRequest): boolean => {
  const [destination = "document"] = request.headers.get("sec-fetch-dest") ?? []
  const purpose = [...(request.headers.get("purpose") ?? []), ...(request.headers.get("sec-purpose") ?? [])]
  return request.method === "GET" && destination === "document" && purpose.length === 0
}

/** The header that lets a browser in: scripts cannot read the cookie, other sites do not send it, and other servers of this machine do not get it. */
export const admission = (keys: Keys): string =>
  `${cookieName}=${keys.token}; Path=/${keys.base}/; HttpOnly; SameSite=Strict`

/** On every answer. */
export const strictHeaders = (policy: string): Readonly<Record<string, string>> => ({
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
})

/** Of an answer that is no page. */
export const nothingPolicy = "default-src 'none'; frame-ancestors 'none'"
