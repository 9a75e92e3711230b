import type { ComponentChildren, VNode } from "preact"
import { formatBytes, formatDuration } from "../../export/format.ts"
import type { Integrity, SessionOutline } from "../document.ts"
import { plainText } from "./segments.ts"
import { Recorded } from "./Text.tsx"
import { number } from "./words.ts"

/** What is known of a session as a whole. */
export const Card = ({ outline }: { readonly outline: SessionOutline }): VNode => {
  const { card, completeness, integrity } = outline
  const asked = outline.turns.find((turn) => turn.summary !== undefined)?.summary
  return (
    <section class="card" aria-label="The session">
      <p class="eyebrow">
        {card.provider_title}
        {card.provider_version === undefined ? undefined : (
          <Recorded text={card.provider_version} pattern={undefined} />
        )}
        <span class={`chip status ${card.status}`}>{card.status}</span>
      </p>
      <h1>
        <Recorded text={asked ?? `Session of ${card.provider_title}`} pattern={undefined} />
      </h1>
      <p class="id">
        <code>
          <Recorded text={card.session_id} pattern={undefined} />
        </code>
      </p>
      <dl class="facts-grid">
        <Fact name="Model">
          <Recorded text={card.models.length === 0 ? "not told" : card.models.join(", ")} pattern={undefined} />
        </Fact>
        <Fact name="Mode">{card.mode}</Fact>
        <Fact name="Started">
          <time dateTime={card.started_at}>{card.started_at.slice(0, 16).replace("T", " ")} UTC</time>
        </Fact>
        <Fact name="Duration">{formatDuration(card.duration_ms)}</Fact>
        <Fact name="Events" more={`in ${number(card.turn_count)} turn${card.turn_count === 1 ? "" : "s"}`}>
          {number(card.event_count)}
        </Fact>
        <Fact name="Size">{formatBytes(card.byte_count)}</Fact>
        <Fact name="Project" wide>
          <Recorded text={card.project_root} pattern={undefined} />
        </Fact>
        <Fact name="Revision" more={revisionMore(card)}>
          {card.revision === undefined ? "none" : <code>{plainText(card.revision.slice(0, 10))}</code>}
        </Fact>
        {card.replay_of === undefined ? undefined : (
          <Fact name="Replay of" {...(card.arm === undefined ? {} : { more: `arm ${card.arm}` })}>
            <code>{plainText(card.replay_of)}</code>
          </Fact>
        )}
        {card.continues === undefined ? undefined : (
          <Fact name="Continues">
            <code>{plainText(card.continues)}</code>
          </Fact>
        )}
      </dl>
      <div class="verdicts">
        <Verdict
          name="Verification"
          good={integrity?.verdict === "complete"}
          bad={integrity?.verdict === "broken"}
          word={integrity?.verdict ?? "not checked"}
          notes={integrity === null ? [] : integrityNotes(integrity)}
        />
        <Verdict
          name="Completeness"
          good={completeness.whole}
          bad={false}
          word={completeness.whole ? "whole" : "not whole"}
          notes={
            completeness.whole ? ["Everything that was observed is here, as it was observed."] : completeness.notes
          }
        />
        <div class="verdict">
          <p class="name">Redactions</p>
          <p class="word">
            {card.redaction_count === 0
              ? "none"
              : `${number(card.redaction_count)} place${card.redaction_count === 1 ? "" : "s"}`}
          </p>
          <p class="rules">
            {Object.entries(card.redactions).map(([rule, count]) => (
              <span class="chip redaction">
                {rule}
                {count > 1 ? ` ×${number(count)}` : ""}
              </span>
            ))}
          </p>
          {card.redaction_policy === undefined ? undefined : <p class="note">policy {card.redaction_policy}</p>}
        </div>
      </div>
    </section>
  )
}

const Fact = (props: {
  readonly name: string
  readonly more?: string | undefined
  readonly wide?: boolean
  readonly children: ComponentChildren
}) => (
  <div class={props.wide === true ? "wide" : ""}>
    <dt>{props.name}</dt>
    <dd>
      {props.children}
      {props.more === undefined || props.more === "" ? undefined : (
        <span class="quiet">
          {" "}
          <Recorded text={props.more} pattern={undefined} />
        </span>
      )}
    </dd>
  </div>
)

const revisionMore = (card: SessionOutline["card"]): string =>
  [card.branch === undefined ? "" : `on ${card.branch}`, card.dirty === true ? "with changes" : ""]
    .filter((text) => text !== "")
    .join(", ")

const Verdict = (props: {
  readonly name: string
  readonly good: boolean
  readonly bad: boolean
  readonly word: string
  readonly notes: ReadonlyArray<string>
}): VNode => (
  <div class={`verdict ${props.good ? "good" : props.bad ? "bad" : "fair"}`}>
    <p class="name">{props.name}</p>
    <p class="word">
      <Sign good={props.good} bad={props.bad} /> {props.word}
    </p>
    {props.notes.map((text) => (
      <p class="note">{text}</p>
    ))}
  </div>
)

const Sign = (props: { readonly good: boolean; readonly bad: boolean }): VNode => (
  <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="7" />
    <path
      d={
        props.good ? "M4.8 8.3l2.2 2.2 4.2-4.6" : props.bad ? "M5.4 5.4l5.2 5.2m0-5.2l-5.2 5.2" : "M8 4.5v4.2m0 2.3v.3"
      }
    />
  </svg>
)

const meanings: Readonly<Record<Integrity["verdict"], string>> = {
  complete: "Every event is in its place in the keyed chain, and the anchor outside of the project knows them all.",
  chained: "The chain holds. There was no anchor, so the end may have been cut.",
  partial: "The chain holds, and the anchor covers a part of it, or something beside the events was changed.",
  unkeyed: "The chain shows accidents only, because its key is not here.",
  broken: "An event was changed, removed, added or moved."
}

const integrityNotes = (integrity: Integrity): ReadonlyArray<string> => [
  meanings[integrity.verdict],
  ...integrity.reasons.slice(0, 6).map(asSentence)
]

/** A reason as a sentence. A file's name at its beginning stays as it is. */
const asSentence = (reason: string): string =>
  `${/^[a-z]+[ ,]/.test(reason) ? reason.charAt(0).toUpperCase() + reason.slice(1) : reason}.`
