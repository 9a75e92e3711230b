import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { providerTitles } from "../../domain/provider.ts"
import { type McpHealth, verifyMcp } from "../../mcp/verify.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { agent, agentWords, json, optionalArgument, projectArgument, wholeNumber } from "../options.ts"
import { projectOf } from "../project.ts"
import { type Column, renderTable } from "../render/table.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"

const serve = Command.make(
  "serve",
  {
    agent: optionalArgument("agent", `${agentWords}; else the one that the client's name tells`),
    path: optionalArgument(
      "path",
      "Directory of the project; else what the agent says, or the one around the working directory"
    )
  },
  Effect.fn("mcp serve")(function* (flags) {
    // main.ts starts the server without all this; a flat flag in another place than the first leads here.
    const { runMcpServer } = yield* Effect.promise(() => import("../../mcp/main.ts"))
    runMcpServer([flags.agent, flags.path].filter((arg) => arg !== undefined))
    return yield* Effect.never
  })
).pipe(Command.withDescription("Serve lint-ai's tools to an agent over stdin and stdout (MCP)"))

const verify = Command.make(
  "verify",
  {
    agent,
    path: projectArgument,
    timeoutMs: wholeNumber("timeout-ms", 1).pipe(
      Flag.withDefault(30_000),
      Flag.withDescription("How long each answer may take, in milliseconds (default: 30000)")
    ),
    json
  },
  Effect.fn("mcp verify")(function* (flags) {
    const project = yield* projectOf(flags.path)
    const program = yield* hookProgram
    const health = yield* Effect.forEach(["lines", "headers"] as const, (framing) =>
      verifyMcp({ provider: flags.agent, program, project, framing, timeoutMs: Math.max(1, flags.timeoutMs) })
    )
    const data = { ok: true, status: "healthy", provider: flags.agent, project, program, runs: health }
    yield* report(flags.json, data, (_, look) =>
      [
        `The MCP server for ${providerTitles[flags.agent]} answers. Milliseconds:\n`,
        renderTable(health, columns, look.columns),
        `${plain(health[0]?.display ?? "")}\n`
      ].join("")
    )
  })
).pipe(Command.withDescription("Start the MCP server as an agent would, ask it, and say how long it took"))

const framings = { lines: "JSON lines", headers: "Content-Length" }

const columns: ReadonlyArray<Column<McpHealth>> = [
  { title: "framing", value: (one) => framings[one.framing] },
  { title: "startup", value: (one) => String(one.startup_ms), right: true },
  { title: "initialize", value: (one) => String(one.initialize_ms), right: true, spare: 2 },
  { title: "tools/list", value: (one) => String(one.tools_list_ms), right: true, spare: 3 },
  { title: "call", value: (one) => String(one.call_ms), right: true },
  { title: "exit", value: (one) => String(one.shutdown_ms), right: true, spare: 4 },
  { title: "tools", value: (one) => String(one.tools_count), right: true, spare: 1 },
  { title: "protocol", value: (one) => one.protocol_version, spare: 5 }
]

export const mcpCommand = Command.make("mcp").pipe(
  Command.withDescription("The MCP server, by which an agent controls lint-ai"),
  Command.withSubcommands([serve, verify])
)
