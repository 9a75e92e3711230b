import * as Schema from "effect/Schema"
import { ArmMemory } from "../../domain/arm.ts"
import { Metric, Variable } from "../../domain/experiment.ts"
import { Provider } from "../../domain/provider.ts"
import { Evaluation, Verdict } from "../../domain/scenario.ts"
import { Tokens, UsageSource } from "../../domain/usage.ts"
import { count, document, flag, list, maybe, number, oneOf, orNull, struct, text } from "./CommandDocument.ts"

const plan = struct({
  baseline: text,
  provider: text,
  arm: text,
  lint_ai: flag,
  native_memory: flag,
  instruction_files: flag,
  memory: orNull(ArmMemory),
  model: orNull(text),
  args: list(text),
  profile: text,
  project_root: text,
  revision: orNull(text),
  patch: orNull(text),
  session_root: text,
  timeout_ms: number,
  repeat: count,
  prompts: list(struct({ text, altered: list(text) })),
  notes: list(text)
})

const replayed = struct({
  session_id: text,
  path: text,
  status: oneOf(["completed", "failed"]),
  reason: orNull(text),
  exit_code: orNull(Schema.Int),
  prompt_count: count,
  prompts_alone: count,
  duration_ms: number,
  cost_usd: orNull(number),
  changed_since_revision: orNull(struct({ files: count, insertions: count, deletions: count, commits: count })),
  notes: list(text)
})

const tally = struct({ passed: count, failed: count, unknown: count })
const step = struct({
  turn: count,
  step: count,
  what: oneOf(["prompt", "tool", "answer"]),
  tool: orNull(text),
  tool_name: orNull(text),
  outcome: orNull(oneOf(["ok", "failed", "denied", "invalid", "interrupted"])),
  text,
  sequence: count
})
const metrics = struct({
  session_id: text,
  directory: text,
  session_root: text,
  provider: text,
  provider_version: orNull(text),
  models: list(text),
  arm: orNull(text),
  replay_of_session_id: orNull(text),
  lint_ai_enabled: orNull(flag),
  settings_root: orNull(text),
  permission_modes: list(text),
  repository_revision: orNull(text),
  outcome: oneOf(["completed", "failed", "incomplete", "active"]),
  exit_code: orNull(Schema.Int),
  duration_ms: orNull(number),
  working_ms: orNull(number),
  first_response_ms: orNull(number),
  tokens: orNull(Tokens),
  usage_source: orNull(UsageSource),
  cost_usd: orNull(number),
  turns: count,
  model_turns: orNull(count),
  tool_calls: count,
  tool_errors: count,
  repeated_exploration: count,
  injected_bytes: orNull(count),
  memories_used: list(text),
  event_count: count,
  redaction_count: count,
  truncation_count: count,
  recording_complete: flag,
  recording_problems: list(text),
  recording_ms: orNull(number),
  retrieval_ms: orNull(number),
  mcp_ms: orNull(number)
})
const comparisonFields = {
  schema_version: Schema.Literal(1),
  compared_at: text,
  arms: list(
    struct({
      role: oneOf(["baseline", "replay"]),
      label: text,
      metrics,
      quality: orNull(
        struct({
          scenario_id: text,
          scenario_digest: text,
          verdict: Verdict,
          evaluated_at: text,
          expected: tally,
          forbidden: tally,
          validators: tally,
          limits: tally
        })
      ),
      flags: list(struct({ what: text, baseline: orNull(text), replay: orNull(text) })),
      first_difference: orNull(
        struct({
          kind: oneOf(["prompt", "tool", "input", "outcome", "answer", "end"]),
          turn: count,
          step: count,
          baseline: orNull(step),
          replay: orNull(step)
        })
      )
    })
  ),
  metrics: list(
    struct({
      name: text,
      title: text,
      unit: oneOf(["milliseconds", "tokens", "bytes", "usd", "count", "text", "yes-no"]),
      essential: flag,
      values: list(orNull(Schema.Union([number, text, flag]))),
      deltas: list(orNull(struct({ absolute: number, relative: orNull(number) })))
    })
  ),
  /** The page that --html wrote. */
  html: maybe(text)
}

