import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendLedger, attemptsOf, type LedgerLine, ledgerFile, readLedger } from "../../src/experiment/ledger.ts"
import { diskAndHost, temporaryDirectory } from "../support/temporaryHost.ts"

const at = "2026-08-16T12:00:00.000Z"
const started = (cell: string, attempt = 1): LedgerLine => ({
  type: "started",
  at,
  cell,
  attempt,
  directory: `/${cell}`
})
const failed = (cell: string, attempt = 1): LedgerLine => ({ type: "failed", at, cell, attempt, reason: "it failed" })
const completed = (cell: string, attempt = 1): LedgerLine => ({
  ...{ type: "completed", at, cell, attempt, verdict: "pass", result: "r.json", digest: "0" }
})

const inRoot = <A, E>(use: (root: string) => Effect.Effect<A, E, never>) => Effect.flatMap(temporaryDirectory, use)

describe("a ledger", () => {
  it.effect("gives back what was appended", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* readLedger(root), { lines: [], damaged: 0 })
        for (const line of [started("a"), completed("a")]) yield* appendLedger(root, line)
        assert.deepStrictEqual((yield* readLedger(root)).lines, [started("a"), completed("a")])
      }).pipe(Effect.provide(diskAndHost(root)))
    )
  )

  it.effect("survives a kill at every byte of its last line: all before stands, and so does what comes after", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        yield* appendLedger(root, started("a"))
        const whole = `${JSON.stringify(completed("a"))}\n`
        const before = fs.readFileSync(ledgerFile(root), "utf8")
        for (let length = 0; length < whole.length; length++) {
          fs.writeFileSync(ledgerFile(root), before + whole.slice(0, length))
          assert.deepStrictEqual(yield* readLedger(root), { lines: [started("a")], damaged: 0 })
          yield* appendLedger(root, started("b"))
          assert.deepStrictEqual(yield* readLedger(root), { lines: [started("a"), started("b")], damaged: 0 })
        }
      }).pipe(Effect.provide(diskAndHost(root)))
    )
  )

  it.effect("reads past lines that are none of its own, and counts them", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        yield* appendLedger(root, started("a"))
        fs.appendFileSync(ledgerFile(root), 'no json\n{"type":"other"}\n')
        yield* appendLedger(root, failed("a"))
        assert.deepStrictEqual(yield* readLedger(root), { lines: [started("a"), failed("a")], damaged: 2 })
      }).pipe(Effect.provide(diskAndHost(root)))
    )
  )

  it("tells the attempts at each cell by how they ended", () => {
    const attempts = attemptsOf([
      ...[started("a"), failed("a"), started("b"), started("a", 2), completed("b"), completed("a", 2), started("c")],
      // An end without a beginning belongs to nothing.
      completed("d")
    ])
    assert.deepStrictEqual(
      [...attempts].map(([cell, own]) => [cell, own.map(({ attempt, state }) => `${attempt} ${state}`)]),
      [
        ["a", ["1 failed", "2 completed"]],
        ["b", ["1 completed"]],
        ["c", ["1 started"]],
        ["d", []]
      ]
    )
  })
})
