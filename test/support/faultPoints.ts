// Stands in for src/platform/Disk.ts in the entry points of the program that faultyProgram.mjs builds. Every operation on the disk is a point before and
// after which the process can be made to die, fail or wait; what is shipped knows nothing of it.
import * as fs from "node:fs"
import * as path from "node:path"
import * as Layer from "effect/Layer"
import { Disk as RealDisk } from "../../src/platform/Disk.ts"
import { type DiskCall, withFaults } from "./faultyDisk.ts"

export * from "../../src/platform/Disk.ts"

/** What is at a path, as far as the archive tells its files apart. */
export const placeOf = (file: string): string => {
  const name = path.basename(file)
  const parent = path.basename(path.dirname(file))
  if (/^lock(\.break)*(\.[^.]*\.tmp)?$/.test(name)) return "lock"
  if (parent === "spool" || name === "spool") return "spool"
  if (parent === "anchors" || name === "anchors") return "anchor"
  const [, stem] =
    /^(events|checkpoint|manifest|checksums|recovery|state|keys|owner|diagnostics)\.jsonl?(\..*)?$/.exec(name) ?? []
  if (stem !== undefined) return stem
  if (/(^|[/\\])[a-z]+-memory([/\\]|$)/.test(file)) return "memory"
  return file.startsWith("/proc/") ? "proc" : "other"
}

/**
 * One thing that goes wrong. `nth` counts the operations on a place from 1; `action` is `kill`, `tear` (half of the bytes are written, then
 * the process is killed), `delay:<ms>`, `link:<target>` (what is there is moved away, and a link to the target stands in its place) or the code of an error.
 */
export interface Fault {
  readonly place: string
  readonly operation: string
  readonly side: "before" | "after"
  readonly nth: number
  readonly action: string
}

/** Environment variables of the program: the faults as JSON, and a file that takes one line for each operation. */
export const faultsVariable = "LINT_AI_TEST_FAULTS"
export const traceVariable = "LINT_AI_TEST_TRACE"

const faults: ReadonlyArray<Fault> = JSON.parse(process.env[faultsVariable] ?? "[]")
const trace = process.env[traceVariable]
const counts = new Map<string, number>()

const die = (): void => {
  process.kill(process.pid, "SIGKILL")
  // A signal to oneself arrives before kill(2) returns; should a system be slower, nothing more is done here.
  wait(60_000)
}
const wait = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

const swap = (file: string, target: string): void => {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) fs.renameSync(file, `${file}.moved`)
  fs.symlinkSync(target, file)
}

/** A wall clock that is wrong by so many milliseconds. */
export const clockVariable = "LINT_AI_TEST_CLOCK_MS"
const wrongBy = Number(process.env[clockVariable] ?? 0)
if (wrongBy !== 0) {
  const now = Date.now
  Date.now = () => now() + wrongBy
}

const faultsAt = (side: Fault["side"], place: string, operation: string, nth: number): ReadonlyArray<Fault> =>
  faults.filter(
    (fault) =>
      fault.side === side &&
      (fault.place === place || fault.place === "*") &&
      (fault.operation === operation || fault.operation === "*") &&
      (fault.nth === nth || fault.nth === 0)
  )

const before = ({ operation, path: file }: DiskCall): string | undefined => {
  const place = placeOf(file)
  const nth = (counts.get(`${place} ${operation}`) ?? 0) + 1
  counts.set(`${place} ${operation}`, nth)
  if (trace !== undefined) fs.appendFileSync(trace, `${place} ${operation} ${nth}\n`)
  for (const { action } of faultsAt("before", place, operation, nth)) {
    if (action === "kill") die()
    else if (action === "tear") return "ENOSPC"
    else if (action.startsWith("delay:")) wait(Number(action.slice("delay:".length)))
    else if (action.startsWith("link:")) swap(file, action.slice("link:".length))
    else return action
  }
  return undefined
}

const after = ({ operation, path: file }: DiskCall): void => {
  const place = placeOf(file)
  const nth = counts.get(`${place} ${operation}`) ?? 0
  if (faultsAt("before", place, operation, nth).some(({ action }) => action === "tear")) die()
  for (const { action } of faultsAt("after", place, operation, nth)) {
    if (action === "kill") die()
    else if (action.startsWith("delay:")) wait(Number(action.slice("delay:".length)))
  }
}

export class Disk extends RealDisk {
  static override readonly make = () => withFaults(RealDisk.make(), before, after)
  static override readonly layer = Layer.sync(RealDisk, Disk.make)
}
