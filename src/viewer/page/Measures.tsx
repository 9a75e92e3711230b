import type { VNode } from "preact"
import { useState } from "preact/hooks"
import type { ComparisonDocument } from "../comparisonDocument.ts"
import { Recorded } from "./Text.tsx"

/** What was measured of each session, beside one another; the essential ones first. */
export const Measures = ({ comparison }: { readonly comparison: ComparisonDocument }): VNode | undefined => {
  const [all, setAll] = useState(false)
  const { arms, measures } = comparison
  if (measures.length === 0) return undefined
  const shown = all ? measures : measures.filter(({ essential }) => essential)
  return (
    <section aria-labelledby="measures-title">
      <h2 id="measures-title">Measures</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="scroll" aria-label="Table of the measures" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Measure</th>
              {arms.map((arm, index) => (
                <>
                  <th scope="col" class="figure">
                    {arm.name}
                  </th>
                  {index === 0 ? undefined : <th scope="col">difference</th>}
                </>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((measure) => (
              <tr>
                <th scope="row">{measure.title}</th>
                {measure.values.map((value, index) => (
                  <>
                    <td class="figure">
                      <Recorded text={value} pattern={undefined} />
                    </td>
                    {index === 0 ? undefined : <td class="difference">{measure.deltas[index] ?? ""}</td>}
                  </>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < measures.length || all ? (
        <button type="button" class="quiet-button" onClick={() => setAll(!all)}>
          {all ? "Show the essential measures" : `Show all ${measures.length} measures`}
        </button>
      ) : undefined}
    </section>
  )
}
