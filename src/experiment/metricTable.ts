import type { Metric } from "../domain/experiment.ts"
import { formatBytes, formatDuration } from "../export/format.ts"
import { alpha } from "./statistics/detectable.ts"

export interface MetricRow {
  /** Begins a sentence. */
  readonly title: string
  readonly unit: "rate" | "milliseconds" | "tokens" | "usd" | "count" | "bytes"
}

/** What each metric is called and counted in. */
export const metricTable: Readonly<Record<Metric, MetricRow>> = {
  quality: { title: "Quality", unit: "rate" },
  working_ms: { title: "Working time", unit: "milliseconds" },
  duration_ms: { title: "Duration", unit: "milliseconds" },
  first_response_ms: { title: "First response", unit: "milliseconds" },
  input_tokens: { title: "Input tokens", unit: "tokens" },
  output_tokens: { title: "Output tokens", unit: "tokens" },
  total_tokens: { title: "Tokens", unit: "tokens" },
  cost_usd: { title: "Cost", unit: "usd" },
  turns: { title: "Turns", unit: "count" },
  tool_calls: { title: "Tool calls", unit: "count" },
  tool_errors: { title: "Tool errors", unit: "count" },
  repeated_exploration: { title: "Repeated looks", unit: "count" },
  injected_bytes: { title: "Injected context", unit: "bytes" }
}

/** A value of a metric for a person: `1.2 s`, `12,400`, `$0.0420`, `80 %`, `3.1 KB`. Null is "not observed". */
export const metricText = (metric: Metric, value: number | null): string => {
  if (value === null) return "not observed"
  return `${value < 0 ? "-" : ""}${sizeText(metric, Math.abs(value))}`
}

const sizeText = (metric: Metric, value: number): string => {
  switch (metricTable[metric].unit) {
    case "rate":
      return `${Math.round(value * 100)} %`
    case "milliseconds":
      return formatDuration(value)
    case "usd":
      return `$${value.toFixed(value < 1 ? 4 : 2)}`
    case "bytes":
      return formatBytes(Math.round(value))
    case "tokens":
    case "count":
      return threeDigits(value)
  }
}

/** Whole numbers with their thousands apart; others with three digits. */
export const threeDigits = (value: number): string => {
  const rounded = Number.isInteger(value) || Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  const [whole = "", fraction] = String(Math.abs(rounded)).split(".")
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return `${rounded < 0 ? "-" : ""}${apart}${fraction === undefined ? "" : `.${fraction}`}`
}

/** `p = 0.031`, `p < 0.0001`. What is over the level is not rounded to it. */
export const pText = (p: number): string => {
  if (p < 0.0001) return "p < 0.0001"
  const rounded = p >= 0.9995 ? 1 : Number(p.toPrecision(2))
  return p > alpha && rounded <= alpha ? `p > ${alpha}` : `p = ${rounded}`
}
