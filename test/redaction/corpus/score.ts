import { escaped, type Row } from "./row.ts"

const shortestLeak = 12

/** Whether a piece of the secret that is worth something is still there: 12 characters, or 40 % of a short one, in any escaping. */
export const leaks = (output: string, secret: string): boolean => {
  for (let times = 0; times < 4; times++) {
    const shown = escaped(secret, times)
    // The public prefix of a token may stay: what counts is its body.
    const prefix = /^(?:[A-Za-z0-9]{2,12}[-_.]){1,3}/.exec(shown)?.[0] ?? ""
    const body = shown.length - prefix.length >= 10 ? shown.slice(prefix.length) : shown
    const length = Math.min(body.length, Math.max(6, Math.min(shortestLeak, Math.ceil(body.length * 0.4))))
    for (let at = 0; at + length <= body.length; at++) if (output.includes(body.slice(at, at + length))) return true
    if (shown === secret && times > 0) break
  }
  return false
}

/** What the engine did with a corpus. */
export interface Score {
  readonly found: Readonly<Record<Row["tier"], readonly [hit: number, of: number]>>
  readonly innocentChanged: readonly [changed: number, of: number]
  readonly linesChanged: readonly [changed: number, of: number]
  readonly misses: ReadonlyArray<Row>
  readonly alarms: ReadonlyArray<readonly [row: Row, output: unknown]>
}

/** Redacts every row and counts. Lines beside a secret count as innocent when none of the row's secrets touches them. */
export const scoreCorpus = (rows: ReadonlyArray<Row>, redact: (value: unknown) => unknown): Score => {
  const found: Record<Row["tier"], [number, number]> = { self: [0, 0], keyed: [0, 0], prose: [0, 0], innocent: [0, 0] }
  const innocent: [number, number] = [0, 0]
  const lines: [number, number] = [0, 0]
  const misses: Array<Row> = []
  const alarms: Array<readonly [Row, unknown]> = []
  for (const row of rows) {
    const output = redact(row.value)
    const shown = typeof output === "string" ? output : JSON.stringify(output)
    if (row.tier === "innocent") {
      innocent[1]++
      if (shown !== (typeof row.value === "string" ? row.value : JSON.stringify(row.value))) {
        innocent[0]++
        alarms.push([row, output])
      }
      continue
    }
    found[row.tier][1]++
    if (row.secrets.some((secret) => leaks(shown, secret))) misses.push(row)
    else found[row.tier][0]++
    if (typeof row.value !== "string" || /^(?:dumps|encoded)/.test(row.kind)) continue
    for (const line of row.value.split("\n")) {
      if (line.trim().length < 6 || /-----(?:BEGIN|END) |(?:AKIA|ASIA)/.test(line)) continue
      if (row.secrets.some((secret) => line.includes(secret.slice(0, 8)) || line.includes(secret.slice(-8)))) continue
      lines[1]++
      if (!shown.includes(line)) {
        lines[0]++
        alarms.push([row, output])
      }
    }
  }
  return { found, innocentChanged: innocent, linesChanged: lines, misses, alarms }
}
