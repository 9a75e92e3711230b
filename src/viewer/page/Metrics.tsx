import type { VNode } from "preact"
import { useId } from "preact/hooks"
import type { ArmComparison } from "../comparisonDocument.ts"
import { IntervalPlot, plotDomain } from "./IntervalPlot.tsx"
import { Pairs } from "./Pairs.tsx"
import { plainText } from "./segments.ts"
import { number } from "./words.ts"

const verdictWords = {
  higher: "higher",
  lower: "lower",
  none: "no difference detectable",
  absent: "nothing to compare"
}

/** The metrics of an arm beside those of the baseline, with their intervals, and the pairs that went apart. */
export const Metrics = (props: { readonly comparison: ArmComparison; readonly title: string }): VNode => {
  const { comparison } = props
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{props.title}</h2>
      <p class="quiet">
        {number(comparison.pairs)} pair{comparison.pairs === 1 ? "" : "s"} that both completed. The line in the middle
        is no difference.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="scroll" aria-label={plainText(`Table: ${props.title}`)} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" class="figure">
                {comparison.baseline}
              </th>
              <th scope="col" class="figure">
                {comparison.arm}
              </th>
              <th scope="col" class="figure">
                Effect
              </th>
              <th scope="col">Interval</th>
              <th scope="col" class="figure">
                p (Holm)
              </th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {comparison.rows.map((row) => (
              <tr class={row.primary ? "primary" : ""}>
                <th scope="row">
                  {row.title}
                  {row.primary ? <span class="chip agent">primary</span> : undefined}
                  <span class="delta">n = {number(row.n)}</span>
                </th>
                <td class="figure">{row.baseline_value}</td>
                <td class="figure">{row.arm_value}</td>
                <td class="figure">{row.effect}</td>
                <td class="plot">
                  {row.low === null && row.estimate === null ? (
                    <span class="quiet">{row.no_interval ?? "none"}</span>
                  ) : (
                    <IntervalPlot
                      estimate={row.estimate}
                      low={row.low}
                      high={row.high}
                      domain={plotDomain(row, comparison.rows)}
                      label={row.words}
                    />
                  )}
                </td>
                <td class="figure">{row.p?.replace(/^p (= )?/, "") ?? ""}</td>
                <td class={`verdict-word ${row.verdict}`} title={row.words}>
                  {verdictWords[row.verdict]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {comparison.discordant.length === 0 ? undefined : <Pairs pairs={comparison.discordant} />}
    </section>
  )
}
