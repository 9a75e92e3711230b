import type { VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import type {
  ArmComparison,
  ComparisonDocument,
  Divergence,
  PageArm,
  Rate,
  SessionLink,
  StepShown
} from "../comparisonDocument.ts"
import { Bar } from "./Bar.tsx"
import { IntervalPlot, plotDomain } from "./IntervalPlot.tsx"
import { plainText } from "./segments.ts"
import { Recorded } from "./Text.tsx"
import { theme } from "./theme.ts"
import { number } from "./words.ts"

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

const Session = (props: { readonly link: SessionLink; readonly at?: number | undefined }): VNode =>
  props.link.page === undefined ? (
    <code class="quiet">{props.link.session_id}</code>
  ) : (
    <a href={`${props.link.page}${props.at === undefined ? "" : `#event-${props.at}`}`}>
      <code>{props.link.session_id}</code>
    </a>
  )

const Arms = ({ arms }: { readonly arms: ReadonlyArray<PageArm> }): VNode => (
  <section aria-labelledby="arms-title">
    <h2 id="arms-title">{arms.length === 1 ? "The session" : "The arms"}</h2>
    <div class="arms">
      {arms.map((arm) => (
        <article class="arm">
          <h3>
            {arm.name}
            {arm.baseline && arm.name !== "baseline" ? <span class="chip agent">baseline</span> : undefined}
            {arm.verdict === undefined ? undefined : <span class={`chip verdict-${arm.verdict}`}>{arm.verdict}</span>}
          </h3>
          {arm.session === undefined ? undefined : (
            <p class="session">
              <Session link={arm.session} />
            </p>
          )}
          {arm.rate === undefined ? undefined : <PassRate rate={arm.rate} />}
          <dl class="arm-facts">
            {arm.facts.map((fact) => (
              <div>
                <dt>{fact.name}</dt>
                <dd>
                  <Recorded text={fact.value} pattern={undefined} />
                </dd>
              </div>
            ))}
          </dl>
          {arm.flags.map((text) => (
            <p class="flag">
              <Recorded text={text} pattern={undefined} />
            </p>
          ))}
        </article>
      ))}
    </div>
  </section>
)

const percent = (rate: number | null): string => (rate === null ? "not judged" : `${Math.round(rate * 100)} %`)

const PassRate = ({ rate }: { readonly rate: Rate }): VNode => (
  <div class="rate">
    <p>
      <b>{percent(rate.rate)}</b> passed{" "}
      <span class="quiet">
        {number(rate.passed)} of {number(rate.judged)}
      </span>
    </p>
    <IntervalPlot
      estimate={rate.rate}
      low={rate.low}
      high={rate.high}
      domain={{ from: 0, to: 1 }}
      label={`${percent(rate.rate)}${rate.low === null || rate.high === null ? "" : `, ${percent(rate.confidence)} interval from ${percent(rate.low)} to ${percent(rate.high)}`}`}
    />
  </div>
)

const FirstDivergence = (props: { readonly divergence: Divergence; readonly named: boolean }): VNode => {
  const { divergence } = props
  const place = divergence.step === 0 ? `Turn ${divergence.turn}` : `Turn ${divergence.turn}, step ${divergence.step}`
  const title = `divergence-${divergence.arm}`
  return (
    <section aria-labelledby={title}>
      <h2 id={title}>First divergence{props.named ? ` of ${divergence.arm}` : ""}</h2>
      <p class="quiet">
        {place}: {divergence.words}.
      </p>
      <div class="sides">
        <Side name="baseline" step={divergence.baseline_step} link={divergence.baseline_session} />
        <Side name={divergence.arm} step={divergence.arm_step} link={divergence.arm_session} />
      </div>
    </section>
  )
}

const Side = (props: { readonly name: string; readonly step: StepShown | null; readonly link: SessionLink }): VNode => (
  <div class="side">
    <p class="side-name">{props.name}</p>
    {props.step === null ? (
      <p class="quiet">nothing more in this turn</p>
    ) : (
      <>
        <h3>
          <Recorded text={props.step.title} pattern={undefined} />
          {props.step.outcome === undefined ? undefined : <span class="chip outcome">{props.step.outcome}</span>}
        </h3>
        <p class="step-text">
          <Recorded text={props.step.text} pattern={undefined} />
        </p>
      </>
    )}
    <p class="session">
      <Session link={props.link} at={props.step?.sequence} />
    </p>
  </div>
)

const Measures = ({ comparison }: { readonly comparison: ComparisonDocument }): VNode | undefined => {
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

const verdictWords = {
  higher: "higher",
  lower: "lower",
  none: "no difference detectable",
  absent: "nothing to compare"
}

const Metrics = (props: { readonly comparison: ArmComparison; readonly title: string }): VNode => {
  const { comparison } = props
  const id = `metrics-${comparison.arm}-${comparison.baseline}`
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
                p
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

const fewPairs = 12

/** Pairs of which one side passed and the other did not: what to look at next. */
const Pairs = ({ pairs }: { readonly pairs: ArmComparison["discordant"] }): VNode => {
  const [all, setAll] = useState(false)
  return (
    <>
      <h3>Pairs that went apart</h3>
      <ul class="pairs">
        {(all ? pairs : pairs.slice(0, fewPairs)).map((pair) => (
          <li>
            <p class="pair">
              <b>{pair.scenario}</b> <span class="quiet">repetition {pair.repetition}</span>
            </p>
            <p>
              <span class="chip verdict-pass">passed</span> {pair.passed} <Session link={pair.passed_session} />
            </p>
            <p>
              <span class="chip verdict-fail">failed</span> {pair.failed} <Session link={pair.failed_session} />
            </p>
            {pair.missed.length === 0 ? undefined : (
              <p class="note">
                missed: <Recorded text={pair.missed.join(", ")} pattern={undefined} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {pairs.length > fewPairs ? (
        <button type="button" class="quiet-button" onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${number(pairs.length)}`}
        </button>
      ) : undefined}
    </>
  )
}
