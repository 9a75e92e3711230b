import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { writeAll } from "../archive/atomicFile.ts"
import { Verdict } from "../domain/scenario.ts"
import { Disk } from "../platform/Disk.ts"

const At = { at: Schema.String }
const Attempt = { cell: Schema.String, attempt: Schema.Natural }

/** What an experiment consists of, by SHA-256: a root holds cells of one experiment only. */
export const Fingerprints = Schema.Struct({
  experiment: Schema.String,
  /** Of the scenario files' bytes, by the scenario's id. */
  scenarios: Schema.Record(Schema.String, Schema.String),
  /** Of the memories that arms begin with, by their directory. */
  memories: Schema.Record(Schema.String, Schema.String)
})
export type Fingerprints = typeof Fingerprints.Type

/** The lines of a ledger. A cell that was started and never ended was cut. */
export const LedgerLine = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("opened"),
    ...At,
    schema_version: Schema.Literal(1),
    experiment_id: Schema.String,
    lint_ai_version: Schema.String,
    fingerprints: Fingerprints,
    planned: Schema.Natural
  }),
  /** A run began to work in the root, for the first time or again. */
  Schema.Struct({ type: Schema.Literal("run"), ...At, pid: Schema.Natural, lint_ai_version: Schema.String }),
  Schema.Struct({ type: Schema.Literal("started"), ...At, ...Attempt, directory: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("completed"),
    ...At,
    ...Attempt,
    verdict: Verdict,
    /** The score's file, from the root, and its SHA-256. */
    result: Schema.String,
    digest: Schema.String
  }),
  Schema.Struct({ type: Schema.Literal("failed"), ...At, ...Attempt, reason: Schema.String }),
  /** The cell was cut: by a signal, a crash, or a kill that a later run found. */
  Schema.Struct({ type: Schema.Literal("aborted"), ...At, ...Attempt, reason: Schema.String })
])
export type LedgerLine = typeof LedgerLine.Type

const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(LedgerLine))

export const ledgerFile = (root: string): string => path.join(root, "ledger.jsonl")

/** A ledger as it was read. `damaged` counts lines that are no ledger lines; a torn last one is not among them. */
export interface Ledger {
  readonly lines: ReadonlyArray<LedgerLine>
  readonly damaged: number
}

/** Reads a ledger; empty where there is none. A last line without its newline was cut by a kill and counts for nothing. */
export const readLedger = Effect.fnUntraced(function* (root: string) {
  const disk = yield* Disk
  const file = ledgerFile(root)
  if ((yield* disk.status(file)) === undefined) return { lines: [], damaged: 0 } satisfies Ledger
  const whole = (yield* disk.readFile(file)).toString("utf8").split("\n").slice(0, -1)
  const decoded = whole.map((line) => Option.getOrUndefined(decodeLine(line)))
  const lines = decoded.filter((line) => line !== undefined)
  return { lines, damaged: decoded.length - lines.length } satisfies Ledger
})

/**
 * Appends one line with one write(2), and waits until it is on the disk: what it says has happened. A torn last line, which a kill left behind, is
 * cut off first: nothing followed from it, and were it ended, a run that took it for nothing would be told later that it counts.
 */
export const appendLedger = Effect.fnUntraced(function* (root: string, line: LedgerLine) {
  const disk = yield* Disk
  const file = ledgerFile(root)
  yield* disk.withFile(file, "append", (open) =>
    Effect.gen(function* () {
      const size = yield* open.size
      const last = size === 0 ? "\n" : (yield* open.read(size - 1, 1)).toString("latin1")
      if (last !== "\n") yield* open.truncate((yield* open.read(0, size)).lastIndexOf("\n") + 1)
      yield* writeAll(open, Buffer.from(`${JSON.stringify(line)}\n`), file)
      yield* open.sync
    })
  )
})

/** One attempt at a cell, as the ledger has it. */
export interface AttemptState {
  readonly attempt: number
  readonly state: "started" | "completed" | "failed" | "aborted"
  readonly directory: string
  readonly reason: string | undefined
  readonly result: { readonly file: string; readonly digest: string } | undefined
}

/** The attempts at each cell, in their order. */
export const attemptsOf = (lines: ReadonlyArray<LedgerLine>): ReadonlyMap<string, ReadonlyArray<AttemptState>> => {
  const cells = new Map<string, Array<AttemptState>>()
  for (const line of lines) {
    if (line.type === "opened" || line.type === "run") continue
    const attempts = cells.get(line.cell) ?? []
    cells.set(line.cell, attempts)
    if (line.type === "started") {
      const { attempt, directory } = line
      attempts.push({ attempt, directory, state: "started", reason: undefined, result: undefined })
      continue
    }
    const at = attempts.findLastIndex(({ attempt }) => attempt === line.attempt)
    const begun = attempts[at]
    if (begun === undefined) continue
    attempts[at] = {
      ...begun,
      state: line.type,
      reason: line.type === "completed" ? undefined : line.reason,
      result: line.type === "completed" ? { file: line.result, digest: line.digest } : undefined
    }
  }
  return cells
}
