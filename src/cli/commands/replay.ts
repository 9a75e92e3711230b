import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { counted } from "../../domain/counted.ts"
import { providerTitles } from "../../domain/provider.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { Host } from "../../platform/Host.ts"
import {
  type Replayed,
  ReplayOrchestrator,
  type ReplayPlan,
  type ReplayRequest
} from "../../replay/ReplayOrchestrator.ts"
import { armFlags, checkArmFlags, ReplayFlags } from "../armFlags.ts"
import { json, optionalString, sessionScope } from "../options.ts"
import { type PlanView, type ReplayView, renderPlan, renderReplays } from "../render/replay.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { sessionIn } from "../sessions.ts"

/** A replay ended badly. Its archive says how. */
export class ReplayFailed extends Data.TaggedError("ReplayFailed")<{
  readonly failed: number
  readonly of: number
  readonly session_id: string
}> {
  override get message(): string {
    const what = this.of === 1 ? "The replay failed." : `${this.failed} of ${this.of} replays failed.`
    return `${what} \`lint-ai sessions inspect ${shellWord(this.session_id)}\` shows what was recorded.`
  }
}

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `90s`, `15m`, `2h`; a number alone is seconds. */
export const parseTimeout = (text: string): number | undefined => {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const milliseconds = Math.round(Number(amount) * (units[unit] ?? 0))
  // Timers count in 31 bits.
  return amount !== undefined && milliseconds > 0 && milliseconds < 2 ** 31 ? milliseconds : undefined
}

export const replayCommand = Command.make(
  "replay",
  {
    session: Argument.String("session").pipe(Argument.withDescription("Its id, the beginning of it, or its directory")),
    ...armFlags,
    timeout: optionalString("timeout", "For each replay: 90s, 15m (the default), 2h", "TIME"),
    repeat: Flag.Int("repeat").pipe(
      Flag.withDefault(1),
      Flag.withMetavar("N"),
      Flag.withDescription("How many replays, one after another, up to 100 (default: 1)")
    ),
    withPatch: flag(
      "with-patch",
      "Apply what is uncommitted in the project now; only while the recorded revision is checked out"
    ),
    patch: optionalString("patch", "Apply this patch instead", "FILE"),
    allowRedacted: flag("allow-redacted", "Send prompts that were redacted or cut as they are recorded"),
    keep: flag("keep", "Leave the workspace and the settings home of the replay there"),
    dryRun: flag("dry-run", "Show what would be done, and do nothing"),
    json,
    ...sessionScope
  },
  Effect.fn("replay")(function* (flags) {
    const host = yield* Host
    const orchestrator = yield* ReplayOrchestrator
    const refuse = (reason: string) => new ReplayFlags({ reason })
    const arm = yield* checkArmFlags(flags)
    if (flags.withPatch && flags.patch !== undefined)
      return yield* refuse("Say --with-patch or --patch FILE, not both.")
    if (flags.repeat < 1 || flags.repeat > 100) return yield* refuse("--repeat takes a number from 1 to 100.")
    const timeout = parseTimeout(flags.timeout ?? "15m")
    if (timeout === undefined) {
      return yield* refuse(`--timeout takes a time such as 90s, 15m or 2h, not "${plain(flags.timeout ?? "")}".`)
    }
    const request: ReplayRequest = {
      baseline: yield* sessionIn(flags),
      ...arm,
      patch: flags.withPatch
        ? "present"
        : flags.patch === undefined
          ? undefined
          : { file: path.resolve(host.cwd, flags.patch) },
      allowRedacted: flags.allowRedacted,
      timeout,
      repeat: flags.repeat,
      keep: flags.keep
    }
    const plan = yield* orchestrator.plan(request)
    const view = planView(plan, timeout)
    if (flags.dryRun) {
      return yield* report(flags.json, { plan: view, dry_run: true }, (_, look) =>
        [renderPlan(view, look), "Nothing was done (--dry-run).\n"].join("\n")
      )
    }
    if (!flags.json) yield* report(false, view, (_, look) => `${renderPlan(view, look)}\n`)
    const replays: Array<ReplayView> = []
    for (let run = 1; run <= flags.repeat; run++) {
      const of = flags.repeat === 1 ? "" : ` ${run} of ${flags.repeat}`
      yield* note(
        `Replaying${of} with ${providerTitles[plan.arm.provider]}: ${counted(plan.prompts.length, "prompt")}...\n`
      )
      const replayed = yield* orchestrator
        .replay(plan)
        .pipe(
          Effect.onInterrupt(() => note("Interrupted. What was recorded of the replay stays as a failed session.\n"))
        )
      replays.push(replayView(replayed))
    }
    yield* report(flags.json, { plan: view, replays }, (_, look) => renderReplays(view.baseline, replays, look))
    const failed = replays.filter(({ status }) => status === "failed")
    const [first] = failed
    if (first !== undefined) {
      return yield* new ReplayFailed({ failed: failed.length, of: replays.length, session_id: first.session_id })
    }
  })
).pipe(
  Command.withDescription(
    "Run the prompts of a recorded session again as a new session, apart from your settings and memory. A fork that the agent makes is no replay: it takes the history along"
  )
)

const planView = (plan: ReplayPlan, timeoutMs: number): PlanView => ({
  baseline: plan.request.baseline.manifest.session_id,
  provider: providerTitles[plan.arm.provider],
  arm: plan.arm.name,
  lint_ai: plan.arm.lint_ai,
  native_memory: plan.arm.native_memory,
  instruction_files: plan.arm.instruction_files,
  memory: plan.arm.lint_ai ? plan.arm.memory : null,
  model: plan.arm.model ?? null,
  args: plan.arm.args,
  profile: plan.arm.profile,
  project_root: plan.projectRoot,
  revision: plan.revision ?? null,
  patch:
    plan.request.patch === undefined
      ? null
      : plan.request.patch === "present"
        ? "what is uncommitted now"
        : plan.request.patch.file,
  session_root: plan.sessionsRoot,
  timeout_ms: timeoutMs,
  repeat: plan.request.repeat,
  prompts: plan.prompts.map(({ text, altered }) => ({ text, altered })),
  notes: plan.notes
})

const replayView = (replayed: Replayed): ReplayView => ({
  session_id: replayed.sessionId,
  path: replayed.directory,
  status: replayed.status,
  reason: replayed.reason ?? null,
  exit_code: replayed.exitCode ?? null,
  prompt_count: replayed.promptCount,
  prompts_alone: replayed.alone,
  duration_ms: replayed.durationMs,
  cost_usd: replayed.costUsd ?? null,
  changed_since_revision: replayed.changed ?? null,
  notes: replayed.notes
})
