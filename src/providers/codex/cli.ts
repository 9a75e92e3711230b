import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { agentCli } from "../agentCli.ts"
import { parseLine } from "../transcriptLines.ts"

/** What the program is called. */
export const codexProgram = "codex"

/**
 * Runs Codex with `codex exec --json`: one JSON object a line, among them the id of the thread, the answers and what went wrong. The prompt
 * goes through stdin, since an argument has a size limit. Approval is never asked for: nobody is there to answer.
 */
export const codexCli = agentCli({
  provider: "codex",
  program: codexProgram,
  call: (run) => {
    const model = run.model === undefined ? [] : ["--model", run.model]
    const options = ["--json", "--skip-git-repo-check", ...model, ...(run.args ?? [])]
    // `-` has it read the prompt from stdin; beside a prompt it takes stdin for what that is about.
    const prompt = run.input === undefined ? "-" : run.prompt
    const args =
      run.resume === undefined ? ["exec", ...options, prompt] : ["exec", "resume", ...options, run.resume, prompt]
    return Effect.succeed({ args: [...(run.programArgs ?? []), ...args], stdin: run.input ?? run.prompt })
  },
  toldBy: (stdout) => toldBy(stdout)
})

/** What the lines of `codex exec --json` tell. Lines that are no JSON are log lines and passed over. */
export const toldBy = (stdout: string) => {
  let sessionId: string | undefined
  let text: string | undefined
  const errors: Array<string> = []
  for (const line of stdout.split("\n")) {
    const event = parseLine(Buffer.from(line))
    if (!isObject(event)) continue
    if (event.type === "thread.started" && typeof event.thread_id === "string") sessionId = event.thread_id
    if (event.type === "item.completed" && isObject(event.item)) {
      const { type, text: answer, message } = event.item
      if (type === "agent_message" && typeof answer === "string") text = answer
      if (type === "error" && typeof message === "string") errors.push(message)
    }
    if (event.type === "turn.failed" && isObject(event.error) && typeof event.error.message === "string")
      errors.push(event.error.message)
  }
  return { sessionId, text, errors }
}
