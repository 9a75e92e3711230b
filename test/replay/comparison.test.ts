import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { comparisonMarkdown, renderComparisonTable } from "../../src/cli/render/comparison.ts"
import { styles, widthOf } from "../../src/cli/render/text.ts"
import type { ArchivedEvent } from "../../src/domain/event.ts"
import type { Evaluation } from "../../src/domain/scenario.ts"
import { type Comparison, compareSessions, deltaOf, type Measured } from "../../src/replay/comparison.ts"
import { firstDifference, traceOf } from "../../src/replay/firstDifference.ts"
import type { SessionMetrics } from "../../src/replay/metrics.ts"
import { metricsOf } from "../scenario/metricsOf.ts"
import { script } from "../scenario/recorded.ts"

type Script = ReturnType<typeof script>

const traced = (written: Script, root = "/project", provider: ArchivedEvent["provider"] = "claude") => {
  const tracer = traceOf(root)
  for (const [index, event] of written.events.entries()) {
    tracer.add({ ...event, sequence: index + 1, provider, turn_id: undefined } as unknown as ArchivedEvent)
  }
  return { provider, turns: tracer.turns }
}

const evaluated = (session: string, verdicts: ReadonlyArray<"pass" | "fail" | "unknown">): Evaluation => ({
  schema_version: 1,
  scenario_id: "s",
  scenario_digest: "d",
  session_id: session,
  role: "replay",
  evaluated_at: "2026-08-16T12:00:00.000Z",
  verdict: "unknown",
  facts: verdicts.map((verdict, index) => ({ id: `f${index}`, kind: "expected", verdict, why: "" })),
  validators: [],
  limits: []
})

const measuredOf = (metrics: Partial<SessionMetrics>, evaluation?: Evaluation, written = script()): Measured => ({
  metrics: metricsOf(metrics),
  trace: traced(written),
  evaluation
})
const of = (baseline: Partial<SessionMetrics>, ...replays: ReadonlyArray<Partial<SessionMetrics>>): Comparison =>
  compareSessions(
    measuredOf(baseline),
    replays.map((replay) => measuredOf({ replay_of_session_id: "claude:s", ...replay })),
    "2026-08-16T12:00:00.000Z"
  )
const row = (comparison: Comparison, name: string) => comparison.metrics.find((metric) => metric.name === name)

const look = (columns: number) => ({ columns, style: styles(false) })

