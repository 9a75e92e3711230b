import type { VNode } from "preact"
import { useState } from "preact/hooks"
import type { ArmComparison } from "../comparisonDocument.ts"
import { SessionName } from "./SessionName.tsx"
import { Recorded } from "./Text.tsx"
import { number } from "./words.ts"

const fewPairs = 12

/** Pairs of which one side passed and the other did not: what to look at next. */
export const Pairs = ({ pairs }: { readonly pairs: ArmComparison["discordant"] }): VNode => {
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
              <span class="chip verdict-pass">passed</span> {pair.passed} <SessionName link={pair.passed_session} />
            </p>
            <p>
              <span class="chip verdict-fail">failed</span> {pair.failed} <SessionName link={pair.failed_session} />
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
