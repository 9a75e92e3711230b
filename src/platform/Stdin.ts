import * as fs from "node:fs"
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
  static readonly make = (): Context.Service.Shape<typeof Stdin> => ({
    drain: (limits) => drain(process.versions.bun === undefined ? fromNode : fromBun, limits)
  })

  static readonly layer = Layer.sync(Stdin, Stdin.make)

  /** The given bytes, then the end; or an input that is held open. */
  static readonly layerTest = (bytes: Uint8Array, stopped: StdinReading["stopped"] = "end") =>
    Layer.succeed(Stdin, {
      drain: ({ limit }) =>
        Effect.succeed({ bytes: Buffer.from(bytes.subarray(0, limit)), total: bytes.length, stopped })
    })
}

/** What has come so far. */
class Received {
  private readonly chunks: Array<Uint8Array> = []
  private kept = 0
  total = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  add(chunk: Uint8Array): void {
    this.total += chunk.length
    const room = this.limit - this.kept
    if (room <= 0) return
    const piece = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.chunks.push(piece)
    this.kept += piece.length
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }

  reading(stopped: StdinReading["stopped"]): StdinReading {
    return { bytes: this.bytes(), total: this.total, stopped }
  }
}

const drain = (source: Source, limits: DrainLimits): Effect.Effect<StdinReading> =>
  Effect.suspend(() => {
    const received = new Received(limits.limit)
    return readArrived(received) ? Effect.succeed(received.reading("end")) : readOn(source, received, limits)
  })

/** Most payloads are smaller, and memory that is not touched costs nothing. */
const pieceBytes = 16 * 1024
/** More than 4 MiB are left to the event loop, which keeps an eye on the time. */
const mostPieces = 256
/** For a writer that fills a pipe again, or closes it, a moment after it was read. */
const mostWaits = 20
const waitMs = 0.1

/**
 * Reads what a pipe holds by now, and tells whether that was all: an agent has mostly written its payload, and closed the pipe, before the hook has
 * started, and the event loop takes its time to say so. On Linux a pipe can be opened again so that reading it never waits; a socket cannot, and
 * neither can anything elsewhere.
 */
const readArrived = (received: Received): boolean => {
  if (process.platform !== "linux") return false
  let pipe: number | undefined
  try {
    if (!fs.fstatSync(0).isFIFO()) return false
    pipe = fs.openSync("/proc/self/fd/0", fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    let waits = 0
    for (let pieces = 0; pieces < mostPieces; ) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const length = readNow(pipe, piece)
      if (length === 0) return true
      if (length !== undefined) {
        received.add(piece.subarray(0, length))
        pieces++
      } else if (++waits <= mostWaits) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
      else return false
    }
    return false
  } catch {
    // Not ours to open: another user's, or behind permissions that the runtime was not given.
    return false
  } finally {
    if (pipe !== undefined) fs.closeSync(pipe)
  }
}

/** The number of bytes read; undefined when there are none yet. */
const readNow = (pipe: number, into: Buffer): number | undefined => {
  try {
    return fs.readSync(pipe, into)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined
    throw error
  }
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
const readOn = (source: Source, received: Received, limits: DrainLimits) =>
  Effect.callback<StdinReading>((resume) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let finished = false
    const finish = (stopped: StdinReading["stopped"]) => {
      if (finished) return
      finished = true
      clearTimeout(timer)
      clearTimeout(last)
      stop()
      resume(Effect.succeed(received.reading(stopped)))
    }
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const before = received.total
        afterReading(() => {
          if (received.total !== before) return
          if (limits.isWhole?.(received.bytes()) ?? true) finish("idle")
        })
      }, limits.idleMs)
    }
    const last =
      limits.totalMs === undefined ? undefined : setTimeout(() => afterReading(() => finish("late")), limits.totalMs)
    const stop = source({
      chunk: (chunk) => {
        received.add(chunk)
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

/** Undefined for what cannot be read at all, such as a directory: Bun throws at once. */
const readerOf = (stdin: {
  readonly stream: () => ReadableStream<Uint8Array>
}): ReadableStreamDefaultReader<Uint8Array> | undefined => {
  try {
    return stdin.stream().getReader()
  } catch {
    return undefined
  }
}

/** Bun's own stream: a third of the cost of its process.stdin, as fast as one blocking read. */
const fromBun: Source = (on) => {
  const { Bun } = globalThis as unknown as {
    readonly Bun: { readonly stdin: { readonly stream: () => ReadableStream<Uint8Array> } }
  }
  const reader = readerOf(Bun.stdin)
  if (reader === undefined) {
    setImmediate(() => on.end("error"))
    return () => undefined
  }
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
