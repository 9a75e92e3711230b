import { spawn } from "node:child_process"
import * as fs from "node:fs"

/** What a program took. */
export interface Cost {
  readonly exitCode: number | null
  readonly ms: number
  /** Most memory that it held at once, in MiB, as Linux counts it; 0 where that is not told. */
  readonly peakMib: number
  readonly outBytes: number
}

/** Runs a program to its end and watches its memory. */
export const costOf = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
): Promise<Cost> =>
  new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "ignore"] })
    let peakKib = 0
    let outBytes = 0
    const look = () => {
      try {
        const status = fs.readFileSync(`/proc/${child.pid}/status`, "utf8")
        peakKib = Math.max(peakKib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
      } catch {
        // It has ended, or this is no Linux.
      }
    }
    const timer = setInterval(look, 10)
    child.stdout.on("data", (bytes: Buffer) => {
      outBytes += bytes.length
    })
    child.on("close", (exitCode) => {
      clearInterval(timer)
      resolve({ exitCode, ms: performance.now() - began, peakMib: Math.round(peakKib / 1024), outBytes })
    })
  })

/** Percentiles of some milliseconds. */
export const percentiles = (times: ReadonlyArray<number>) => {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10
  return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), max_ms: at(1) }
}
