import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { writeAll } from "../archive/atomicFile.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { lintAiDirectory } from "./projectRoot.ts"

/** One line of diagnostics.jsonl: that a hook could not do its work, and why. Never anything from a payload. */
export const Diagnostic = Schema.Struct({
  time: Schema.String,
  provider: Schema.String,
  /** The hook event, where it was known by then. */
  event: Schema.optionalKey(Schema.String),
  /** Tag of the error. */
  tag: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  /** Root of the project that it is of, in the user's own file, where it was known. */
  project: Schema.optionalKey(Schema.String)
})
export type Diagnostic = typeof Diagnostic.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Diagnostic))

/** Where a project's diagnostics are; undefined for those of projects that are off, inert, unknown or unwritable. */
export type DiagnosticsPlace = {
  readonly projectRoot: string | undefined
  /** The project that it is of, where nothing may be written there. */
  readonly about?: string | undefined
}

/** A file that has grown this long is renamed to `.1`, so that a hook that fails every time fills no disk. */
const mostBytes = 1024 * 1024

const newline = 0x0a

/** The event's name comes from the payload, of which nothing may stand here: what is no name is left out. */
const isName = (event: string): boolean => /^[A-Za-z][\w.-]{0,63}$/.test(event)

/** Keeps what went wrong in hooks, for `status` and `doctor` to show. */
export class Diagnostics extends Context.Service<
  Diagnostics,
  {
    /** Adds a line; where the project cannot take it, in the user's state directory; where that cannot either, nowhere. Never fails. */
    readonly note: (place: DiagnosticsPlace, diagnostic: Omit<Diagnostic, "time">) => Effect.Effect<void>
    /** The lines of a place, oldest first. */
    readonly read: (place: DiagnosticsPlace) => Effect.Effect<ReadonlyArray<Diagnostic>>
  }
>()("lint-ai/hook/Diagnostics") {
  static readonly make = Effect.gen(function* () {
    const disk = yield* Disk
    const machine = yield* Effect.context<Disk | Host>()
    const fileOf = Effect.fnUntraced(function* (place: DiagnosticsPlace) {
      const { state } = yield* userDirectories
      const directory = place.projectRoot === undefined ? state : lintAiDirectory(place.projectRoot)
      return path.join(directory, "diagnostics.jsonl")
    })
    const append = Effect.fnUntraced(function* (place: DiagnosticsPlace, line: Buffer) {
      const file = yield* fileOf(place)
      const status = yield* disk.status(file)
      if (status !== undefined && status.size + line.length > mostBytes) yield* disk.rename(file, `${file}.1`)
      // A project's directory exists or it is not adopted; only the user's own may be created here.
      if (place.projectRoot === undefined && status === undefined) yield* disk.makeDirectory(path.dirname(file))
      yield* disk.withFile(file, "append", (open) =>
        Effect.gen(function* () {
          // What a full disk took of an earlier line must not spoil this one.
          const size = yield* open.size
          const whole = size === 0 || (yield* open.read(size - 1, 1))[0] === newline
          yield* writeAll(open, whole ? line : Buffer.concat([Buffer.from("\n"), line]), file)
        })
      )
    })
    return Diagnostics.of({
      note: (place, { provider, event, ...what }) =>
        Effect.gen(function* () {
          const time = timestampOf(yield* Clock.currentTimeMillis)
          const named = event !== undefined && isName(event) ? { event } : undefined
          const lineOf = (project?: string) => {
            const diagnostic: Diagnostic = { time, provider, ...named, ...what, ...(project && { project }) }
            return Buffer.from(`${JSON.stringify(diagnostic)}\n`)
          }
          const { projectRoot, about = projectRoot } = place
          yield* append(place, lineOf(projectRoot === undefined ? about : undefined)).pipe(
            Effect.catch(() => append({ projectRoot: undefined }, lineOf(about)))
          )
        }).pipe(
          Effect.catchCause(() => Effect.void),
          Effect.provideContext(machine)
        ),
      read: (place) =>
        Effect.flatMap(fileOf(place), disk.readFile).pipe(
          Effect.map((bytes) =>
            bytes
              .toString("utf8")
              .split("\n")
              .flatMap((line) => Option.toArray(decode(line)))
          ),
          Effect.orElseSucceed(() => []),
          Effect.provideContext(machine)
        )
    })
  })

  static readonly layer = Layer.effect(Diagnostics, Diagnostics.make)
}
