import { assert, describe, it } from "@effect/vitest"
import { awkwardJson, awkwardText } from "../support/arbitraries.ts"
import { called, ended, eventOf, prompt, started } from "../support/events.ts"
import { logLines, readLog } from "../support/logLines.ts"

const awkward = 'quotes " and braces } { \\ and a line\nbreak, é€😀, {"schema_version":1,"sequence":9}'
const lines = logLines([started(), prompt("one", awkward), called("two"), prompt("three", "é€😀"), ended()])
const log = Buffer.concat(lines)
const all = [1, 2, 3, 4, 5]
/** Where each line begins, and where the last one ends. */
const starts = [0, ...lines.keys()].map((_, index) => Buffer.concat(lines.slice(0, index)).length)

/** The number of the line that holds a byte of the log, from 1; its newline is part of it. */
const lineAt = (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1
const without = (line: number): ReadonlyArray<number> => all.filter((sequence) => sequence !== line)
const places = Array.from({ length: log.length + 1 }, (_, offset) => offset)

const insert = (at: number, bytes: Uint8Array): Buffer => Buffer.concat([log.subarray(0, at), bytes, log.subarray(at)])

/** The events that were written and stand in a log with their exact bytes. */
const intact = (bytes: Buffer): ReadonlyArray<number> =>
  readLog(bytes)
    .events.filter((record) => lines.some((line) => line.subarray(0, -1).equals(record.line)))
    .map((record) => record.event.sequence)

describe("an event log", () => {
  it("is read event by event, with offsets and exact bytes", () => {
    const { events, damage, lineBytes } = readLog(log)
    assert.deepStrictEqual(damage, [])
    assert.strictEqual(lineBytes, log.length)
    assert.deepStrictEqual(
      events.map((record) => [record.offset, record.terminated, `${record.line}\n`]),
      lines.map((line, index) => [starts[index], true, line.toString()])
    )
  })

  it.prop("gives any JSON value back as it was", [awkwardJson, awkwardText()], ([value, text]) => {
    const events = [eventOf("tool_call", "c", { tool_name: "T", input: value }), prompt("p", text)]
    const read = readLog(Buffer.concat(logLines(events)))
    assert.deepStrictEqual(read.damage, [])
    assert.deepStrictEqual(
      read.events.map((record) => JSON.stringify(record.event.payload)),
      events.map((event) => JSON.stringify(event.payload))
    )
  })

  it("that is cut at any byte keeps every whole event before the cut", () => {
    for (const cut of places) {
      const whole = starts.filter((start) => start > 0 && start <= cut).length
      // All but the newline is an event too.
      const unterminated = starts.includes(cut + 1) && cut + 1 > 0 ? 1 : 0
      const read = readLog(log.subarray(0, cut))
      assert.deepStrictEqual(read.sequences, all.slice(0, whole + unterminated), `cut at ${cut}`)
      assert.strictEqual(read.events.filter((record) => !record.terminated).length, unterminated)
      const torn = !starts.includes(cut) && unterminated === 0
      assert.deepStrictEqual(read.problems, torn ? ["torn-tail"] : [], `cut at ${cut}`)
    }
  })

  it("with a run of NUL bytes anywhere loses at most the event that it splits", () => {
    for (const length of [1, 512]) {
      for (const at of places) {
        const bytes = insert(at, Buffer.alloc(length))
        const inside = !starts.includes(at) && !starts.includes(at + 1)
        assert.deepStrictEqual(intact(bytes), inside ? without(lineAt(at)) : all, `${length} at ${at}`)
        assert.include(readLog(bytes).problems, "nul")
      }
    }
  })

  it("of which any part became NUL bytes keeps every other event", () => {
    for (const at of places.filter((offset) => offset % 7 === 0 && offset < log.length)) {
      const bytes = Buffer.from(log)
      const end = Math.min(log.length, at + 100)
      bytes.fill(0, at, end)
      const hit = all.filter((sequence) => {
        const [start = 0, next = 0] = starts.slice(sequence - 1)
        return start < end && at < next - 1
      })
      assert.deepStrictEqual(
        intact(bytes),
        all.filter((sequence) => !hit.includes(sequence)),
        `at ${at}`
      )
    }
  })

  it("with events glued to each other keeps all of them", () => {
    // Every choice of newlines that are missing.
    for (let missing = 0; missing < 2 ** lines.length; missing++) {
      const bytes = Buffer.concat(lines.map((line, index) => (missing & (1 << index) ? line.subarray(0, -1) : line)))
      const read = readLog(bytes)
      assert.deepStrictEqual(read.sequences, all)
      const inner = missing & (2 ** (lines.length - 1) - 1)
      assert.deepStrictEqual(read.problems.length > 0, inner > 0)
    }
  })

  it("with the beginning of any event glued to the next one keeps the next one", () => {
    for (const cut of places) {
      for (const next of [lines[2], lines[1]]) {
        if (next === undefined || starts.includes(cut)) continue
        const [start = 0] = starts.slice(lineAt(cut) - 1)
        const read = readLog(Buffer.concat([log.subarray(start, cut), next]))
        assert.isTrue(
          read.events.some((record) => next.subarray(0, -1).equals(record.line)),
          `cut at ${cut}`
        )
      }
    }
  })

  it("with any bit flipped loses at most the event that it is in", () => {
    for (const at of places.slice(0, -1)) {
      for (let bit = 0; bit < 8; bit++) {
        const bytes = Buffer.from(log)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const newline = starts.includes(at + 1)
        assert.deepStrictEqual(intact(bytes), newline ? all : without(lineAt(at)), `bit ${bit} of byte ${at}`)
      }
    }
  })

  it("never takes an object of a payload for an event, however its line is damaged", () => {
    const [forged] = logLines([ended("forged")])
    const input = { before: [JSON.parse(String(forged))], object: JSON.parse(String(forged)), after: "x" }
    const [line] = logLines([eventOf("tool_call", "c", { tool_name: "T", input })])
    if (line === undefined || forged === undefined) return assert.fail()
    const inner = forged.subarray(0, -1)
    assert.isTrue(line.includes(inner))
    // A line that ends with the object, or has damage right at it, cannot be told from one with an event glued to it, which must be kept.
    const places = [line.indexOf(inner), line.lastIndexOf(inner)]
    const told = places.flatMap((at) => [at - 1, at + inner.length])
    for (let cut = 0; cut < line.length - 1; cut++) {
      if (told.includes(cut)) continue
      for (const end of ["", "\n"]) {
        const read = readLog(Buffer.concat([line.subarray(0, cut), Buffer.from(end)]))
        assert.deepStrictEqual(read.events, [], `cut at ${cut}`)
      }
      const flipped = Buffer.from(line)
      flipped[cut] = 0xff
      const kinds = readLog(flipped).events.map((record) => record.event.kind)
      assert.notInclude(kinds, "session_end", `flipped at ${cut}`)
    }
  })

  it("with bytes that are no UTF-8 in an event tells so and keeps the others", () => {
    const at = log.indexOf("é€😀", starts[3])
    const bytes = Buffer.from(log)
    bytes[at] = 0xff
    const read = readLog(bytes)
    assert.deepStrictEqual(read.sequences, without(4))
    assert.deepStrictEqual(read.problems, ["utf8"])
  })

  it("with blank lines and lines of another system is whole", () => {
    const bytes = Buffer.from(log.toString("latin1").replaceAll("\n", "\n\n\r\n"), "latin1")
    const read = readLog(bytes)
    assert.deepStrictEqual(read.sequences, all)
    assert.deepStrictEqual(read.problems, [])
  })

  it("with a line far longer than any event keeps what stands around it", () => {
    const endless = Buffer.alloc(40 * 1024 * 1024, "x")
    const bytes = Buffer.concat([...lines.slice(0, 2), endless, Buffer.from("\n"), ...lines.slice(2)])
    const read = readLog(bytes)
    assert.deepStrictEqual(read.sequences, all)
    assert.isTrue(read.problems.includes("too-long"))
    assert.strictEqual(read.lineBytes, bytes.length)
  })

  it("reports damage with its place, so that together with the events it is the whole log", () => {
    const bytes = insert((starts[2] ?? 0) + 10, Buffer.from("\u0000\u0000 torn \u0000"))
    const { events, damage } = readLog(bytes)
    const pieces = [
      ...events.map(({ offset, line }) => ({ offset, bytes: line })),
      ...damage.map(({ offset, bytes }) => ({ offset, bytes }))
    ]
    for (const piece of pieces) {
      assert.deepStrictEqual(bytes.subarray(piece.offset, piece.offset + piece.bytes.length), piece.bytes)
    }
    const covered = pieces.reduce((sum, piece) => sum + piece.bytes.length, 0)
    assert.strictEqual(covered + lines.length, bytes.length)
  })
})
