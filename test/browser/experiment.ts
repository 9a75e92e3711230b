import type { Arm } from "../../src/domain/arm.ts"
import { analyze } from "../../src/experiment/analyze.ts"
import type { CellScore } from "../../src/experiment/cell.ts"
import type { ExperimentReport } from "../../src/experiment/report.ts"
import { schedule } from "../../src/experiment/schedule.ts"

const scenarios = ["recalls-the-port", "keeps-the-style", "finds-the-owner", "says-what-it-does-not-know"]
const repetitions = 6

const arm = (name: string, lint_ai: boolean): Arm => ({
  name,
  provider: "claude",
  model: "claude-opus-4-7",
  lint_ai,
  native_memory: !lint_ai,
  instruction_files: true,
  memory: { from: "empty" },
  profile: "hooks-common",
  args: []
})
const native = arm("native", false)
const again = arm("native-again", false)
const lintAi = arm("lint-ai", true)

/** The report of an experiment in which lint-ai passes more often and takes fewer tokens. `directoryOf` gives each cell an archive. */
export const experimentReport = (directoryOf: (cell: string) => string): ExperimentReport => {
  const cells = schedule({
    scenarios,
    arms: [native.name, lintAi.name, again.name],
    repetitions,
    order: "abba",
    seed: 1
  })
  const scores = cells.map((cell, index): CellScore => {
    const knows = cell.arm === lintAi.name
    const passes = knows ? index % 11 !== 0 : (index * 7) % 3 === 0
    const wobble = 1 + ((index * 37) % 17) / 60
    return {
      schema_version: 1,
      cell: cell.id,
      scenario: cell.scenario,
      arm: cell.arm,
      repetition: cell.repetition,
      attempt: 1,
      session_id: `claude:${cell.id.replaceAll("/", "-")}`,
      directory: directoryOf(cell.id),
      setup: null,
      evaluation: {
        schema_version: 1,
        scenario_id: cell.scenario,
        scenario_digest: "0".repeat(64),
        session_id: `claude:${cell.id}`,
        role: "recorded",
        evaluated_at: "2026-08-16T12:00:00.000Z",
        verdict: passes ? "pass" : "fail",
        facts: [
          { id: "port", kind: "expected", verdict: passes ? "pass" : "fail", why: passes ? "found" : "not found" }
        ],
        validators: [],
        limits: [],
        injection_markers: []
      } as unknown as CellScore["evaluation"],
      values: {
        working_ms: Math.round(9_000 * wobble * (knows ? 0.93 : 1)),
        total_tokens: Math.round(21_000 * wobble * (knows ? 0.71 : 1)),
        cost_usd: 0.04 * wobble * (knows ? 0.74 : 1)
      },
      recording_complete: true,
      fingerprint: {
        agent_version: "2.1.332",
        models: ["claude-opus-4-7"],
        revision: null,
        settings: "0",
        permissions: [],
        lint_ai_version: "0.1.0",
        redaction: "default-v1"
      },
      notes: []
    }
  })
  return analyze({
    experiment: {
      schema_version: 1,
      id: "memory-recall",
      description: "Does the agent recall decisions better with lint-ai than with its own memory?",
      arms: [native, lintAi],
      variable: ["lint_ai", "native_memory"],
      scenarios: ["a.json"],
      repetitions,
      aa_lane: true
    },
    arms: { all: [native, lintAi, again], baseline: native, lane: again },
    scenarios: scenarios.map((id) => ({ id, category: "decision-recall", negative_control: false, digest: "0" })),
    cells,
    attempts: new Map(),
    scores: scores.slice(0, -2),
    revisions: 1,
    damagedLines: 0,
    root: "/srv/experiments/memory-recall",
    generatedAt: "2026-08-16T14:00:00.000Z",
    lintAiVersion: "0.1.0"
  })
}
