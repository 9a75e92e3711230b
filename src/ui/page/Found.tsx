import type { VNode } from "preact"
import type { Excerpt } from "../../search/excerpt.ts"
import { plainText } from "../../viewer/page/segments.ts"
import { Recorded } from "../../viewer/page/Text.tsx"
import type { FoundEvent } from "../messages.ts"
import type { ProjectState } from "./projectState.ts"
import { date } from "./words.ts"

/** The events in which the words of the search are, by session. */
export const Found = ({ state }: { readonly state: ProjectState }): VNode => {
  const found = state.found.value
  const waiting = found === undefined || found.words !== state.words.value.trim()
  const groups = found === undefined ? [] : bySession(found.hits)
  return (
    <section aria-labelledby="found-title" aria-busy={waiting}>
      <h2 id="found-title">
        <span role="status">
          {waiting
            ? "Searching…"
            : found.hits.length === 0
              ? "Nothing found"
              : `${found.hits.length}${found.more ? " of more" : ""} ${found.hits.length === 1 ? "event" : "events"}`}
        </span>
      </h2>
      {groups.map((hits) => (
        <article key={hits[0]?.key} class="hits">
          <header>
            <a href={`session/${hits[0]?.key}`}>{plainText(hits[0]?.session_id ?? "")}</a>
          </header>
          <ol>
            {hits.map((hit) => (
              <li key={hit.sequence ?? hit.timestamp}>
                <a href={hit.sequence === null ? `session/${hit.key}` : `session/${hit.key}#event-${hit.sequence}`}>
                  {hit.sequence === null ? "spool" : `#${hit.sequence}`}
                </a>
                <span class="quiet">
                  {date(hit.timestamp)} · {hit.kind}
                  {hit.tool_name === null ? "" : ` ${plainText(hit.tool_name)}`}
                </span>
                <p>
                  <Marked excerpt={hit.excerpt} />
                </p>
              </li>
            ))}
          </ol>
        </article>
      ))}
    </section>
  )
}

const bySession = (hits: ReadonlyArray<FoundEvent>): ReadonlyArray<ReadonlyArray<FoundEvent>> => {
  const groups = new Map<string, Array<FoundEvent>>()
  for (const hit of hits) groups.set(hit.key, [...(groups.get(hit.key) ?? []), hit])
  return [...groups.values()]
}

const Marked = ({ excerpt }: { readonly excerpt: Excerpt }): VNode => {
  const { text, matches } = excerpt
  let at = 0
  const pieces: Array<VNode> = []
  for (const [start, end] of matches) {
    pieces.push(
      <Recorded key={at} text={text.slice(at, start)} pattern={undefined} />,
      <mark key={start}>
        <Recorded text={text.slice(start, end)} pattern={undefined} />
      </mark>
    )
    at = end
  }
  return (
    <>
      {pieces}
      <Recorded text={text.slice(at)} pattern={undefined} />
    </>
  )
}
