import * as path from "node:path"
import { Flag } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SessionSummary } from "../archive/readArchive.ts"
import { type Arm, type ArmMemory, ArmProfile } from "../domain/arm.ts"
import type { Provider } from "../domain/provider.ts"
import { Host } from "../platform/Host.ts"
import { ReplayOrchestrator } from "../replay/ReplayOrchestrator.ts"
import { optionalString, repeatable } from "./options.ts"

/** Flags that contradict each other, or a value that is none. */
export class ReplayFlags extends Data.TaggedError("ReplayFlags")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

/** The flags that say how an agent is set up, as `replay` has them. */
export const armFlags = {
  enable: flag("enable-lint-ai", "Memory of lint-ai is searched and put into the context"),
  disable: flag("disable-lint-ai", "It is not; the default. The session is recorded in both cases"),
  model: optionalString("model", "The agent's model; else the recorded one", "NAME"),
  memory: optionalString(
    "memory",
    "Begin with a copy of this memory (its directory or its project's) instead of the project's as it was when the baseline began",
    "DIR"
  ),
  emptyMemory: flag("empty-memory", "Begin with no memory"),
  nativeMemory: Flag.Literals("native-memory", ["on", "off"]).pipe(
    Flag.withDefault("on"),
    Flag.withDescription("The agent's own memory, on by default; it begins empty")
  ),
  noInstructionFiles: flag(
    "no-instruction-files",
    "Without CLAUDE.md, AGENTS.md or GEMINI.md, where the agent can do that"
  ),
  profile: Flag.Literals("profile", ArmProfile.literals).pipe(
    Flag.withDefault("production"),
    Flag.withDescription(
      "production (default): the hooks that install registers. hooks-common: only those that all agents have. mcp-only: memory by the MCP server alone"
    )
  ),
  agentArg: repeatable(
    "agent-arg",
    "An argument for the agent's program; may be repeated: --agent-arg=--allowedTools --agent-arg=Bash",
    "ARG"
  )
} as const

export interface ArmFlags {
  readonly enable: boolean
  readonly disable: boolean
  readonly model: string | undefined
  readonly memory: string | undefined
  readonly emptyMemory: boolean
  readonly nativeMemory: "on" | "off"
  readonly noInstructionFiles: boolean
  readonly profile: ArmProfile
  readonly agentArg: ReadonlyArray<string>
}

/** What the flags say besides the session, or why they say nothing. */
export const checkArmFlags = Effect.fn("checkArmFlags")(function* (flags: ArmFlags) {
  const host = yield* Host
  const refuse = (reason: string) => new ReplayFlags({ reason })
  if (flags.enable && flags.disable) return yield* refuse("Say --enable-lint-ai or --disable-lint-ai, not both.")
  if (flags.memory !== undefined && flags.emptyMemory) {
    return yield* refuse("Say --memory DIR or --empty-memory, not both.")
  }
  if ((flags.memory !== undefined || flags.emptyMemory) && !flags.enable) {
    return yield* refuse("A memory is for a replay with lint-ai: add --enable-lint-ai.")
  }
  const memory: ArmMemory | undefined = flags.emptyMemory
    ? { from: "empty" }
    : flags.memory === undefined
      ? undefined
      : { from: "named", directory: path.resolve(host.cwd, flags.memory) }
  return {
    lintAi: flags.enable,
    model: flags.model,
    memory,
    nativeMemory: flags.nativeMemory === "on",
    instructionFiles: !flags.noInstructionFiles,
    profile: flags.profile,
    args: flags.agentArg
  }
})

interface ArmFromFlags {
  readonly arm: Arm
  /** Sentences about what the arm cannot take from the recording. */
  readonly notes: ReadonlyArray<string>
}

/**
 * The arm of the flags: of the session's own agent as `replay` would set it up, of another agent with nothing that was recorded.
 */
export const armOf = Effect.fn("armOf")(function* (
  flags: ArmFlags,
  provider: Provider,
  session: SessionSummary | undefined
) {
  const asked = yield* checkArmFlags(flags)
  if (session?.manifest.provider === provider) {
    const orchestrator = yield* ReplayOrchestrator
    // The prompts are the scenario's.
    const once = { allowRedacted: true, timeout: 0, repeat: 1, keep: false }
    const { arm, armNotes } = yield* orchestrator.plan({ ...asked, ...once, baseline: session })
    return { arm, notes: armNotes } satisfies ArmFromFlags
  }
  const { lintAi, model, nativeMemory, instructionFiles, memory, profile, args } = asked
  const asOf = session === undefined ? {} : { as_of: session.manifest.started_at }
  const arm: Arm = {
    name: `${provider}-${lintAi ? "lint-ai" : "off"}`,
    provider,
    ...(model === undefined ? undefined : { model }),
    lint_ai: lintAi,
    native_memory: nativeMemory,
    instruction_files: instructionFiles,
    memory: memory ?? { from: "project", ...asOf },
    profile,
    args
  }
  return { arm, notes: [] } satisfies ArmFromFlags
})
