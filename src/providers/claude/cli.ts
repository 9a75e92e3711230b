import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { agentCli } from "../agentCli.ts"
import { parseLine } from "../transcriptLines.ts"

/** What the program is called. */
export const claudeProgram = "claude"

/**
 * Runs Claude Code with `claude -p --output-format json`, which prints one JSON object when the run is over. The prompt goes through stdin,
 * since an argument has a size limit and may look like a flag.
 */
export const claudeCli = agentCli({
  provider: "claude",
  program: claudeProgram,
  call: (run) => {
    const model = run.model === undefined ? [] : ["--model", run.model]
    const resume = run.resume === undefined ? [] : ["--resume", run.resume]
    return Effect.succeed({
      args: [
        ...(run.programArgs ?? []),
        ...["-p", "--output-format", "json", ...model, ...resume, ...(run.args ?? [])],
        ...(run.input === undefined ? [] : [run.prompt])
      ],
      stdin: run.input ?? run.prompt
    })
  },
  toldBy: (stdout) => toldBy(stdout)
})

/** What the result object tells. An API error is a "success" with `is_error` true, and its text is the error (measured on 2.1.332). */
export const toldBy = (stdout: string) => {
  const result = resultIn(stdout)
  const text = typeof result?.result === "string" ? result.result : undefined
  const failed = result?.is_error === true
  return {
    sessionId: typeof result?.session_id === "string" ? result.session_id : undefined,
    text: failed ? undefined : text,
    ...(typeof result?.total_cost_usd === "number" ? { costUsd: result.total_cost_usd } : undefined),
    errors: failed ? [text ?? String(result?.subtype ?? "failed")] : []
  }
}

/** The last result object that Claude Code printed; undefined when there is none. */
export const resultIn = (stdout: string): Readonly<Record<string, unknown>> | undefined =>
  stdout
    .split("\n")
    .flatMap((line) => {
      const value = parseLine(Buffer.from(line))
      return isObject(value) && value.type === "result" ? [value] : []
    })
    .at(-1)
