import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Layer from "effect/Layer"
import { policyText } from "../providers/policyText.ts"
import { recorderVersion } from "../recorder/version.ts"
import { handlers } from "./handlers.ts"
import { lintAiTools } from "./tools.ts"

/** The name of the server in every client. */
export const serverName = "lint-ai"

/**
 * The protocols that the server speaks, newest first. Claude Code and Antigravity CLI ask for 2025-11-25, Codex and Gemini CLI for 2025-06-18
 * (measured, or reported for Antigravity). 2026-07-28 is left out: its `server/discover`, which those two try first, must be refused as
 * unknown for Antigravity CLI to go on, and Claude Code goes on then too.
 */
export const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

/** The tools with what they do. */
export const registrations = McpServer.toolkit(lintAiTools).pipe(Layer.provide(handlers))

/** The server over standard input and output, which must be `framedStdio`. */
export const server = McpServer.layerStdio({
  name: serverName,
  version: recorderVersion,
  instructions: policyText,
  protocols,
  registrations
})
