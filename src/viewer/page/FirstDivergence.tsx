import type { VNode } from "preact"
import { useId } from "preact/hooks"
import type { Divergence, SessionLink, StepShown } from "../comparisonDocument.ts"
import { SessionName } from "./SessionName.tsx"
import { Recorded } from "./Text.tsx"

/** Where an arm first did something else than the baseline; `named`: there is more than one arm. */
export const FirstDivergence = (props: { readonly divergence: Divergence; readonly named: boolean }): VNode => {
  const { divergence } = props
  const place = divergence.step === 0 ? `Turn ${divergence.turn}` : `Turn ${divergence.turn}, step ${divergence.step}`
  const title = useId()
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
      <SessionName link={props.link} at={props.step?.sequence} />
    </p>
  </div>
)
