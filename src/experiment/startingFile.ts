import type { ArmMemory } from "../domain/arm.ts"
import type { Provider } from "../domain/provider.ts"
import type { Scenario } from "../domain/scenario.ts"

/** What a file to begin with is made for. */
export interface Beginning {
  readonly id: string
  readonly provider: Provider
  readonly model: string | undefined
  readonly repetitions: number
  /** Scenario files, as they are to stand in the file. */
  readonly scenarios: ReadonlyArray<string>
  /** The project, as it is to stand in the file; undefined for the one around the working directory. */
  readonly repository: string | undefined
  readonly memory: ArmMemory
}

/** An experiment to begin with, as JSON with comments: native memory against lint-ai, and an A/A lane. */
export const startingFile = (beginning: Beginning): string => {
  const arm = (preset: string) =>
    `    { "preset": ${JSON.stringify(preset)}, "provider": ${JSON.stringify(beginning.provider)}${
      beginning.model === undefined ? "" : `, "model": ${JSON.stringify(beginning.model)}`
    } }`
  const memory = Object.entries(beginning.memory)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(", ")
  return `{
  "schema_version": 1,
  "id": ${JSON.stringify(beginning.id)},

  // Presets: "native" is the agent's own memory, "lint-ai" is lint-ai with the agent's own memory off, "both" is both.
  "arms": [
${arm("native")},
${arm("lint-ai")}
    // ,${arm("both").trim()}
  ],
  // The others are compared with this one.
  "baseline": "native",
  // In what the arms are meant to differ. Any other difference stops the run.
  "variable": ["lint_ai", "native_memory"],

  "scenarios": ${JSON.stringify(beginning.scenarios)},
  // With four metrics, fewer than 8 pairs (scenarios x repetitions) show no difference of any size; 20 are needed for an interval.
  "repetitions": ${beginning.repetitions},

  // "abba" or "random"; the seed decides the order and the statistics.
  "order": "abba",
  "seed": 1,
  // Cells at a time. More of them make times less certain.
  "parallelism": 1,
  // "hooks-common", "production" or "mcp-only".
  "profile": "hooks-common",
  // The memory of lint-ai that every arm begins with: {"from": "empty"}, {"from": "project"} or {"from": "named", "directory": "..."}.
  // With "as_of", a time, the project's is taken as it was then: a session that a scenario is made of must not be in it.
  // The setup messages of a scenario add to it, in a session before the scored one.
  "memory": { ${memory} },
  // Runs the baseline a second time beside itself, to show how much differs by chance.
  "aa_lane": true,
  // For limits that a scenario does not set.
  "limits": { "max_duration_seconds": 600 },
  "metrics": { "primary": "quality", "others": ["working_ms", "total_tokens", "cost_usd"] }${
    beginning.repository === undefined
      ? ""
      : `,\n  // The project of the scenarios; each runs in a fresh checkout of it.\n  "repository": { "path": ${JSON.stringify(beginning.repository)} }`
  }
}
`
}

/** A scenario that shows what one consists of. It runs as it stands. */
export const exampleScenario: Scenario = {
  schema_version: 1,
  id: "recalls-a-decision",
  category: "decision-recall",
  description: "A decision of an earlier session is known in a new one.",
  setup_messages: [
    {
      prompt:
        "We decided that the import job retries three times and then writes the file to quarantine/. Remember it; change no files.",
      establishes_fact_ids: ["retries", "quarantine"]
    }
  ],
  continuation_prompt:
    "How often does the import job retry, and what happens then? Answer from what you know; change no files.",
  expected_facts: [
    { id: "retries", match_any: ["three times", "3 times", "three retries", "3 retries"] },
    { id: "quarantine", match_any: ["quarantine"] }
  ],
  forbidden_facts: [],
  validators: [],
  limits: { max_duration_seconds: 300 }
}
