import * as Clock from "effect/Clock"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type PrunePlan, parseAge, parseSize, planPrune, type RetentionRules } from "../../archive/retention.ts"
import { findSessions } from "../../control/projectSessions.ts"
import { projectSettings } from "../../control/projectSettings.ts"
import { retentionRules } from "../../control/retentionSettings.ts"
import { counted } from "../../domain/counted.ts"
import { formatBytes } from "../../export/format.ts"
import { confirm } from "../confirm.ts"
import { NoRetentionRule, NotATime, NotDeleted, RetentionFaulty } from "../errors.ts"
import { json, optionalString, sessionScope, yes } from "../options.ts"
import { renderTable } from "../render/table.ts"
import { note, report } from "../report.ts"
import { removeEach, scopeOf } from "../sessions.ts"

const reasons = { age: "old", number: "over the number", size: "over the size" } as const

const parsed = <A>(given: string | undefined, parse: (text: string) => A | undefined, flag: string) => {
  if (given === undefined) return Effect.succeed(undefined)
  const value = parse(given)
  return value === undefined ? Effect.fail(new NotATime({ flag, given })) : Effect.succeed(value)
}

export const pruneCommand = Command.make(
  "prune",
  {
    olderThan: optionalString("older-than", "Delete sessions that ended longer ago: 90m, 12h, 30d, 2w", "AGE"),
    keep: Flag.Int("keep").pipe(
      Flag.withDescription("Keep at least this many of the newest; alone, delete all others"),
      Flag.withMetavar("N"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    maxSize: optionalString("max-size", "Delete the oldest until the rest fits: 800MB, 2GiB", "SIZE"),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Only say what would be deleted")
    ),
    yes,
    json,
    ...sessionScope
  },
  Effect.fn("sessions prune")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const given: RetentionRules = {
      olderThanMs: yield* parsed(flags.olderThan, parseAge, "older-than"),
      keep: yield* parsed(
        flags.keep === undefined ? undefined : String(flags.keep),
        (text) => (Number(text) >= 0 ? Number(text) : undefined),
        "keep"
      ),
      maxBytes: yield* parsed(flags.maxSize, parseSize, "max-size")
    }
    const isGiven = Object.values(given).some((rule) => rule !== undefined)
    const configured = retentionRules(yield* projectSettings(scope.projectRoot))
    const faults = [...configured.unread, ...configured.problems]
    if (!isGiven && faults.length > 0) {
      return yield* new RetentionFaulty({
        problems: faults.map(({ file, problem }) => `${file}: ${problem}`)
      })
    }
    const rules = isGiven ? given : configured.rules
    if (Object.values(rules).every((rule) => rule === undefined)) return yield* new NoRetentionRule()

    const { sessions } = yield* findSessions(scope)
    const plan = yield* planPrune(sessions, rules, yield* Clock.currentTimeMillis)
    const candidates = plan.remove.map((one) => ({ ...one, directory: one.session.directory }))
    const table = (rows: PrunePlan["remove"], columns: number) =>
      renderTable(
        rows,
        [
          { title: "SESSION", value: (one) => one.session.manifest.session_id, least: 16 },
          {
            title: "ENDED",
            value: (one) => (one.session.manifest.ended_at ?? "").slice(0, 16).replace("T", " "),
            spare: 2
          },
          { title: "SIZE", value: (one) => formatBytes(one.bytes), right: true },
          { title: "BECAUSE", value: (one) => reasons[one.reason], spare: 1 }
        ],
        columns
      )
    if (!flags.dryRun && candidates.length > 0) {
      if (!flags.yes) yield* note(table(candidates, 80))
      yield* confirm({
        question: `Delete ${counted(candidates.length, "session")} (${formatBytes(bytesOf(candidates))}) for good?`,
        action: "Pruning",
        yes: flags.yes
      })
    }
    const { removed, left } = flags.dryRun ? { removed: candidates, left: [] } : yield* removeEach(candidates, "prune")
    const bytes = bytesOf(removed)
    const data = {
      dry_run: flags.dryRun,
      [flags.dryRun ? "would_delete" : "deleted"]: removed.map(({ session, bytes, reason }) => ({
        session_id: session.manifest.session_id,
        path: session.directory,
        byte_count: bytes,
        reason
      })),
      byte_count: bytes,
      kept: plan.kept.length,
      spared: plan.spared.map(({ session, because }) => ({ session_id: session.manifest.session_id, because })),
      left
    }
    yield* report(flags.json, data, (_, look) => {
      const staying = plan.kept.length + plan.spared.length + left.length
      const stays = `${counted(staying, "session")} ${staying === 1 ? "stays" : "stay"}${sparedWords(plan.spared)}.`
      if (removed.length === 0) return `${left.length === 0 ? "Nothing to delete" : "Nothing deleted"}: ${stays}\n`
      const what = `${counted(removed.length, "session")}, ${formatBytes(bytes)}`
      return `${table(removed, look.columns)}\n${flags.dryRun ? `Would delete ${what}` : `Deleted ${what}`}; ${stays}\n`
    })
    if (left.length > 0) return yield* new NotDeleted({ sessions: left })
  })
).pipe(
  Command.withDescription("Delete ended sessions by age, number or size; without a rule, by the `retention` settings")
)

const bytesOf = (sessions: PrunePlan["remove"]) => sessions.reduce((sum, one) => sum + one.bytes, 0)

/** Why no rule takes some of the sessions that stay. */
const sparedWords = (spared: PrunePlan["spared"]): string => {
  const frozen = spared.filter(({ because }) => because === "frozen").length
  const active = spared.length - frozen
  const words = [
    ...(frozen === 0 ? [] : [`${frozen} as the baseline of a replay, scenario or experiment`]),
    ...(active === 0 ? [] : [`${active} still active`])
  ]
  return words.length === 0 ? "" : `, ${words.join(" and ")}`
}
