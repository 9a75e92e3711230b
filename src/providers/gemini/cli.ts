import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { agentCli } from "../agentCli.ts"
import { withoutInput } from "../ProviderCli.ts"
import { parseLine } from "../transcriptLines.ts"

/** What the program is called. */
const geminiProgram = "gemini"

/**
 * Runs Gemini CLI with `gemini -o stream-json`, one JSON object a line: with `-o json` a run that fails tells no session. The prompt goes
 * through stdin, since an argument has a size limit and may look like a flag. Without a flag of the caller's, such as `--approval-mode
 * yolo`, tools that need an approval are not offered to the model (0.61.0).
 */
export const geminiCli = agentCli({
  provider: "gemini",
  program: geminiProgram,
  call: (run, program) => {
    if (run.input !== undefined) return withoutInput("gemini", program)
    const model = run.model === undefined ? [] : ["--model", run.model]
    const resume = run.resume === undefined ? [] : ["--resume", run.resume]
    const args = ["--output-format", "stream-json", ...model, ...resume, ...(run.args ?? [])]
    return Effect.succeed({ args, stdin: run.prompt })
  },
  toldBy: (stdout) => toldBy(stdout)
})

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
