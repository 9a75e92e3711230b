import * as Schema from "effect/Schema"

/**
 * What a page of a comparison is made of: of replays with their baseline, or of an experiment. Values are texts as a person reads them; numbers are
 * here where something is drawn.
 */
const text = Schema.optionalKey(Schema.String)
const figure = Schema.NullOr(Schema.Finite)

/** A session, and where its page is, relative to this one; without a page only its id is shown. */
export const SessionLink = Schema.Struct({ session_id: Schema.String, page: text })
export type SessionLink = typeof SessionLink.Type

export const Fact = Schema.Struct({ name: Schema.String, value: Schema.String })
export type Fact = typeof Fact.Type

/** A rate from 0 to 1 with its interval. */
export const Rate = Schema.Struct({
  passed: Schema.Natural,
  judged: Schema.Natural,
  rate: figure,
  low: figure,
  high: figure,
  confidence: figure
})
export type Rate = typeof Rate.Type

export const PageArm = Schema.Struct({
  name: Schema.String,
  baseline: Schema.Boolean,
  session: Schema.optionalKey(SessionLink),
  verdict: text,
  rate: Schema.optionalKey(Rate),
  facts: Schema.Array(Fact),
  /** What makes it hard to compare, each a sentence. */
  flags: Schema.Array(Schema.String)
})
export type PageArm = typeof PageArm.Type

export const StepShown = Schema.Struct({
  title: Schema.String,
  text: Schema.String,
  outcome: text,
  sequence: Schema.Natural
})
export type StepShown = typeof StepShown.Type

/** Where an arm first did something else than the baseline; `null` on the side that has nothing there. */
export const Divergence = Schema.Struct({
  arm: Schema.String,
  turn: Schema.Natural,
  step: Schema.Natural,
  words: Schema.String,
  baseline_step: Schema.NullOr(StepShown),
  arm_step: Schema.NullOr(StepShown),
  baseline_session: SessionLink,
  arm_session: SessionLink
})
export type Divergence = typeof Divergence.Type

/** One measure of all arms beside one another. */
export const SideBySide = Schema.Struct({
  title: Schema.String,
  essential: Schema.Boolean,
  values: Schema.Array(Schema.String),
  /** What each has more than the baseline; null for the baseline. */
  deltas: Schema.Array(Schema.NullOr(Schema.String))
})
export type SideBySide = typeof SideBySide.Type

export const Scale = Schema.Literals(["rate-difference", "ratio", "difference"])
export type Scale = typeof Scale.Type

/** A metric of an arm beside the baseline, with its interval on the scale that is named. */
export const MetricRow = Schema.Struct({
  title: Schema.String,
  primary: Schema.Boolean,
  n: Schema.Natural,
  baseline_value: Schema.String,
  arm_value: Schema.String,
  scale: Scale,
  estimate: figure,
  low: figure,
  high: figure,
  confidence: figure,
  effect: Schema.String,
  p: text,
  no_interval: text,
  verdict: Schema.Literals(["higher", "lower", "none", "absent"]),
  words: Schema.String
})
export type MetricRow = typeof MetricRow.Type

export const DiscordantPair = Schema.Struct({
  scenario: Schema.String,
  repetition: Schema.Natural,
  passed: Schema.String,
  failed: Schema.String,
  passed_session: SessionLink,
  failed_session: SessionLink,
  missed: Schema.Array(Schema.String)
})
export type DiscordantPair = typeof DiscordantPair.Type

export const ArmComparison = Schema.Struct({
  arm: Schema.String,
  baseline: Schema.String,
  pairs: Schema.Natural,
  rows: Schema.Array(MetricRow),
  discordant: Schema.Array(DiscordantPair)
})
export type ArmComparison = typeof ArmComparison.Type

export const ComparisonDocument = Schema.Struct({
  page: Schema.Literal("comparison"),
  format: Schema.Literal(1),
  recorder_version: Schema.String,
  kind: Schema.Literals(["replays", "experiment"]),
  title: Schema.String,
  subtitle: text,
  made_at: Schema.String,
  /** What was found, and what to know before believing it. */
  findings: Schema.Array(Schema.String),
  cautions: Schema.Array(Schema.String),
  facts: Schema.Array(Fact),
  arms: Schema.Array(PageArm),
  divergences: Schema.Array(Divergence),
  measures: Schema.Array(SideBySide),
  comparisons: Schema.Array(ArmComparison),
  /** The baseline beside itself: what differs by chance. */
  noise: Schema.NullOr(ArmComparison),
  excluded: Schema.Array(Schema.Struct({ cell: Schema.String, why: Schema.String }))
})
export type ComparisonDocument = typeof ComparisonDocument.Type
