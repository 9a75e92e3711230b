import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Host } from "./Host.ts"

/** Where a person reads and answers. Reports go to stdout; questions, warnings and progress to stderr. */
export class Screen extends Context.Service<
  Screen,
  {
    readonly out: (text: string) => Effect.Effect<void>
    readonly err: (text: string) => Effect.Effect<void>
    /** Width of the terminal; 80 where stdout is none. */
    readonly columns: number
    /** Whether stdout may be coloured: a terminal, and no NO_COLOR (no-color.org). */
    readonly colors: boolean
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
      const write = (stream: NodeJS.WriteStream, text: string) =>
        Effect.callback<void>((resume) => {
          stream.write(text, () => resume(Effect.void))
        })
      const columns = Number(env.COLUMNS)
      return Screen.of({
        out: (text) => write(stdout, text),
        err: (text) => write(stderr, text),
        columns: columns > 0 ? columns : (stdout.columns ?? 80),
        colors: stdout.isTTY === true && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb",
        interactive: stdin.isTTY === true && stderr.isTTY === true,
        ask: (question) =>
          Effect.callback<string | undefined>((resume) => {
            const readline = process.getBuiltinModule("node:readline").createInterface({ input: stdin, output: stderr })
            let answered = false
            readline.on("close", () => {
              if (!answered) resume(Effect.succeed(undefined))
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
        colors: false,
        interactive: answers.length > 0,
        ask: (question) =>
          Effect.sync(() => {
            written.err.push(question)
            return left.shift()
          })
      }
    })
}
