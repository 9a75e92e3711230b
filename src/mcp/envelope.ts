import { isObject } from "../domain/jsonObject.ts"

export type RequestId = string | number

/** What JSON-RPC says of a message, before anything else reads it. */
export type Checked =
  | { readonly _tag: "Request"; readonly id: RequestId; readonly method: string; readonly message: Envelope }
  | { readonly _tag: "Notification"; readonly method: string; readonly message: Envelope }
  /** An answer to a request; this server asks nothing. */
  | { readonly _tag: "Answer" }
  | { readonly _tag: "Refused"; readonly id: RequestId | null; readonly code: number; readonly message: string }

/** The members that count. Others of the same message are left out: the RPC layer behind this gives some of them a meaning of its own. */
export interface Envelope {
  readonly jsonrpc: "2.0"
  readonly id?: RequestId
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Error codes of JSON-RPC 2.0. */
export const parseError = -32700
export const invalidRequest = -32600
export const invalidParams = -32602

/** Checks one message. Never throws; what it says repeats nothing of the message. */
export const checkMessage = (text: string): Checked => {
  let value: unknown
  try {
    // Some editors' pipes begin with a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return refuse(null, parseError, "Parse error: the message is not JSON.")
  }
  if (Array.isArray(value))
    return refuse(null, invalidRequest, "Invalid request: send messages one by one, no batches.")
  if (!isObject(value)) return refuse(null, invalidRequest, "Invalid request: a message is an object.")
  const id = isId(value.id) ? value.id : undefined
  if (isDeep(text)) return refuse(id ?? null, invalidRequest, "Invalid request: it is nested too deeply.")
  if (!Object.hasOwn(value, "method")) {
    if (Object.hasOwn(value, "result") || Object.hasOwn(value, "error")) return { _tag: "Answer" }
    return refuse(id ?? null, invalidRequest, "Invalid request: there is no method.")
  }
  const { jsonrpc, method, params } = value
  if (jsonrpc !== "2.0") return refuse(id ?? null, invalidRequest, 'Invalid request: jsonrpc must be "2.0".')
  if (typeof method !== "string" || method === "") {
    return refuse(id ?? null, invalidRequest, "Invalid request: method must be a string.")
  }
  if (Object.hasOwn(value, "id") && id === undefined) {
    return refuse(null, invalidRequest, "Invalid request: id must be a string or a number.")
  }
  if (params !== undefined && !isObject(params)) {
    return refuse(id ?? null, invalidParams, "Invalid params: params must be an object.")
  }
  const message: Envelope = {
    jsonrpc,
    ...(id === undefined ? undefined : { id }),
    method,
    ...(params === undefined ? undefined : { params })
  }
  return id === undefined ? { _tag: "Notification", method, message } : { _tag: "Request", id, method, message }
}

/** No call needs as much; what reads a message further may recurse. */
const mostDepth = 128

/** Whether brackets of a JSON text are nested deeper than any request needs. A loop, because a recursion could not tell it. */
const isDeep = (json: string): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (inString) {
      if (character === backslash) at++
      else if (character === quote) inString = false
    } else if (character === quote) inString = true
    else if (character === openBracket || character === openBrace) {
      if (++depth > mostDepth) return true
    } else if (character === closeBracket || character === closeBrace) depth--
  }
  return false
}
const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** An error as JSON text. */
export const errorAnswer = (id: RequestId | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

const refuse = (id: RequestId | null, code: number, message: string): Checked => ({
  _tag: "Refused",
  id,
  code,
  message
})

const isId = (id: unknown): id is RequestId => typeof id === "string" || (typeof id === "number" && Number.isFinite(id))
