import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent } from "../domain/event.ts"
import type { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { claudeWholeTranscript } from "./claude/wholeTranscript.ts"
import { threadOf } from "./codex/rollout.ts"
import { codexWholeRollout } from "./codex/wholeRollout.ts"
import { eachLine, type WholeTranscriptReader } from "./WholeTranscript.ts"

/** The agents whose own transcripts can be read as a whole. */
export type TranscriptProvider = Extract<Provider, "claude" | "codex">
export const transcriptProviders: ReadonlyArray<TranscriptProvider> = ["claude", "codex"]

/** A reader for a transcript of a session, not of one of its subagents. */
export const wholeTranscript = (provider: TranscriptProvider, file: string): WholeTranscriptReader =>
  provider === "claude" ? claudeWholeTranscript(undefined) : codexWholeRollout(threadOf(file))

/** The events of a session's subagents, in the order of their times: `<session>/subagents/agent-<id>.jsonl` for Claude Code. */
export const subagentEvents = Effect.fnUntraced(function* (provider: TranscriptProvider, file: string) {
  const events: Array<DraftEvent> = []
  if (provider !== "claude") return events
  const disk = yield* Disk
  const directory = path.join(file.replace(/\.jsonl$/, ""), "subagents")
  for (const name of yield* disk.list(directory).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))) {
    const agentId = /^agent-([\w-]{1,100})\.jsonl$/.exec(name)?.[1]
    if (agentId === undefined) continue
    const reader = claudeWholeTranscript(agentId)
    yield* eachLine(path.join(directory, name), (line) => events.push(...reader.line(line)), Effect.void)
    events.push(...reader.end())
  }
  return events.sort((left, right) => ((left.timestamp ?? "") < (right.timestamp ?? "") ? -1 : 1))
})
