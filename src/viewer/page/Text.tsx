import type { ComponentChildren, VNode } from "preact"
import { useState } from "preact/hooks"
import { plainText, segmentsOf } from "./segments.ts"
import { number } from "./words.ts"

/** Recorded text on one line or in a paragraph: nothing in it is markup, marks and unseen characters are shown, matches are marked. */
export const Recorded = (props: { readonly text: string; readonly pattern: RegExp | undefined }): VNode => (
  <>
    {segmentsOf(props.text).map((segment) =>
      segment._tag === "Text" ? (
        marked(segment.text, props.pattern)
      ) : segment._tag === "Redaction" ? (
        <span class="chip redaction" title={`Redacted by the rule ${segment.rule} before it was stored`}>
          <span class="quiet">redacted</span> {segment.rule}
        </span>
      ) : (
        <span class="control" title={`${segment.code}, ${segment.meaning}`}>
          {segment.shown}
        </span>
      )
    )}
  </>
)

const mostMarks = 2_000

const marked = (text: string, pattern: RegExp | undefined): ComponentChildren => {
  if (pattern === undefined) return text
  const pieces: Array<ComponentChildren> = []
  let done = 0
  for (const match of text.matchAll(pattern)) {
    if (pieces.length > mostMarks) break
    if (match.index > done) pieces.push(text.slice(done, match.index))
    pieces.push(<mark>{match[0]}</mark>)
    done = match.index + match[0].length
  }
  if (done === 0) return text
  pieces.push(text.slice(done))
  return pieces
}

/**
 * A longer recorded text: its beginning, and more of it on request. With a pattern it reaches to the first match.
 *
 * @param limit characters at first
 */
export const TextBlock = (props: {
  readonly text: string
  readonly pattern: RegExp | undefined
  readonly limit?: number
  /** Prose in the font of the page, code in that of a terminal, a patch by its lines. */
  readonly look?: "prose" | "code" | "patch" | "added" | "removed"
  readonly label?: string
}): VNode => {
  const { text, pattern, look = "code" } = props
  const first = props.limit ?? 2_000
  const [limit, setLimit] = useState(first)
  const reached = Math.max(limit, text.length > limit ? matchEnd(text, pattern) : 0)
  const end = endOf(text, reached)
  const shown = text.slice(0, end)
  const rest = text.length - end
  return (
    <div class={`text ${look}`}>
      {look === "prose" ? (
        <div class="words">
          <Prose text={shown} pattern={pattern} />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <pre tabIndex={0} role="group" aria-label={plainText(props.label ?? "Recorded text")}>
          {look === "patch" || looksLikePatch(text) ? (
            <Patch text={shown} pattern={pattern} />
          ) : (
            <Recorded text={shown} pattern={pattern} />
          )}
        </pre>
      )}
      {rest > 0 || limit > first ? (
        <p class="more">
          {rest > 0 ? (
            <button type="button" onClick={() => setLimit(Math.max(reached, limit) * 8)}>
              Show more
            </button>
          ) : undefined}
          {limit > first ? (
            <button type="button" onClick={() => setLimit(first)}>
              Show less
            </button>
          ) : undefined}
          {rest > 0 ? <span class="quiet">{number(rest)} more characters</span> : undefined}
        </p>
      ) : undefined}
    </div>
  )
}

const matchEnd = (text: string, pattern: RegExp | undefined): number => {
  if (pattern === undefined) return 0
  pattern.lastIndex = 0
  const match = pattern.exec(text)
  pattern.lastIndex = 0
  return match === null ? 0 : match.index + match[0].length + 400
}

/** A cut that leaves no half of a character and of no redaction mark. */
const endOf = (text: string, limit: number): number => {
  if (limit >= text.length) return text.length
  const mark = text.lastIndexOf("[REDACTED:", limit)
  const markEnd = mark < 0 ? -1 : text.indexOf("]", mark)
  if (mark >= 0 && markEnd >= limit && markEnd - mark < 80) return markEnd + 1
  const last = text.charCodeAt(limit - 1)
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit
}

/** Prose in which fenced code stands as code. */
const Prose = (props: { readonly text: string; readonly pattern: RegExp | undefined }): VNode => (
  <>
    {props.text.split(/^```[^\n`]*\n([\s\S]*?)^```[ \t]*$/m).map((part, index) =>
      index % 2 === 1 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <pre tabIndex={0} role="group" aria-label="Code">
          <Recorded text={part.replace(/\n$/, "")} pattern={props.pattern} />
        </pre>
      ) : part.trim() === "" ? undefined : (
        <p>
          <Recorded text={index === 0 ? part.trimEnd() : part.trim()} pattern={props.pattern} />
        </p>
      )
    )}
  </>
)

const looksLikePatch = (text: string): boolean =>
  text.startsWith("*** Begin Patch") || /^(diff --git |--- [^\n]+\n\+\+\+ )/.test(text)

const Patch = (props: { readonly text: string; readonly pattern: RegExp | undefined }): VNode => (
  <>
    {props.text.split("\n").map((line) => (
      <span class={`line ${lineKind(line)}`}>
        <Recorded text={line} pattern={props.pattern} />
        {"\n"}
      </span>
    ))}
  </>
)

const lineKind = (line: string): string => {
  if (line.startsWith("+") && !line.startsWith("+++")) return "added"
  if (line.startsWith("-") && !line.startsWith("---")) return "removed"
  return line.startsWith("@@") || line.startsWith("***") ? "place" : ""
}
