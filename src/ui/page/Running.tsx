import type { VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { counted } from "../../domain/counted.ts"
import { formatDuration } from "../../export/format.ts"
import { plainText } from "../../viewer/page/segments.ts"
import { Recorded } from "../../viewer/page/Text.tsx"
import type { EventLine, ProjectState, Running as RunningSession } from "./projectState.ts"
import { time } from "./words.ts"

/** The sessions that are being recorded, each with the tail of its events. */
export const Running = ({ state }: { readonly state: ProjectState }): VNode | null => {
  const running = state.running.value
  if (running.length === 0) return null
  return (
    <section aria-labelledby="running-title">
      <h2 id="running-title">Being recorded</h2>
      {running.map((one) => (
        <RunningCard key={one.key} running={one} />
      ))}
    </section>
  )
}

const shortTail = 6

const RunningCard = ({ running }: { readonly running: RunningSession }): VNode => {
  const { session, lines } = running
  const [whole, setWhole] = useState(false)
  const visible = whole ? lines : lines.slice(-shortTail)
  const { hooks } = session
  return (
    <article class="running">
      <header>
        <a href={`session/${running.key}`}>{plainText(session.session_id)}</a>
        <span class="quiet">
          {counted(session.event_count, "event")}
          {session.redaction_count === 0 ? "" : ` · ${session.redaction_count} redacted`}
          {session.spooled_count === 0 ? "" : ` · ${session.spooled_count} waiting`}
          {hooks.average_ms === null
            ? ""
            : ` · hooks ${formatDuration(hooks.last_ms ?? hooks.average_ms)}, ${formatDuration(hooks.max_ms ?? 0)} at most`}
        </span>
        {lines.length > shortTail ? (
          <button type="button" class="plain-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? "Less" : "Follow"}
          </button>
        ) : undefined}
      </header>
      <Tail lines={visible} href={`session/${running.key}`} />
    </article>
  )
}

/** Lines that stay at their end while it is in view, as a terminal's do. */
const Tail = ({ lines, href }: { readonly lines: ReadonlyArray<EventLine>; readonly href: string }): VNode => {
  const box = useRef<HTMLOListElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    const element = box.current
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight
  }, [lines.length, lines.at(-1)])
  return (
    <ol
      class="tail"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
      tabIndex={0}
      aria-label="Newest events"
      onScroll={(event) => {
        const element = event.currentTarget
        atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24
      }}
    >
      {lines.map((line, at) => (
        <li key={line.sequence ?? `spool-${line.timestamp}-${at}`} class={line.kind === "tool_error" ? "failed" : ""}>
          <span class="quiet">{time(line.timestamp)}</span>
          {line.sequence === null ? (
            <span class="quiet">spool</span>
          ) : (
            <a href={`${href}#event-${line.sequence}`}>#{line.sequence}</a>
          )}
          <span>{line.kind}</span>
          <span class="what">
            <Recorded text={[line.tool_name ?? "", line.summary].join(" ").trim()} pattern={undefined} />
          </span>
          {line.redaction_count === 0 ? undefined : <span class="chip redaction">{line.redaction_count} redacted</span>}
        </li>
      ))}
    </ol>
  )
}
