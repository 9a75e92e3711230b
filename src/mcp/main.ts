import "./stdoutGuard.ts"

import * as path from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Keyring } from "../archive/Keyring.ts"
import { LockService } from "../archive/LockService.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { Configuration } from "../control/Configuration.ts"
import { Diagnostics } from "../control/Diagnostics.ts"
import { Toggles } from "../control/Toggles.ts"
import { Provider } from "../domain/provider.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import { Disk } from "../platform/Disk.ts"
import { Git } from "../platform/Git.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { Sqlite } from "../platform/Sqlite.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { framedStdio, type Pipes } from "./framedStdio.ts"
import { ServedAgent } from "./handlers.ts"
import { server } from "./server.ts"
import { writeProtocol } from "./stdoutGuard.ts"

const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer)))
const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Diagnostics.layer, Configuration.layer).pipe(
  Layer.provideMerge(machine)
)
const services = Layer.mergeAll(
  SessionArchive.layer,
  Toggles.layer,
  Redactor.layerDefault,
  Git.layer,
  MemoryStore.layer.pipe(Layer.provide(Sqlite.layer))
).pipe(Layer.provideMerge(stores))

/** An input that breaks is an input that has ended. */
const input: Stream.Stream<Uint8Array> = Stream.fromAsyncIterable(
  process.stdin as AsyncIterable<Uint8Array>,
  () => "broken" as const
).pipe(Stream.catch(() => Stream.empty))

const write: Pipes["write"] = (bytes) =>
  Effect.callback<void>((resume) => {
    writeProtocol(bytes, (taken) => {
      // The client is gone: nobody is left to serve.
      if (taken) resume(Effect.void)
      else process.exit(0)
    })
  })

const decodeProvider = Schema.decodeUnknownOption(Provider)

const isDirectory = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const host = yield* Host
  const real = yield* disk.realPath(path.resolve(host.cwd, directory)).pipe(Effect.orElseSucceed(() => undefined))
  return (
    real !== undefined && (yield* disk.status(real).pipe(Effect.orElseSucceed(() => undefined)))?.kind === "directory"
  )
})

/**
 * The process edge of the MCP server: serves until the client closes stdin or a signal comes, and exits 0.
 *
 * @param args the agent's name; then a directory, to serve that project wherever the server is started
 */
export const runMcpServer = (args: ReadonlyArray<string>): void => {
  const provider = Option.getOrUndefined(decodeProvider(args[0]))
  const directory = provider === undefined ? args[0] : args[1]
  const extra = args.length > (provider === undefined ? 1 : 2) || directory?.startsWith("-") === true
  if (extra) {
    process.stderr.write("Usage: lint-ai mcp serve [claude|codex|gemini|antigravity] [directory]\n")
    process.exit(2)
  }
  // A slip in an agent's name is no directory, and no project is made of it.
  if (directory !== undefined && !Effect.runSync(isDirectory(directory).pipe(Effect.provide(machine)))) {
    const agents = provider === undefined ? ` nor one of the agents ${Provider.literals.join(", ")}` : ""
    process.stderr.write(`${JSON.stringify(directory)} is ${agents === "" ? "no" : "neither a"} directory${agents}.\n`)
    process.exit(2)
  }
  if (process.stdin.isTTY) {
    process.stderr.write(
      "This server is for agents, and waits for their messages on stdin. `lint-ai mcp verify` tries it; Ctrl-C ends it.\n"
    )
  }
  const served = Layer.effect(
    ServedAgent,
    Effect.map(Host, (host) => ({
      provider,
      project: directory === undefined ? undefined : path.resolve(host.cwd, directory)
    }))
  )
  const live = server.pipe(
    Layer.provide(framedStdio({ input, write })),
    Layer.provide(served),
    Layer.provide(services),
    // A log line may quote a message; what goes wrong is in the diagnostics.
    Layer.provide(Logger.layer([]))
  )
  const fiber = Effect.runFork(Layer.launch(live))
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => fiber.interruptUnsafe())
  process.stdout.on("error", () => process.exit(0))
  fiber.addObserver((exit) => {
    const orderly = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
    if (!orderly) process.stderr.write("lint-ai: the MCP server stopped because of an error of its own\n")
    process.exit(orderly ? 0 : 1)
  })
}
