import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { writeAll } from "../archive/atomicFile.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"

/** One answered request: what it was and how long it took. Nothing of its parameters, nothing of its answer. */
export interface Traced {
  /** As the client named it, cut to a readable length. */
  readonly method: string
  /** Of tools/call, when it is one of ours. */
  readonly tool?: string | undefined
  readonly milliseconds: number
  readonly outcome: "result" | "error"
}

/**
 * Appends a line of JSON to the file that `LINT_AI_MCP_TRACE_PATH` names (from the working directory when relative); does nothing without it.
 * Never fails: a trace that cannot be written is no reason to fail a client.
 */
export const makeTrace = Effect.gen(function* () {
  const host = yield* Host
  const disk = yield* Disk
  const named = host.env.LINT_AI_MCP_TRACE_PATH
  if (named === undefined || named === "") return (_: Traced) => Effect.void
  const file = path.resolve(host.cwd, named)
  return Effect.fnUntraced(function* (traced: Traced) {
    const line = {
      time: timestampOf(yield* Clock.currentTimeMillis),
      pid: host.pid,
      method: traced.method.slice(0, 64),
      ...(traced.tool === undefined ? undefined : { tool: traced.tool }),
      ms: Math.round(traced.milliseconds * 1000) / 1000,
      outcome: traced.outcome
    }
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    yield* disk.withFile(file, "append", (open) => writeAll(open, bytes, file)).pipe(Effect.ignore)
  })
})
