import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process"
import type { Disk } from "../../platform/Disk.ts"
import type { Host } from "../../platform/Host.ts"
import { askVersion, findProgram, runProcess } from "../agentProcess.ts"
import { isObject } from "../jsonObject.ts"
import { ProviderCli, withoutInput } from "../ProviderCli.ts"
import { parseLine } from "../transcriptLines.ts"

/** What the program is called. */
export const geminiProgram = "gemini"

/**
 * Runs Gemini CLI with `gemini -o stream-json`, one JSON object a line: with `-o json` a run that fails tells no session. The prompt goes
 * through stdin, since an argument has a size limit and may look like a flag. Without a flag of the caller's, such as `--approval-mode
 * yolo`, tools that need an approval are not offered to the model (0.61.0).
 */
export const geminiCli = Layer.effect(
  ProviderCli,
  Effect.gen(function* () {
    const context = yield* Effect.context<Disk | Host | ChildProcessSpawner.ChildProcessSpawner>()
    const find = findProgram("gemini", geminiProgram)
    return ProviderCli.of({
      provider: "gemini",
      find: Effect.provideContext(find, context),
      version: Effect.provideContext(
        Effect.flatMap(find, (program) => askVersion("gemini", program)),
        context
      ),
      run: (run) =>
        Effect.gen(function* () {
          const program = yield* find
          if (run.input !== undefined) return yield* withoutInput("gemini", program)
          const model = run.model === undefined ? [] : ["--model", run.model]
          const resume = run.resume === undefined ? [] : ["--resume", run.resume]
          const ended = yield* runProcess({
            provider: "gemini",
            program,
            args: ["--output-format", "stream-json", ...model, ...resume, ...(run.args ?? [])],
            cwd: run.cwd,
            env: run.env,
            stdin: run.prompt,
            timeout: run.timeout
          })
          return { ...ended, ...toldBy(ended.stdout) }
        }).pipe(Effect.provideContext(context))
    })
  })
)

/**
 * What the lines of `-o stream-json` tell: the session, the text since the last tool, in pieces, and what went wrong. An unknown session
 * to resume gives no line at all, only an exit code of 42.
 */
export const toldBy = (stdout: string) => {
  let sessionId: string | undefined
  let text: string | undefined
  const errors: Array<string> = []
  for (const line of stdout.split("\n")) {
    const event = parseLine(Buffer.from(line))
    if (!isObject(event)) continue
    if (event.type === "init" && typeof event.session_id === "string") sessionId = event.session_id
    if (event.type === "tool_use") text = undefined
    if (event.type === "message" && event.role === "assistant" && typeof event.content === "string") {
      text = event.delta === true ? (text ?? "") + event.content : event.content
    }
    if (event.type === "error" && typeof event.message === "string") errors.push(event.message)
    if (event.type === "result" && isObject(event.error) && typeof event.error.message === "string") {
      errors.push(event.error.message)
    }
  }
  return { sessionId, text, errors }
}