const interval = struct({
  low: number,
  high: number,
  confidence: number,
  method: oneOf(["wilson", "bonett-price", "paired-bootstrap"]),
  scope: oneOf(["these-scenarios", "scenarios-like-these"])
})
const experimentPlan = struct({
  experiment_id: text,
  file: text,
  root: text,
  arms: list(struct({ name: text, what: text, lane: flag })),
  baseline: text,
  scenarios: list(
    struct({
      id: text,
      file: text,
      project: text,
      revision: orNull(text),
      setup_messages: count,
      validators: count
    })
  ),
  repetitions: count,
  order: oneOf(["abba", "random"]),
  seed: number,
  parallelism: count,
  earlier: count,
  conversations: count,
  cells: list(text),
  cautions: list(text)
})
const place = struct({ session_id: text, directory: text })
const armComparison = struct({
  arm: text,
  baseline: text,
  pairs: count,
  metrics: list(
    struct({
      metric: Metric,
      primary: flag,
      n: count,
      missing: count,
      baseline_value: orNull(number),
      arm_value: orNull(number),
      scale: oneOf(["rate-difference", "ratio", "difference"]),
      estimate: orNull(number),
      interval: orNull(interval),
      no_interval: orNull(text),
      mean_difference: orNull(number),
      effect_size: orNull(struct({ name: oneOf(["cohen-h", "rank-biserial"]), value: number })),
      test: orNull(
        struct({
          name: oneOf(["mcnemar", "sign-flip"]),
          exact: flag,
          draws: orNull(count),
          p: number,
          p_holm: number
        })
      ),
      pairs: orNull(struct({ both: count, neither: count, only_arm: count, only_baseline: count })),
      detectable: struct({ effect: orNull(number), power: number, alpha: number }),
      verdict: oneOf(["higher", "lower", "none", "absent"]),
      words: text
    })
  ),
  discordant: list(
    struct({
      scenario: text,
      repetition: count,
      passed: text,
      failed: text,
      passed_session: place,
      failed_session: place,
      missed: list(text)
    })
  )
})
const reportFields = {
  schema_version: Schema.Literal(1),
  experiment_id: text,
  description: orNull(text),
  root: text,
  generated_at: text,
  lint_ai_version: text,
  status: oneOf(["complete", "partial"]),
  baseline: text,
  variable: list(Variable),
  order: oneOf(["abba", "random"]),
  seed: number,
  repetitions: count,
  parallelism: count,
  alpha: number,
  primary: Metric,
  scenarios: list(struct({ id: text, category: text, negative_control: flag, digest: text })),
  cells: struct({ planned: count, completed: count, failed: count, aborted_attempts: count, missing: count }),
  arms: list(
    struct({
      name: text,
      lane: flag,
      provider: Provider,
      model: orNull(text),
      lint_ai: flag,
      native_memory: flag,
      profile: text,
      n: count,
      failed: count,
      passed: count,
      judged: count,
      unknown: count,
      pass_rate: orNull(number),
      pass_interval: orNull(interval),
      pass_k: list(struct({ k: count, pass_at: orNull(number), pass_hat: orNull(number) })),
      metrics: list(
        struct({
          metric: Metric,
          n: count,
          missing: count,
          mean: orNull(number),
          median: orNull(number),
          minimum: orNull(number),
          maximum: orNull(number),
          standard_deviation: orNull(number)
        })
      ),
      scenarios: list(struct({ id: text, n: count, passed: count, judged: count }))
    })
  ),
  comparisons: list(armComparison),
  noise: orNull(armComparison),
  findings: list(text),
  cautions: list(text),
  results: list(
    struct({
      cell: text,
      scenario: text,
      arm: text,
      repetition: count,
      attempt: count,
      verdict: Verdict,
      session_id: text,
      directory: text,
      values: Schema.Record(Schema.String, orNull(number))
    })
  ),
  excluded: list(
    struct({
      cell: text,
      attempt: count,
      reason: oneOf(["failed", "aborted", "partner", "missing"]),
      why: text,
      directory: orNull(text)
    })
  ),
  fingerprints: list(
    struct({
      arm: text,
      agent_version: list(text),
      models: list(text),
      revision: list(text),
      settings: list(text),
      permissions: list(text),
      lint_ai_version: list(text),
      redaction: list(text)
    })
  ),
  differences: list(
    struct({ field: text, within: orNull(text), values: list(struct({ arm: text, value: text })), words: text })
  )
}

export const experimentDocuments = [
  document(
    "replay",
    "What was planned, and the replays that were made",
    Schema.Union([struct({ plan, dry_run: Schema.Literal(true) }), struct({ plan, replays: list(replayed) })])
  ),
  document("compare", "A baseline with its replays, measure by measure; there is no score", struct(comparisonFields)),
  document(
    "scenario from-session",
    "The scenario that was made of a recording",
    struct({
      path: text,
      scenario_id: text,
      session_id: text,
      prompts: count,
      incomplete_prompts: list(Schema.Unknown)
    })
  ),
  document(
    "scenario validate",
    "What is wrong with scenario files",
    struct({
      files: list(
        struct({
          path: text,
          valid: flag,
          scenario_id: orNull(text),
          digest: orNull(text),
          faults: list(struct({ path: text, problem: text, remedy: text })),
          notes: list(text)
        })
      )
    })
  ),
  document(
    "scenario run",
    "How sessions were judged",
    struct({
      verdict: Verdict,
      scenarios: list(
        struct({
          path: text,
          scenario_id: text,
          scenario_digest: text,
          results: list(
            struct({
              role: oneOf(["recorded", "replay"]),
              session_id: text,
              directory: text,
              verdict: Verdict,
              path: text,
              evaluation: Evaluation,
              notes: list(text)
            })
          )
        })
      )
    })
  ),
  document(
    "scenario trust",
    "The programs that may run",
    struct({
      scenarios: list(
        struct({ path: text, scenario_digest: text, commands: list(struct({ name: text, command: list(text) })) })
      )
    })
  ),
  document(
    "experiment init",
    "The files that were written",
    struct({ file: text, scenario: orNull(text), from_session: orNull(text) })
  ),
  document(
    "experiment run",
    "What was run and what came of it; with --dry-run, what would run",
    Schema.Union([
      struct({
        run: struct({
          root: text,
          planned: count,
          earlier: count,
          completed: count,
          failed: count,
          cut: list(text)
        }),
        report: struct(reportFields)
      }),
      experimentPlan
    ])
  ),
  document(
    "experiment report",
    "What an experiment found; there is no composite score",
    struct({ ...reportFields, html: maybe(text) })
  )
]
