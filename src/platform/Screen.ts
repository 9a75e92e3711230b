import * as fs from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DiskError } from "./Disk.ts"
import { Host } from "./Host.ts"

/** Where a person reads and answers. Reports go to stdout; questions, warnings and progress to stderr. */
export class Screen extends Context.Service<
  Screen,
  {
    readonly out: (text: string) => Effect.Effect<void>
    readonly err: (text: string) => Effect.Effect<void>
    /** Width of the terminal as it is now; 80 where there is none, or it does not say. */
    readonly columns: number
    /** Height of the terminal as it is now; 24 where there is none. */
    readonly rows: number
    /** Whether stdout may be coloured: a terminal that can, and no NO_COLOR (no-color.org); or FORCE_COLOR, whatever it is. */
    readonly colors: boolean
    /** Whether the terminal's character set is Unicode, as the locale says. */
    readonly unicode: boolean
    /** Whether stdout, or stderr, is a terminal on which what stands there can be drawn over. */
    readonly redraws: { readonly out: boolean; readonly err: boolean }
    /** Whether somebody is there to answer. */
    readonly interactive: boolean
    /** Asks on stderr and reads one line; undefined when the input ended. */
    readonly ask: (question: string) => Effect.Effect<string | undefined>
  }
>()("lint-ai/platform/Screen") {
  static readonly layer = Layer.effect(
    Screen,
    Effect.gen(function* () {
      const { env } = yield* Host
      const { stdin, stdout, stderr } = process
      const write = (descriptor: 1 | 2, text: string): Effect.Effect<void> =>
        isFile(descriptor) ? writeFile(descriptor, text) : writeStream(descriptor === 1 ? stdout : stderr, text)
      const dumb = env.TERM === "dumb"
      return Screen.of({
        out: (text) => write(1, text),
        err: (text) => write(2, text),
        get columns() {
          return firstSize(Number(env.COLUMNS), stdout.columns, stderr.columns) ?? 80
        },
        get rows() {
          return firstSize(Number(env.LINES), stdout.rows, stderr.rows) ?? 24
        },
        colors: wantsColors(env, stdout.isTTY === true && !dumb),
        unicode: isUnicode(env),
        redraws: { out: stdout.isTTY === true && !dumb, err: stderr.isTTY === true && !dumb },
        interactive: stdin.isTTY === true && stderr.isTTY === true,
        ask: (question) =>
          Effect.callback<string | undefined>((resume) => {
            const readline = process.getBuiltinModule("node:readline").createInterface({ input: stdin, output: stderr })
            let answered = false
            readline.on("close", () => {
              if (answered) return
              // Ctrl-C and Ctrl-D leave the cursor behind the question.
              stderr.write("\n")
              resume(Effect.succeed(undefined))
            })
            readline.question(question, (answer) => {
              answered = true
              readline.close()
              resume(Effect.succeed(answer))
            })
          })
      })
    })
  )

  /** A screen for tests: keeps what is written and answers with the given lines. */
  static readonly layerTest = (
    written: { readonly out: Array<string>; readonly err: Array<string> },
    answers: ReadonlyArray<string> = [],
    columns = 80
  ) =>
    Layer.sync(Screen, () => {
      const left = [...answers]
      return {
        out: (text) => Effect.sync(() => void written.out.push(text)),
        err: (text) => Effect.sync(() => void written.err.push(text)),
        columns,
        rows: 24,
        colors: false,
        unicode: true,
        redraws: { out: false, err: false },
        interactive: answers.length > 0,
        ask: (question) =>
          Effect.sync(() => {
            written.err.push(question)
            return left.shift()
          })
      }
    })
}

const isFile = (descriptor: number): boolean => {
  try {
    return fs.fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}

/** What an output is called in the error of a write to it. */
export const outputName = "the output"

/** Dies of an output that did not take everything: what is half written must not pass for done. */
const refused = (error: unknown): Effect.Effect<never> =>
  Effect.die(
    new DiskError({
      operation: "write",
      path: outputName,
      code: error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN"
    })
  )

/** A disk that is nearly full takes a part of what it is given, which the runtimes' own streams do not notice. */
const writeFile = (descriptor: number, text: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const bytes = Buffer.from(text)
    try {
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(descriptor, bytes, at)
    } catch (error) {
      return refused(error)
    }
    return Effect.void
  })

const writeStream = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    stream.write(text, (error) => {
      const isGone = error instanceof Error && "code" in error && error.code === "EPIPE"
      // Whoever has read enough is no failure: cli/main.ts ends the program then.
      resume(error === undefined || error === null || isGone ? Effect.void : refused(error))
    })
  })

type Environment = Readonly<Record<string, string | undefined>>

/** The first of these that is a size. A pseudo terminal whose size nobody set says 0. */
export const firstSize = (...given: ReadonlyArray<number | undefined>): number | undefined =>
  given.find((size) => size !== undefined && size > 0)

/** FORCE_COLOR wins over NO_COLOR, as it does in Node itself: who sets it means this one program. */
export const wantsColors = (env: Environment, terminal: boolean): boolean => {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  return (env.NO_COLOR ?? "") === "" && terminal
}

/**
 * Whether the locale's character set is Unicode: the first of LC_ALL, LC_CTYPE and LANG that is set decides (POSIX, 8.2). Where none is, as in most
 * containers, it is taken for one.
 */
export const isUnicode = (env: Environment): boolean => {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== "")
  if (locale === undefined) return true
  const charset = /\.([^@]+)/.exec(locale)?.[1]
  return charset === undefined ? locale !== "C" && locale !== "POSIX" : /^utf-?8$/i.test(charset)
}