describe("a comparison", () => {
  it("tells how each session ended, when one did not come to its end", () => {
    const shown = (comparison: Comparison) => renderComparisonTable(comparison, false, look(100))
    assert.notMatch(shown(of({ outcome: "completed" }, { outcome: "completed" })), /^Outcome/m)
    for (const outcome of ["failed", "incomplete", "active"] as const) {
      assert.match(
        shown(of({ outcome: "completed" }, { outcome })),
        new RegExp(`^Outcome +completed +${outcome}$`, "m")
      )
    }
  })

  it("gives each arm its own values and its own verdict", () => {
    const comparison = compareSessions(
      measuredOf({ session_id: "claude:a", tool_calls: 5 }, evaluated("claude:a", ["pass", "pass"])),
      [
        measuredOf({ session_id: "claude:b", tool_calls: 3 }, evaluated("claude:b", ["fail", "pass"])),
        measuredOf({ session_id: "claude:c", tool_calls: 9 }),
        measuredOf({ session_id: "claude:d", tool_calls: 5 }, evaluated("claude:d", ["unknown", "fail"]))
      ],
      "now"
    )
    assert.deepStrictEqual(row(comparison, "tool_calls")?.values, [5, 3, 9, 5])
    assert.deepStrictEqual(row(comparison, "expected_facts")?.values, ["2 of 2", "1 of 2", null, "0 of 2 (1 unknown)"])
    assert.deepStrictEqual(
      comparison.arms.map(({ quality }) => quality?.expected ?? null),
      [
        { passed: 2, failed: 0, unknown: 0 },
        { passed: 1, failed: 1, unknown: 0 },
        null,
        { passed: 0, failed: 1, unknown: 1 }
      ]
    )
  })

  it("takes replay minus baseline, relative only to what is not 0, and nothing to what was not observed", () => {
    const comparison = of(
      { working_ms: 1_000, injected_bytes: 0, cost_usd: null, first_response_ms: 10 },
      { working_ms: 1_500, injected_bytes: 300, cost_usd: 0.5, first_response_ms: null }
    )
    assert.deepStrictEqual(row(comparison, "working_ms")?.deltas, [null, { absolute: 500, relative: 0.5 }])
    assert.deepStrictEqual(row(comparison, "injected_bytes")?.deltas, [null, { absolute: 300, relative: null }])
    assert.deepStrictEqual(row(comparison, "cost_usd")?.deltas, [null, null])
    assert.deepStrictEqual(row(comparison, "first_response_ms")?.deltas, [null, null])
    assert.deepStrictEqual(row(comparison, "outcome")?.deltas, [null, null])
  })

  it.prop(
    "of a session with itself has no difference",
    { value: Arbitrary.schema(Schema.Union([Schema.Finite, Schema.Null])) },
    ({ value }) => {
      const delta = deltaOf(value, value)
      assert.strictEqual(delta?.absolute ?? 0, 0)
      assert.strictEqual(delta?.relative ?? 0, 0)
    }
  )

  it("has no measure that adds several up", () => {
    const names = of({}, {}).metrics.map(({ name }) => name)
    assert.isEmpty(names.filter((name) => /score|rank|winner|total_quality/.test(name)))
  })

  it("flags arms that differ in what is to be the same, and names both sides", () => {
    const flags = of(
      {},
      {},
      {
        models: ["claude-opus-5"],
        repository_revision: null,
        permission_modes: ["bypassPermissions"],
        provider_version: "2.1.197",
        recording_complete: false,
        replay_of_session_id: "claude:other"
      }
    ).arms.map((arm) => arm.flags)
    assert.deepStrictEqual(flags.slice(0, 2), [[], []])
    assert.deepStrictEqual(flags[2], [
      { what: "lineage", baseline: "claude:s", replay: "claude:other" },
      { what: "provider_version", baseline: "2.1.332", replay: "2.1.197" },
      { what: "model", baseline: "claude-sonnet-5", replay: "claude-opus-5" },
      { what: "revision", baseline: "a".repeat(40), replay: null },
      { what: "permissions", baseline: "default", replay: "bypassPermissions" },
      { what: "recording", baseline: "complete", replay: "incomplete" }
    ])
  })

  it("gives arms of one name different labels", () => {
    const labels = of({}, { arm: "off" }, { arm: "on" }, { arm: "off" }, { arm: "baseline" }, {}).arms.map(
      ({ label }) => label
    )
    assert.strictEqual(new Set(labels).size, labels.length, labels.join())
    assert.deepStrictEqual(labels, ["baseline", "off (1)", "on", "off (2)", "baseline (1)", "replay"])
  })
})

describe("the first difference", () => {
  const differs = (left: Script, right: Script) => firstDifference(traced(left), traced(right))
  const base = () => script().start().prompt("Go").tool("Read", { file_path: "/project/a" })

  it("is none where the same was done, at another time and in another directory", () => {
    const left = base().answer("Done. ").end()
    const right = script().start().prompt("Go").tool("Read", { file_path: "/place/work/a" }).answer("Done.").end()
    assert.isUndefined(firstDifference(traced(left), traced(right, "/place/work")))
  })

  it("takes the workspace that a replay names for the directory that it works in", () => {
    const right = script()
      .add("provider_event", { name: "replay", fields: { phase: "begin", workspace: "/place/work" } })
      .start()
      .prompt("Go")
      .tool("Read", { file_path: "/place/work/a" })
    assert.isUndefined(differs(base(), right))
  })

  it.each([
    ["prompt", base(), script().start().prompt("Come").tool("Read", { file_path: "/project/a" }), 1, 0],
    ["tool", base(), script().start().prompt("Go").tool("Grep", { pattern: "a" }), 1, 1],
    ["tool", base(), script().start().prompt("Go").answer("No"), 1, 1],
    ["input", base(), script().start().prompt("Go").tool("Read", { file_path: "/project/b" }), 1, 1],
    [
      "outcome",
      base(),
      script().start().prompt("Go").tool("Read", { file_path: "/project/a" }, { fails: "denied" }),
      1,
      1
    ],
    ["answer", base().answer("Yes"), base().answer("No"), 1, 2],
    ["end", base().answer("Yes"), base(), 1, 2],
    ["end", base(), base().prompt("And?"), 2, 0]
  ] as const)("is a %s", (kind, left, right, turn, step) => {
    const difference = differs(left, right)
    assert.deepInclude(difference, { kind, turn, step })
    assert.strictEqual(difference?.baseline === null || difference?.replay === null, kind === "end")
  })

  it("knows tools of different agents by what they do, and compares no inputs between them", () => {
    const gemini = script().start().prompt("Go").tool("read_file", { absolute_path: "/project/a" })
    const claude = traced(base())
    assert.isUndefined(firstDifference(claude, traced(gemini, "/project", "gemini")))
    const other = script().start().prompt("Go").tool("run_shell_command", { command: "cat a" })
    const difference = firstDifference(claude, traced(other, "/project", "gemini"))
    assert.deepInclude(difference?.baseline, { tool: "read", tool_name: "Read" })
    assert.deepInclude(difference?.replay, { tool: "shell", tool_name: "run_shell_command" })
  })

  it("leaves out what subagents do", () => {
    const agent = { provider_ids: { agent_id: "a1", tool_use_id: "t" } }
    assert.isUndefined(differs(base(), base().tool("Bash", { command: "ls" }, agent).answer("x", agent)))
  })

  it("shows the beginning of a long step", () => {
    const difference = differs(base().answer(`${"a".repeat(5_000)}b`), base().answer(`${"a".repeat(5_000)}c`))
    assert.strictEqual(difference?.kind, "answer")
    assert.isBelow(difference?.baseline?.text.length ?? 1_000, 300)
  })
})

