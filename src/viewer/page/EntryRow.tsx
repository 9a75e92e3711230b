import type { VNode } from "preact"
import { formatDuration } from "../../export/format.ts"
import type { Agent, Entry } from "../document.ts"
import { Detail } from "./Detail.tsx"
import { plainText } from "./segments.ts"
import type { SessionState } from "./sessionState.ts"
import { Recorded, TextBlock } from "./Text.tsx"
import { clock, entryTitle, number, outcomeTitles } from "./words.ts"

const said: ReadonlySet<Entry["kind"]> = new Set(["prompt", "answer"])

/** One entry of the timeline. Prompts and answers show their text; everything else is a line that opens. */
export const EntryRow = (props: {
  readonly state: SessionState
  readonly index: number
  readonly position: number
  readonly total: number
}): VNode | undefined => {
  const { state, index } = props
  const entry = state.outline.entries[index]
  if (entry === undefined) return undefined
  const pattern = state.pattern.value
  const isOpen = state.opened.value.has(index)
  const agent = entry.agent === undefined ? undefined : state.outline.agents[entry.agent]
  const anchor = entry.sequence === undefined ? undefined : `event-${entry.sequence}`
  const title = entryTitle(entry)
  const label = `entry-${index}`
  return (
    <article
      class={classesOf(entry, state.selected.value === index, isOpen, state.matching.value.has(index))}
      id={anchor}
      data-entry={index}
      tabIndex={state.selected.value === index ? 0 : -1}
      aria-labelledby={label}
      aria-posinset={props.position + 1}
      aria-setsize={props.total}
      onFocus={() => {
        state.selected.value = index
      }}
    >
      <time class="at" title={new Date(Date.parse(state.outline.card.started_at) + entry.at).toISOString()}>
        {clock(entry.at)}
      </time>
      <Lane agent={agent} />
      <span class="dot" aria-hidden="true" />
      <div class="body">
        <div class="head">
          <h3 id={label}>
            <button
              type="button"
              class="open"
              aria-expanded={isOpen}
              onClick={() => {
                state.selected.value = index
                state.toggle(index)
              }}
            >
              <span class="title">
                <Recorded text={title} pattern={pattern} />
              </span>
              {said.has(entry.kind) || entry.summary === undefined ? undefined : (
                <span class="summary">
                  <Recorded text={entry.summary} pattern={pattern} />
                </span>
              )}
            </button>
          </h3>
          <Marks entry={entry} agent={agent} />
          {anchor === undefined ? undefined : (
            <a
              class="link"
              href={`#${anchor}`}
              aria-label={`Copy a link to event ${entry.sequence}`}
              title="Copy a link to this event"
              onClick={() => copyLink(state, anchor)}
            >
              #{entry.sequence}
            </a>
          )}
        </div>
        {said.has(entry.kind) ? <Said state={state} index={index} pattern={pattern} /> : undefined}
        {isOpen ? <Detail entry={entry} events={state.events(index)} pattern={pattern} /> : undefined}
      </div>
    </article>
  )
}

const classesOf = (entry: Entry, isSelected: boolean, isOpen: boolean, isMatch: boolean): string =>
  [
    "entry",
    entry.kind,
    entry.outcome ?? "",
    entry.kind === "prompt" && entry.name !== "user" ? "other" : "",
    isSelected ? "selected" : "",
    isOpen ? "is-open" : "",
    isMatch ? "match" : ""
  ]
    .filter((name) => name !== "")
    .join(" ")

/** The lines of the agents in which an entry stands, one for each level. */
const Lane = ({ agent }: { readonly agent: Agent | undefined }): VNode | undefined =>
  agent === undefined ? undefined : (
    <span class="lanes" aria-hidden="true">
      {Array.from({ length: Math.min(agent.depth, 6) }, () => (
        <span class="lane" />
      ))}
    </span>
  )

const Marks = ({ entry, agent }: { readonly entry: Entry; readonly agent: Agent | undefined }): VNode => (
  <span class="marks">
    {agent === undefined ? undefined : (
      <span class="chip agent" title={plainText(`Agent ${agent.id}`)}>
        <Recorded text={agent.type ?? "subagent"} pattern={undefined} />
      </span>
    )}
    {Object.entries(entry.rules ?? {}).map(([rule, count]) => (
      <span class="chip redaction" title={`Redacted by the rule ${rule}`}>
        {rule}
        {count > 1 ? ` ×${count}` : ""}
      </span>
    ))}
    {entry.cut === undefined ? undefined : <span class="chip">cut</span>}
    {entry.waiting === true ? (
      <span class="chip" title="In the spool: the next writer gives it its place">
        waiting
      </span>
    ) : undefined}
    {entry.outcome === undefined || entry.outcome === "succeeded" ? undefined : (
      <span class="chip outcome">{outcomeTitles[entry.outcome]}</span>
    )}
    <span class="duration">{entry.duration_ms === undefined ? "" : formatDuration(entry.duration_ms)}</span>
  </span>
)

const Said = (props: {
  readonly state: SessionState
  readonly index: number
  readonly pattern: RegExp | undefined
}): VNode | undefined => {
  const [event] = props.state.events(props.index)
  const { text } = (event?.payload ?? {}) as { readonly text?: string }
  return text === undefined || text === "" ? (
    <p class="quiet nothing">no text</p>
  ) : (
    <TextBlock text={text} pattern={props.pattern} look="prose" limit={4_000} />
  )
}

/** Besides following the link, which makes it the address of the page. */
const copyLink = (state: SessionState, anchor: string): void => {
  const address = `${location.href.replace(/#.*$/, "")}#${anchor}`
  const tell = (text: string) => {
    state.notice.value = text
  }
  // Not there in a page that is served without TLS from another address than loopback.
  if (navigator.clipboard === undefined) {
    tell("The link is in the address bar")
    return
  }
  navigator.clipboard.writeText(address).then(
    () => tell("Link copied"),
    () => tell("The link is in the address bar")
  )
}

/** The size of an entry before it was measured, in pixels. */
export const roughHeight = (entry: Entry | undefined): number => {
  if (entry === undefined || !said.has(entry.kind)) return 38
  return 66 + Math.ceil((entry.summary?.length ?? 0) / 90) * 24
}

/** The heading of a turn. */
export const TurnRow = (props: {
  readonly state: SessionState
  readonly turn: number
  readonly position: number
  readonly total: number
}): VNode | undefined => {
  const turn = props.state.outline.turns[props.turn]
  if (turn === undefined) return undefined
  const facts = [
    formatDuration(Math.max(0, turn.end - turn.at)),
    ...(turn.tools > 0 ? [`${number(turn.tools)} tool call${turn.tools === 1 ? "" : "s"}`] : []),
    ...(turn.failures > 0 ? [`${number(turn.failures)} not successful`] : []),
    ...(turn.tokens > 0 ? [`${number(turn.tokens)} tokens`] : [])
  ]
  return (
    <article
      class="turn"
      aria-labelledby={`turn-${props.turn}`}
      aria-posinset={props.position + 1}
      aria-setsize={props.total}
    >
      <h2 id={`turn-${props.turn}`}>Turn {props.turn + 1}</h2>
      <p>{facts.join(" · ")}</p>
    </article>
  )
}
