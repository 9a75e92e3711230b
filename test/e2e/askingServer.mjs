// An MCP server with one tool, `ask`, that asks the user something. It speaks newline-delimited JSON-RPC on stdin and stdout.
import { createInterface } from "node:readline"

/** @param {Readonly<Record<string, unknown>>} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

let call
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line)
  if (method === "initialize") {
    const { protocolVersion } = params
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "asker", version: "1" } } })
  } else if (method === "tools/list") {
    send({ id, result: { tools: [{ name: "ask", description: "Asks the user", inputSchema: { type: "object" } }] } })
  } else if (method === "tools/call") {
    call = id
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } }
    send({ id: "question", method: "elicitation/create", params: { message: "What is your name?", requestedSchema } })
  } else if (id === "question") {
    send({ id: call, result: { content: [{ type: "text", text: `The user chose to ${result?.action ?? "err"}.` }] } })
  } else if (method !== undefined && id !== undefined) {
    send({ id, error: { code: -32601, message: `There is no ${method} here.` } })
  }
}
