import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import type { ComparisonDocument } from "../comparisonDocument.ts"
import { Arms } from "./Arms.tsx"
import { Bar } from "./Bar.tsx"
import { FirstDivergence } from "./FirstDivergence.tsx"
import { Measures } from "./Measures.tsx"
import { Metrics } from "./Metrics.tsx"
import { Recorded } from "./Text.tsx"
import { theme } from "./theme.ts"

/** The page of a comparison: what was found, the arms, where they part, what was measured. */
export const ComparisonView = ({ comparison }: { readonly comparison: ComparisonDocument }): VNode => {
  useThemeKey()
  return (
    <>
      <a class="skip" href="#findings">
        Skip to the findings
      </a>
      <Bar />
      <main class="comparison">
        <section class="card" aria-label="The comparison">
          <p class="eyebrow">{comparison.kind === "experiment" ? "Experiment" : "Comparison"}</p>
          <h1>{comparison.title}</h1>
          {comparison.subtitle === undefined ? undefined : (
            <p class="id">
              <Recorded text={comparison.subtitle} pattern={undefined} />
            </p>
          )}
          {comparison.facts.length === 0 ? undefined : (
            <dl class="facts-grid">
              {comparison.facts.map((fact) => (
                <div>
                  <dt>{fact.name}</dt>
                  <dd>{fact.value}</dd>
                </div>
              ))}
            </dl>
          )}
        </section>
        <div id="findings" tabIndex={-1}>
          {comparison.findings.length === 0 ? undefined : (
            <section class="findings" aria-labelledby="findings-title">
              <h2 id="findings-title">What was found</h2>
              {comparison.findings.map((text) => (
                <p class="finding">
                  <Recorded text={text} pattern={undefined} />
                </p>
              ))}
            </section>
          )}
        </div>
        {comparison.cautions.length === 0 ? undefined : (
          <section aria-labelledby="cautions-title">
            <h2 id="cautions-title">Before you believe it</h2>
            <ul class="cautions">
              {comparison.cautions.map((text) => (
                <li>
                  <Recorded text={text} pattern={undefined} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <Arms arms={comparison.arms} />
        {comparison.divergences.map((divergence) => (
          <FirstDivergence divergence={divergence} named={comparison.divergences.length > 1} />
        ))}
        <Measures comparison={comparison} />
        {comparison.comparisons.map((one) => (
          <Metrics comparison={one} title={`${one.arm} beside ${one.baseline}`} />
        ))}
        {comparison.noise === null ? undefined : (
          <Metrics comparison={comparison.noise} title={`Noise: ${comparison.noise.baseline} beside itself`} />
        )}
        {comparison.excluded.length === 0 ? undefined : (
          <section aria-labelledby="excluded-title">
            <h2 id="excluded-title">In no comparison</h2>
            <ul class="plain">
              {comparison.excluded.map(({ cell, why }) => (
                <li>
                  <code>{cell}</code> <span class="quiet">{why}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </main>
      <footer>
        <p>
          Made by lint-ai {comparison.recorder_version} at {comparison.made_at}. Nothing in this page leaves your
          machine, and it loads nothing.
        </p>
      </footer>
    </>
  )
}

const useThemeKey = (): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "t" && !event.ctrlKey && !event.metaKey && !event.altKey) theme.toggle()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
}