describe("a comparison that is drawn", () => {
  const comparison = of(
    { tokens: null, usage_source: null, working_ms: 900, injected_bytes: 0 },
    {
      arm: "claude-lint-ai",
      models: ["claude-opus-5"],
      working_ms: 1_800,
      injected_bytes: 1_234,
      lint_ai_enabled: true
    }
  )

  it("names what was not observed and not judged, and draws neither as a number", () => {
    const text = renderComparisonTable(comparison, true, look(100))
    assert.match(text, /Tokens +not observed +120\n/)
    assert.match(text, /Quality +not judged +not judged\n/)
    assert.match(text, /Working time +900 ms +1\.8 s +\+900 ms \(\+100%\)\n/)
    assert.match(text, /Injected context +0 B +1\.2 KB +\+1\.2 KB\n/)
    assert.match(text, /Differs from the baseline: model \(baseline claude-sonnet-5, here claude-opus-5\)\./)
    for (const label of ["Session", "Agent", "Model", "Revision", "Permissions", "lint-ai", "Settings", "Sessions"]) {
      assert.lengthOf(text.match(new RegExp(`^${label}  `, "gm")) ?? [], 2, label)
    }
  })

  it("shows the usual measures only, unless all are asked for", () => {
    const usual = renderComparisonTable(comparison, false, look(100))
    assert.notInclude(usual, "Hook time")
    assert.include(usual, "--all shows every measure.")
    const all = renderComparisonTable(comparison, true, look(100))
    for (const title of [
      "Hook time, recording",
      "Hook time, retrieval",
      "MCP time",
      "Cost",
      "Turns",
      "Memories used"
    ]) {
      assert.include(all, title)
    }
  })

  it.each([40, 60, 80, 120])("fits %i columns", (columns) => {
    for (const line of renderComparisonTable(comparison, true, look(columns)).split("\n")) {
      // A path stays whole, so that it can be copied.
      if (!line.includes("/project/")) assert.isAtMost(widthOf(line), columns, line)
    }
  })

  it("lets no recorded text draw on the terminal or break the table of a document", () => {
    const evil = "\u001b[31m|evil|\n# head"
    const hostile = compareSessions(
      measuredOf({ models: [evil] }, undefined, script().start().prompt("Go").answer(evil)),
      [measuredOf({ arm: evil, permission_modes: [evil] }, undefined, script().start().prompt("Go").answer("x"))],
      "now"
    )
    assert.notInclude(renderComparisonTable(hostile, true, look(80)), "\u001b")
    const document = comparisonMarkdown(hostile, true)
    assert.notInclude(document, "\u001b")
    assert.notMatch(document, /^# head/m)
    const bars = (line: string) => line.replace(/\\\|/g, "").split("|").length
    for (const table of document.split("\n\n").filter((part) => part.startsWith("|"))) {
      assert.strictEqual(new Set(table.trimEnd().split("\n").map(bars)).size, 1, table)
    }
  })
})
