import type { VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { SessionState } from "./sessionState.ts"
import { number } from "./words.ts"

export const searchId = "search"

/** Full-text search over everything that was recorded, with the way from match to match. */
export const SearchBox = ({ state }: { readonly state: SessionState }): VNode => {
  const [text, setText] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => {
      state.query.value = text.trim()
    }, 120)
    return () => clearTimeout(timer)
  }, [text, state])
  // Escape clears it from outside.
  const asked = state.query.value
  useEffect(() => {
    if (asked === "") setText("")
  }, [asked])
  return (
    <search class="search">
      <label>
        <span class="unseen">Search in this session</span>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="8.8" cy="8.8" r="5.3" />
          <path d="M12.8 12.8L17 17" />
        </svg>
        <input
          id={searchId}
          type="search"
          placeholder="Search"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") {
              event.preventDefault()
              if (state.query.peek() !== text.trim()) state.query.value = text.trim()
              state.nextMatch(event.shiftKey ? -1 : 1, false)
            }
          }}
        />
        <span class="key-hint" aria-hidden="true">
          /
        </span>
      </label>
      {asked === "" ? undefined : <Found state={state} />}
    </search>
  )
}

const Found = ({ state }: { readonly state: SessionState }): VNode => {
  const matches = state.shownMatches.value
  const hidden = state.matches.value.length - matches.length
  const place = state.selected.value === undefined ? -1 : matches.indexOf(state.selected.value)
  return (
    <div class="found">
      <span role="status" class="match-count">
        {matches.length === 0
          ? state.searching.value
            ? "searching"
            : hidden > 0
              ? `${number(hidden)} hidden by filters`
              : "no matches"
          : `${place < 0 ? "" : `${number(place + 1)} of `}${number(matches.length)}${state.searching.value ? "…" : ""} match${place < 0 && matches.length === 1 ? "" : "es"}`}
      </span>
      <button
        type="button"
        class="icon"
        aria-label="Previous match"
        title="Previous match (N)"
        disabled={matches.length === 0}
        onClick={() => state.nextMatch(-1)}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M5 12.5l5-5 5 5" />
        </svg>
      </button>
      <button
        type="button"
        class="icon"
        aria-label="Next match"
        title="Next match (n)"
        disabled={matches.length === 0}
        onClick={() => state.nextMatch(1)}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M5 7.5l5 5 5-5" />
        </svg>
      </button>
      <label class="only">
        <input
          type="checkbox"
          checked={state.onlyMatches.value}
          onChange={(event) => {
            state.onlyMatches.value = event.currentTarget.checked
          }}
        />
        <span>only matches</span>
      </label>
    </div>
  )
}
