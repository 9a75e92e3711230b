import type { VNode } from "preact"
import type { MetricRow, Scale } from "../comparisonDocument.ts"

/** What the width of a plot stands for. `middle`: where there is no difference. */
export interface Domain {
  readonly from: number
  readonly to: number
  readonly middle?: number
  readonly logarithmic?: boolean
}

const width = 220
const height = 24
const inset = 7

/** An estimate with its interval, drawn as a dot on a line. Without an interval the dot alone. */
export const IntervalPlot = (props: {
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
  readonly domain: Domain
  readonly label: string
}): VNode => {
  const { estimate, low, high, domain } = props
  const scaled = (value: number) => (domain.logarithmic === true ? Math.log(value) : value)
  const [from, to] = [scaled(domain.from), scaled(domain.to)]
  const x = (value: number) => {
    const part = (scaled(value) - from) / Math.max(1e-12, to - from)
    return inset + Math.min(1, Math.max(0, part)) * (width - 2 * inset)
  }
  return (
    <svg class="interval" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.label}>
      <line class="track" x1={inset} x2={width - inset} y1={height / 2} y2={height / 2} />
      {domain.middle === undefined ? undefined : (
        <line class="middle" x1={x(domain.middle)} x2={x(domain.middle)} y1="2" y2={height - 2} />
      )}
      {low === null || high === null ? undefined : (
        <line class="range" x1={x(low)} x2={x(high)} y1={height / 2} y2={height / 2} />
      )}
      {estimate === null ? undefined : <circle class="estimate" cx={x(estimate)} cy={height / 2} r="5" />}
    </svg>
  )
}

/** Rows of one scale share a domain where their numbers compare: rates and ratios do, differences have units of their own. */
export const plotDomain = (row: MetricRow, rows: ReadonlyArray<MetricRow>): Domain => {
  const values = (scale: Scale) =>
    rows
      .filter((one) => one.scale === scale)
      .flatMap((one) => [one.low, one.high, one.estimate])
      .filter((value) => value !== null)
  switch (row.scale) {
    case "rate-difference":
      return { from: -1, to: 1, middle: 0 }
    case "ratio": {
      const farthest = Math.max(
        Math.log(2),
        ...values("ratio").map((value) => Math.abs(Math.log(Math.max(value, 1e-6))))
      )
      return { from: Math.exp(-farthest), to: Math.exp(farthest), middle: 1, logarithmic: true }
    }
    case "difference": {
      const own = [row.low, row.high, row.estimate].filter((value) => value !== null)
      const farthest = Math.max(1e-9, ...own.map(Math.abs)) * 1.1
      return { from: -farthest, to: farthest, middle: 0 }
    }
  }
}
