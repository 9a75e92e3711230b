import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { agentCli } from "../agentCli.ts"
import { AgentUnusable, withoutInput } from "../ProviderCli.ts"
import { parseLine } from "../transcriptLines.ts"

/** What the program is called. */
const antigravityProgram = "agy"

/**
 * Runs Antigravity CLI with `agy -p <prompt> --output-format stream-json` (1.1.8 and later). Written from public reports, not tried: they
 * tell of no prompt through stdin and of no flag for the model, so a run that asks for a model is refused. A session id that the agent
 * does not know begins a new conversation without a word: the answer's id tells.
 */
export const antigravityCli = agentCli({
  provider: "antigravity",
  program: antigravityProgram,
  call: (run, program) => {
    if (run.input !== undefined) return withoutInput("antigravity", program)
    if (run.model !== undefined) {
      const reason = "lint-ai knows no way to choose its model for one run"
      return Effect.fail(new AgentUnusable({ provider: "antigravity", program, reason }))
    }
    const resume = run.resume === undefined ? [] : ["--conversation", run.resume]
    return Effect.succeed({
      args: [...(run.args ?? []), ...resume, "--output-format", "stream-json", "-p", withoutDash(run.prompt)]
    })
  },
  toldBy: (stdout) => toldBy(stdout)
})

/** Whether `-p` takes the next argument whatever it looks like is not known: behind a blank nothing looks like a flag. */
const withoutDash = (prompt: string): string => (prompt.startsWith("-") ? ` ${prompt}` : prompt)

/** What the lines of `--output-format stream-json` tell: each has its name in `event` and its content under that name. */
export const toldBy = (stdout: string) => {
  let sessionId: string | undefined
  let text: string | undefined
  const errors: Array<string> = []
  for (const line of stdout.split("\n")) {
    const event = parseLine(Buffer.from(line))
    if (!isObject(event)) continue
    if (typeof event.conversation_id === "string") sessionId = event.conversation_id
    if (event.event !== "result" || !isObject(event.result)) continue
    const { conversation_id, response, error } = event.result
    if (typeof conversation_id === "string") sessionId = conversation_id
    if (typeof response === "string" && response !== "") text = response
    if (typeof error === "string" && error !== "") errors.push(error)
  }
  return { sessionId, text, errors }
}
