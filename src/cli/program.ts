import { Command } from "effect/cli"
import { adoptCommand } from "./commands/adopt.ts"
import { airCommand } from "./commands/air.ts"
import { codexCommand } from "./commands/codex.ts"
import { compareCommand } from "./commands/compare.ts"
import { completionsCommand, sessionNamesCommand } from "./commands/completions.ts"
import { demoCommand } from "./commands/demo.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { disableCommand, enableCommand } from "./commands/enable.ts"
import { evidenceCommand } from "./commands/evidence.ts"
import { experimentCommand } from "./commands/experiment.ts"
import { extractCommand } from "./commands/extract.ts"
import { hookCommand } from "./commands/hook.ts"
import { initCommand } from "./commands/init.ts"
import { installCommand } from "./commands/install.ts"
import { mcpCommand } from "./commands/mcp.ts"
import { memoryCommand } from "./commands/memory.ts"
import { recordCommand } from "./commands/record.ts"
import { redactCommand } from "./commands/redact.ts"
import { replayCommand } from "./commands/replay.ts"
import { scenarioCommand } from "./commands/scenario.ts"
import { sessionsCommand } from "./commands/sessions.ts"
import { statusCommand } from "./commands/status.ts"
import { statuslineCommand } from "./commands/statusline.ts"
import { uiCommand } from "./commands/ui.ts"
import { uninstallCommand } from "./commands/uninstall.ts"
import { watchCommand } from "./commands/watch.ts"

/** The whole command tree. What agents start (`hook`, `statusline`, `mcp serve`) is run by main.ts without loading any of this. */
export const program = Command.make("lint-ai").pipe(
  Command.withDescription("A local, opt-in flight recorder for coding agents. Nothing is on until you turn it on."),
  Command.withSubcommands([
    initCommand,
    demoCommand,
    statusCommand,
    doctorCommand,
    enableCommand,
    disableCommand,
    recordCommand,
    sessionsCommand,
    replayCommand,
    compareCommand,
    scenarioCommand,
    experimentCommand,
    watchCommand,
    uiCommand,
    extractCommand,
    memoryCommand,
    redactCommand,
    evidenceCommand,
    airCommand,
    installCommand,
    uninstallCommand,
    adoptCommand,
    codexCommand,
    hookCommand,
    mcpCommand,
    statuslineCommand,
    completionsCommand((): Command.Command.Any => program),
    sessionNamesCommand
  ])
)
