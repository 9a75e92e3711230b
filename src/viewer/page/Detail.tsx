import type { VNode } from "preact"
import { useState } from "preact/hooks"
import type { Tokens } from "../../domain/usage.ts"
import { formatBytes, formatTokens } from "../../export/format.ts"
import type { Entry, EventDetail } from "../document.ts"
import { plainText } from "./segments.ts"
import { TextBlock } from "./Text.tsx"
import { Value } from "./Value.tsx"
import { number } from "./words.ts"

interface Shown {
  readonly entry: Entry
  readonly events: ReadonlyArray<EventDetail>
  readonly pattern: RegExp | undefined
}

type Fields = Readonly<Record<string, unknown>>
const payloadOf = (event: EventDetail | undefined): Fields => (event?.payload ?? {}) as Fields

/** What an open entry shows. */
export const Detail = (props: Shown): VNode => (
  <div class="detail">
    <Content {...props} />
    <Notes events={props.events} />
    <Facts events={props.events} />
  </div>
)

const Content = ({ entry, events, pattern }: Shown): VNode | undefined => {
  const [first] = events
  const payload = payloadOf(first)
  switch (entry.kind) {
    case "tool":
      return <ToolContent entry={entry} events={events} pattern={pattern} />
    // Their text is shown whether they are open or not.
    case "prompt":
    case "answer":
      return undefined
    case "compaction":
    case "subagent": {
      const text = payload.summary ?? payload.text ?? payload.instructions
      return typeof text === "string" && text !== "" ? (
        <TextBlock text={text} pattern={pattern} look="prose" limit={4_000} />
      ) : undefined
    }
    case "usage":
      return <UsageContent payload={payload} />
    case "context":
      return <ContextContent payload={payload} pattern={pattern} />
    case "notice":
    case "gap":
      return <Value value={payload.fields} pattern={pattern} label={entry.name ?? "Fields"} />
    case "start":
    case "end":
      return <Value value={payload} pattern={pattern} label="Facts" />
    case "damage":
      return (
        <p class="quiet">
          These bytes are no event. They are left as they are; <code>lint-ai sessions recover</code> notes them and
          keeps every event around them.
        </p>
      )
  }
}

const ToolContent = ({ entry, events, pattern }: Shown): VNode => {
  const call = payloadOf(events.find((event) => event.kind === "tool_call"))
  const end = payloadOf(events.find((event) => event.kind === "tool_result" || event.kind === "tool_error"))
  const name = entry.name ?? "tool"
  return (
    <>
      <section>
        <h4>Input</h4>
        <Value value={call.input ?? end.input} pattern={pattern} label={`Input of ${name}`} />
      </section>
      <section>
        <h4>{end.error === undefined ? "Result" : "Error"}</h4>
        {entry.outcome === "unresolved" ? (
          <p class="quiet nothing">No end of this call was recorded.</p>
        ) : (
          <Value value={end.error ?? end.response} pattern={pattern} label={`Result of ${name}`} />
        )}
      </section>
    </>
  )
}

interface Message extends Tokens {
  readonly message_id: string
  readonly model?: string
}

const UsageContent = ({ payload }: { readonly payload: Fields }): VNode => {
  const messages = (payload.messages ?? []) as ReadonlyArray<Message>
  return (
    <ul class="plain">
      {messages.slice(0, 200).map((message) => (
        <li>
          {message.model === undefined ? undefined : <code>{plainText(message.model)}</code>} {formatTokens(message)}
        </li>
      ))}
      {messages.length > 200 ? <li class="quiet">{number(messages.length - 200)} more messages</li> : undefined}
    </ul>
  )
}

const ContextContent = ({ payload, pattern }: { readonly payload: Fields; readonly pattern: RegExp | undefined }) => {
  const ids = (payload.record_ids ?? []) as ReadonlyArray<string>
  return (
    <ul class="plain">
      {ids.map((id) => (
        <li>
          <TextBlock text={id} pattern={pattern} />
        </li>
      ))}
    </ul>
  )
}

/** What is not here: cut when it was recorded, left out, cut for this page. */
const Notes = ({ events }: { readonly events: ReadonlyArray<EventDetail> }): VNode | undefined => {
  const notes = events.flatMap((event) => [
    ...(event.truncated ?? []).map(({ path, bytes }) => `${path}: ${formatBytes(bytes)} cut when it was recorded`),
    ...(event.omitted ?? []).map((name) => `${name}: left out, because the event was too large`),
    ...(event.shortened ?? []).map(({ path, characters }) =>
      characters === 0
        ? `${path}: what is nested deeper is in the archive`
        : `${path}: ${number(characters)} more in the archive, too much for a page`
    )
  ])
  if (notes.length === 0) return undefined
  return (
    <ul class="notes">
      {notes.slice(0, 40).map((text) => (
        <li>{plainText(text)}</li>
      ))}
      {notes.length > 40 ? <li>and {number(notes.length - 40)} more</li> : undefined}
    </ul>
  )
}

/** The events themselves, for who wants to know exactly. */
const Facts = ({ events }: { readonly events: ReadonlyArray<EventDetail> }): VNode | undefined => {
  const [isOpen, setOpen] = useState(false)
  if (events.length === 0) return undefined
  return (
    <details class="facts" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{events.length === 1 ? "Event as recorded" : "Events as recorded"}</summary>
      {isOpen
        ? events.map((event) => (
            <TextBlock
              text={JSON.stringify(event, undefined, 2)}
              pattern={undefined}
              label={`Event ${event.sequence} as recorded`}
            />
          ))
        : undefined}
    </details>
  )
}
