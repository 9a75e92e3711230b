import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What came on stdin. */
export interface StdinReading {
  /** The first bytes, up to the limit. */
  readonly bytes: Buffer
  /** All bytes that came; those over the limit were read and dropped. */
  readonly total: number
  /**
   * `end`: the writer closed it. `idle`: nothing came for the idle time, and the writer still holds it open. `late`: there was more to come when
   * the time was over. `error`: it could not be read.
   */
  readonly stopped: "end" | "idle" | "late" | "error"
}

interface DrainLimits {
  /** Bytes that are kept. */
  readonly limit: number
  readonly idleMs: number
  /**
   * Whether what came may be all of it; anything may when absent. A writer that falls silent before that has more to say: it may be making the
   * text, or not have been given the processor.
   */
  readonly isWhole?: (bytes: Buffer) => boolean
  /** For all of it, so that a writer which never falls silent is not read for ever; no limit when absent. */
  readonly totalMs?: number
}

/** Standard input, drained: a host that writes to a program which does not read gets EPIPE. */
export class Stdin extends Context.Service<
  Stdin,
  {
    /** Reads until the end, or until nothing came for `idleMs` after what may be all, or until `totalMs` are over. Never fails. */
    readonly drain: (limits: DrainLimits) => Effect.Effect<StdinReading>
  }
>()("lint-ai/platform/Stdin") {
  static readonly layer = Layer.succeed(Stdin, {
    drain: (limits) => drain(process.versions.bun === undefined ? fromNode : fromBun, limits)
  })

  /** The given bytes, then the end; or an input that is held open. */
  static readonly layerTest = (bytes: Uint8Array, stopped: StdinReading["stopped"] = "end") =>
    Layer.succeed(Stdin, {
      drain: ({ limit }) =>
        Effect.succeed({ bytes: Buffer.from(bytes.subarray(0, limit)), total: bytes.length, stopped })
    })
}

/** Starts reading and tells each chunk and the end; gives what stops it. */
type Source = (on: {
  readonly chunk: (chunk: Uint8Array) => void
  readonly end: (how: "end" | "error") => void
}) => () => void

/**
 * Agents give their hooks a pipe or a socket, blocking or not. Only the event loop reads all of them and can stop waiting: a blocking read(2) on
 * an input that is held open never returns, and a socket cannot be opened again as non-blocking.
 */
const drain = (source: Source, limits: DrainLimits) =>
  Effect.callback<StdinReading>((resume) => {
    const chunks: Array<Uint8Array> = []
    let kept = 0
    let total = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    let finished = false
    const finish = (stopped: StdinReading["stopped"]) => {
      if (finished) return
      finished = true
      clearTimeout(timer)
      clearTimeout(last)
      stop()
      resume(Effect.succeed({ bytes: Buffer.concat(chunks), total, stopped }))
    }
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const before = total
        afterReading(() => {
          if (total !== before) return
          if (limits.isWhole?.(Buffer.concat(chunks)) ?? true) finish("idle")
        })
      }, limits.idleMs)
    }
    const last =
      limits.totalMs === undefined ? undefined : setTimeout(() => afterReading(() => finish("late")), limits.totalMs)
    const stop = source({
      chunk: (chunk) => {
        total += chunk.length
        const room = limits.limit - kept
        if (room > 0) {
          const piece = chunk.length > room ? chunk.subarray(0, room) : chunk
          chunks.push(piece)
          kept += piece.length
        }
        wait()
      },
      end: finish
    })
    wait()
  })

/**
 * Runs `then` when what has come by now is read. After a process was not given the processor for a while, the event loop runs its timers first,
 * and an agent on a busy machine would seem to have been silent.
 */
const afterReading = (then: () => void): void => void setImmediate(() => setImmediate(then))

const fromNode: Source = (on) => {
  const { stdin } = process
  stdin.on("data", on.chunk)
  stdin.on("end", () => on.end("end"))
  stdin.on("error", () => on.end("error"))
  return () => stdin.destroy()
}

/** Bun's own stream: a third of the cost of its process.stdin, as fast as one blocking read. */
const fromBun: Source = (on) => {
  const { Bun } = globalThis as unknown as {
    readonly Bun: { readonly stdin: { readonly stream: () => ReadableStream<Uint8Array> } }
  }
  const reader = Bun.stdin.stream().getReader()
  const next = (): void => {
    reader.read().then(
      ({ done, value }) => {
        if (done) return on.end("end")
        on.chunk(value)
        next()
      },
      () => on.end("error")
    )
  }
  next()
  return () => void reader.cancel().catch(() => undefined)
}
