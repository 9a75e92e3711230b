import { gapName } from "../archive/gap.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import { isObject } from "../domain/jsonObject.ts"
import type { Manifest } from "../domain/manifest.ts"
import { unreadTranscripts } from "../recorder/unreadTranscripts.ts"
import { lintAiTally } from "./lintAiTally.ts"
import { replayEventName } from "./replayEvent.ts"
import { toolTally } from "./toolTally.ts"
import { usageTally } from "./usageTally.ts"
import { workTally } from "./workTally.ts"

/**
 * Counts and adds up the events of a session, which come in their order, except those of the spool. Holds what grows with tool calls and model messages, and
 * nothing of what was said.
 */
export const tallyOf = (manifest: Pick<Manifest, "capabilities">) => {
  const recording = recordingTally()
  const program = programTally()
  const work = workTally()
  const tools = toolTally()
  const usage = usageTally()
  const lintAi = lintAiTally(manifest)
  const transcripts = unreadTranscripts()
  return {
    add: (event: ArchivedEvent, from: "log" | "spooled" = "log"): void => {
      recording.add(event, from)
      for (const tally of [program, work, tools, usage, lintAi, transcripts]) tally.add(event)
    },
    end: () => {
      const { began, ended, gaps, duration_ms, event_count, redaction_count, truncation_count } = recording.end()
      const { exit_code, cost_usd, settings_root, permission_modes } = program.end()
      const { models, tokens, usage_source, model_turns, messageTimes } = usage.end()
      const { turns, working_ms, first_response_ms } = work.end(messageTimes)
      const { injected_bytes, memories_used, mcp_ms } = lintAi.end()
      return {
        began,
        ended,
        gaps,
        unread: transcripts.end().length,
        // In the order in which --json prints them.
        metrics: {
          models,
          settings_root,
          permission_modes,
          exit_code,
          duration_ms,
          working_ms,
          first_response_ms,
          tokens,
          usage_source,
          cost_usd,
          turns,
          model_turns,
          ...tools.end(),
          injected_bytes,
          memories_used,
          event_count,
          redaction_count,
          truncation_count,
          mcp_ms
        }
      }
    }
  }
}

/** How much was recorded, over which time, and whether it has its beginning, its end and no gap. */
const recordingTally = () => {
  let began = false
  let ended = false
  let gaps = 0
  let firstAt: number | undefined
  let lastAt: number | undefined
  let events = 0
  let redactions = 0
  let truncations = 0
  return {
    add: (event: ArchivedEvent, from: "log" | "spooled"): void => {
      events++
      redactions += event.redactions.length
      truncations += event.truncated?.length ?? 0
      // One in the spool may have happened long before.
      if (from === "log" || firstAt === undefined) {
        lastAt = Date.parse(event.timestamp)
        firstAt ??= lastAt
      }
      if (event.kind === "session_start") {
        began = true
        ended = false
      } else if (event.kind === "session_end") ended = true
      else if (event.kind === "provider_event" && event.payload.name === gapName) gaps++
    },
    end: () => ({
      began,
      ended,
      gaps,
      duration_ms: firstAt === undefined || lastAt === undefined ? null : Math.max(0, lastAt - firstAt),
      event_count: events,
      redaction_count: redactions,
      truncation_count: truncations
    })
  }
}

/** How the agent's program ran: its permission modes, and what a replay tells of it. */
const programTally = () => {
  const modes = new Set<string>()
  let exitCode: number | null = null
  let cost: number | null = null
  let settingsRoot: string | null = null
  return {
    add: ({ kind, payload }: ArchivedEvent): void => {
      if ((kind === "session_start" || kind === "user_prompt") && payload.permission_mode !== undefined) {
        modes.add(payload.permission_mode)
      }
      if (kind !== "provider_event" || payload.name !== replayEventName || !isObject(payload.fields)) return
      const { exit_code, cost_usd, settings_root } = payload.fields
      if (typeof exit_code === "number") exitCode = exit_code
      if (typeof cost_usd === "number") cost = cost_usd
      if (typeof settings_root === "string") settingsRoot = settings_root
    },
    end: () => ({ permission_modes: [...modes], exit_code: exitCode, cost_usd: cost, settings_root: settingsRoot })
  }
}
