// The MCP server of lint-ai with one thing more, which the product does not have: it records what a hook tells without a process of its own, over
// HTTP on loopback or as a call of a tool. Bundled and measured by scripts/bench-process-free.mjs; docs/hooks.md says why it is not offered.
import "../src/mcp/stdoutGuard.ts"

import { timingSafeEqual } from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Keyring } from "../src/archive/Keyring.ts"
import { LockService } from "../src/archive/LockService.ts"
import { SessionArchive } from "../src/archive/SessionArchive.ts"
import { Configuration } from "../src/control/Configuration.ts"
import { Diagnostics } from "../src/control/Diagnostics.ts"
import { Toggles } from "../src/control/Toggles.ts"
import { providers } from "../src/domain/provider.ts"
import { contextOf } from "../src/hook/failOpen.ts"
import { hook, stdinLimit } from "../src/hook/hook.ts"
import { framedStdio } from "../src/mcp/framedStdio.ts"
import { ServedAgent } from "../src/mcp/handlers.ts"
import { protocols, registrations, serverName } from "../src/mcp/server.ts"
import { writeProtocol } from "../src/mcp/stdoutGuard.ts"
import { MemoryStore } from "../src/memory/MemoryStore.ts"
import { Disk } from "../src/platform/Disk.ts"
import { Git } from "../src/platform/Git.ts"
import { Host } from "../src/platform/Host.ts"
import { Processes } from "../src/platform/Processes.ts"
import { Sqlite } from "../src/platform/Sqlite.ts"
import { Stdin } from "../src/platform/Stdin.ts"
import { adapterFor } from "../src/providers/registry.ts"
import { Recorder } from "../src/recorder/Recorder.ts"
import { recorderVersion } from "../src/recorder/version.ts"
import { Redactor } from "../src/redaction/Redactor.ts"

const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer)))
const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Diagnostics.layer, Redactor.layerDefault).pipe(
  Layer.provideMerge(machine)
)
const controls = Layer.mergeAll(Configuration.layer, Toggles.layer, SessionArchive.layer).pipe(
  Layer.provideMerge(stores)
)
const services = Layer.mergeAll(Recorder.layer, Git.layer, MemoryStore.layer.pipe(Layer.provide(Sqlite.layer))).pipe(
  Layer.provideMerge(controls)
)

/** One delivery, through the same boundary as in a process of its own: what the agent must read. */
const deliver = (agent: string, bytes: Uint8Array) => {
  const provider = providers.find((name) => name === agent)
  const adapter = provider === undefined ? undefined : adapterFor(provider)
  return hook(adapter, contextOf([agent])).pipe(Effect.provide(Stdin.layerTest(bytes)))
}

const [agent = "claude"] = process.argv.slice(2)
const { HOOK_TOKEN: token, HOOK_PORT: port, HOOK_STATE: state } = process.env

/** Answers POST requests that know the token, and of this machine only. */
const endpoint = Layer.effectDiscard(
  Effect.gen(function* () {
    const run = Effect.runPromiseWith(yield* Effect.context<Effect.Services<ReturnType<typeof deliver>>>())
    const expected = Buffer.from(`Bearer ${token}`)
    const isKnown = (given: string | undefined): boolean => {
      const bytes = Buffer.from(given ?? "")
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    }
    const server = http.createServer((request, response) => {
      const refuse = (status: number) => response.writeHead(status, { connection: "close" }).end()
      if (request.method !== "POST" || !isKnown(request.headers.authorization)) return refuse(403)
      if (request.headers.origin !== undefined) return refuse(403)
      const chunks: Array<Buffer> = []
      let total = 0
      request.on("data", (chunk: Buffer) => {
        total += chunk.length
        if (total > stdinLimit) refuse(413)
        else chunks.push(chunk)
      })
      request.on("end", () => {
        if (total > stdinLimit) return
        run(deliver(agent, Buffer.concat(chunks))).then((answer) => response.writeHead(200).end(answer))
      })
    })
    yield* Effect.callback<void>((resume) => {
      // A server of another session may have the port. This one serves its client all the same.
      server.once("error", () => resume(Effect.void))
      server.listen(Number(port), "127.0.0.1", () => resume(Effect.void))
    })
    const address = server.address() as AddressInfo | null
    if (state !== undefined) fs.writeFileSync(state, JSON.stringify({ pid: process.pid, port: address?.port ?? null }))
  })
)

/** A payload that an agent has put together of named fields: Claude Code makes texts of them, and empty ones of those that are not there. */
const assembled = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [
        name,
        typeof value === "string" && /^tool_(input|response|calls)$/.test(name) ? parsed(value) : value
      ])
  )

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const recordHook = Tool.make("record_hook", {
  description: "Records what a hook tells. For the agent's hooks only.",
  parameters: Schema.Record(Schema.String, Schema.Unknown),
  success: Schema.Record(Schema.String, Schema.Unknown)
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.OpenWorld, false)
const hookTools = Toolkit.make(recordHook)
const hookHandlers = hookTools.toLayer(
  Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof deliver>>>()
    return {
      record_hook: (fields) =>
        deliver(agent, Buffer.from(JSON.stringify(assembled(fields)))).pipe(
          Effect.map((answer) => (answer.startsWith("{") ? JSON.parse(answer) : {})),
          Effect.provideContext(context)
        )
    }
  })
)

const server = McpServer.layerStdio({
  name: serverName,
  version: recorderVersion,
  protocols,
  // PLAIN=1: the server as the product has it, to compare the memory with.
  registrations:
    process.env.PLAIN === "1"
      ? registrations
      : Layer.mergeAll(registrations, McpServer.toolkit(hookTools).pipe(Layer.provide(hookHandlers)))
})
const input = Stream.fromAsyncIterable(process.stdin as AsyncIterable<Uint8Array>, () => "broken" as const).pipe(
  Stream.catch(() => Stream.empty)
)
const write = (bytes: Uint8Array) =>
  Effect.callback<void>((resume) => {
    writeProtocol(bytes, () => resume(Effect.void))
  })
const served = Layer.succeed(ServedAgent, { provider: undefined, project: undefined })
const live = (token === undefined ? server : Layer.mergeAll(server, endpoint)).pipe(
  Layer.provide(framedStdio({ input, write })),
  Layer.provide(served),
  Layer.provide(services),
  Layer.provide(Logger.layer([]))
)
const fiber = Effect.runFork(Layer.launch(live))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fiber.interruptUnsafe())
fiber.addObserver(() => process.exit(0))
