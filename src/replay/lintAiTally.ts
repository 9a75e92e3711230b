import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { commonToolName } from "../domain/toolNames.ts"

/** What lint-ai did for the agent: the memories that it put into the context or gave by its MCP server, and the time of that server. */
export const lintAiTally = ({ capabilities }: Pick<Manifest, "capabilities">) => {
  const memories = new Set<string>()
  let injectedBytes = 0
  let mcpMs = capabilities?.tool_calls === "absent" ? null : 0
  let everyCallTimed = true
  return {
    add: (event: ArchivedEvent): void => {
      if (event.kind === "context_injected") {
        injectedBytes += event.payload.bytes
        for (const id of event.payload.record_ids) memories.add(id)
      }
      if (event.kind !== "tool_result" && event.kind !== "tool_error") return
      if (!commonToolName(event.provider, event.payload.tool_name).startsWith("mcp:lint_ai:")) return
      if (event.payload.duration_ms === undefined) everyCallTimed = false
      else mcpMs = (mcpMs ?? 0) + event.payload.duration_ms
      // What was cut of a long answer is not seen.
      const answer = event.kind === "tool_result" ? (JSON.stringify(event.payload.response) ?? "") : ""
      for (const [id] of answer.matchAll(/\bmem_[0-9a-f]{8,64}\b/g)) memories.add(id)
    },
    end: () => ({
      injected_bytes: injectedBytes,
      memories_used: [...memories],
      mcp_ms: everyCallTimed ? mcpMs : null
    })
  }
}
