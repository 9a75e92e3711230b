import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process"
import type { Disk } from "../../platform/Disk.ts"
import type { Host } from "../../platform/Host.ts"
import { askVersion, findProgram, runProcess } from "../agentProcess.ts"
import { isObject } from "../jsonObject.ts"
import { AgentUnusable, ProviderCli, withoutInput } from "../ProviderCli.ts"
import { parseLine } from "../transcriptLines.ts"

/** What the program is called. */
export const antigravityProgram = "agy"

/**
 * Runs Antigravity CLI with `agy -p <prompt> --output-format stream-json` (1.1.8 and later). Written from public reports, not tried: they
 * tell of no prompt through stdin and of no flag for the model, so a run that asks for a model is refused. A session id that the agent
 * does not know begins a new conversation without a word: the answer's id tells.
 */
export const antigravityCli = Layer.effect(
  ProviderCli,
  Effect.gen(function* () {
    const context = yield* Effect.context<Disk | Host | ChildProcessSpawner.ChildProcessSpawner>()
    const find = findProgram("antigravity", antigravityProgram)
    return ProviderCli.of({
      provider: "antigravity",
      find: Effect.provideContext(find, context),
      version: Effect.provideContext(
        Effect.flatMap(find, (program) => askVersion("antigravity", program)),
        context
      ),
      run: (run) =>
        Effect.gen(function* () {
          const program = yield* find
          if (run.input !== undefined) return yield* withoutInput("antigravity", program)
          if (run.model !== undefined) {
            const reason = "lint-ai knows no way to choose its model for one run"
            return yield* new AgentUnusable({ provider: "antigravity", program, reason })
          }
          const resume = run.resume === undefined ? [] : ["--conversation", run.resume]
          const ended = yield* runProcess({
            provider: "antigravity",
            program,
            args: [...(run.args ?? []), ...resume, "--output-format", "stream-json", "-p", run.prompt],
            cwd: run.cwd,
            env: run.env,
            timeout: run.timeout
          })
          return { ...ended, ...toldBy(ended.stdout) }
        }).pipe(Effect.provideContext(context))
    })
  })
)

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
