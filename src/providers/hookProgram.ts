import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import type { HookProgram } from "./hookCommand.ts"

/**
 * What agents should start for a hook: this very program when it is the compiled binary; the bundle on Deno, where Deno runs us; else the binary beside
 * the bundle; else the bundle's hook; else, from the sources, those on the runtime that runs us.
 */
export const hookProgram: Effect.Effect<HookProgram, never, Host | Disk> = Effect.gen(function* () {
  const host = yield* Host
  const disk = yield* Disk
  if (host.compiled) return { file: host.executable, args: [] }
  const entry = yield* disk.realPath(host.entry).pipe(Effect.orElseSucceed(() => host.entry))
  const beside = (name: string) => path.join(path.dirname(entry), name)
  const exists = (file: string) =>
    disk.status(file).pipe(
      Effect.map((status) => status?.kind === "file"),
      Effect.orElseSucceed(() => false)
    )
  if (host.runtime === "deno") {
    const bundle = beside("main.mjs")
    return { file: host.executable, args: ["run", "-A", (yield* exists(bundle)) ? bundle : entry] }
  }
  const binary = beside(host.platform === "win32" ? "lint-ai.exe" : "lint-ai")
  if (yield* exists(binary)) return { file: binary, args: [] }
  if (yield* exists(beside("hook.cjs"))) return { file: host.executable, args: [beside("hook.cjs")] }
  return { file: host.executable, args: [entry] }
})
