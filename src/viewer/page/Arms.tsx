import type { VNode } from "preact"
import type { PageArm, Rate } from "../comparisonDocument.ts"
import { IntervalPlot } from "./IntervalPlot.tsx"
import { SessionName } from "./SessionName.tsx"
import { Recorded } from "./Text.tsx"
import { number } from "./words.ts"

/** What was compared, beside one another. */
export const Arms = ({ arms }: { readonly arms: ReadonlyArray<PageArm> }): VNode => (
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
              <SessionName link={arm.session} />
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
