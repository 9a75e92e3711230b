import { options, type VNode } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { SessionOutline } from "../document.ts"
import { Bar } from "./Bar.tsx"
import { Card } from "./Card.tsx"
import { Charts } from "./Charts.tsx"
import { Filters } from "./Filters.tsx"
import { Help } from "./Help.tsx"
import { SearchBox, searchId } from "./SearchBox.tsx"
import { type SessionState, sessionState } from "./sessionState.ts"
import { Timeline } from "./Timeline.tsx"
import { theme } from "./theme.ts"
import { number } from "./words.ts"

/** The page of one session. */
export const SessionView = ({ outline }: { readonly outline: SessionOutline }): VNode => {
  const state = useMemo(() => sessionState(outline), [outline])
  const [help, setHelp] = useState(false)
  const [filters, setFilters] = useState(false)
  useAddress(state)
  usePrinting(state)
  useKeys(state, { openHelp: () => setHelp(true), toggleFilters: () => setFilters((open) => !open) })
  return (
    <>
      <a class="skip" href="#timeline">
        Skip to the timeline
      </a>
      <Bar>
        <SearchBox state={state} />
        <button
          type="button"
          class="icon filter-toggle"
          aria-label="Filters"
          title="Filters (f)"
          aria-expanded={filters}
          onClick={() => setFilters(!filters)}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5.5h14M5.5 10h9M8 14.5h4" />
          </svg>
        </button>
        <button type="button" class="icon help" aria-label="Keys" title="Keys (?)" onClick={() => setHelp(true)}>
          <span aria-hidden="true">?</span>
        </button>
      </Bar>
      <main>
        <Card outline={outline} />
        <Charts state={state} />
        <div class={filters ? "columns with-filters" : "columns"}>
          <aside aria-label="Filters">
            <Filters state={state} />
          </aside>
          <section id="timeline" aria-labelledby="timeline-title" tabIndex={-1}>
            <h2 id="timeline-title" class="unseen">
              Timeline
            </h2>
            <Timeline state={state} />
            {outline.left_out > 0 ? (
              <p class="empty">
                {number(outline.left_out)} later entries are not in this page.{" "}
                <code>lint-ai sessions export {outline.card.session_id}</code> writes all.
              </p>
            ) : undefined}
          </section>
        </div>
      </main>
      <footer>
        <p>
          Made by lint-ai {outline.recorder_version}. Nothing in this page leaves your machine, and it loads nothing.
        </p>
      </footer>
      <Notice state={state} />
      <Help isOpen={help} close={() => setHelp(false)} />
    </>
  )
}

/** `#event-12` in the address brings to that event, also while the page is open. */
const useAddress = (state: SessionState): void => {
  useEffect(() => {
    const follow = () => {
      const [, sequence] = /^#event-(\d{1,15})$/.exec(location.hash) ?? []
      if (sequence === undefined) return
      const entry = state.entryOf(Number(sequence))
      if (entry === undefined) state.notice.value = `There is no event ${sequence} in this page`
      else state.show(entry)
    }
    follow()
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [state])
}

/** A page is printed with all its entries, so they are put into it before the browser looks. */
const usePrinting = (state: SessionState): void => {
  useEffect(() => {
    const set = (printing: boolean) => {
      const usual = options.debounceRendering
      options.debounceRendering = (render) => render()
      state.printing.value = printing
      if (usual === undefined) delete options.debounceRendering
      else options.debounceRendering = usual
    }
    const before = () => set(true)
    const after = () => set(false)
    addEventListener("beforeprint", before)
    addEventListener("afterprint", after)
    return () => {
      removeEventListener("beforeprint", before)
      removeEventListener("afterprint", after)
    }
  }, [state])
}

const useKeys = (
  state: SessionState,
  page: { readonly openHelp: () => void; readonly toggleFilters: () => void }
): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const at = event.target instanceof HTMLElement ? event.target : document.body
      if (at.closest("dialog") !== null) return
      const isField = at.matches("input:not([type=checkbox]), textarea, select")
      if (event.key === "Escape") return leave(state, isField ? at : undefined)
      if (isField) return
      const act = actionOf(event.key, at)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    const actionOf = (key: string, at: HTMLElement): (() => void) | undefined => {
      const inTimeline = at.closest(".feed") !== null
      // A block of text that scrolls keeps its arrows.
      const arrows = inTimeline && at.closest("pre") === null
      if (key === "j" || (key === "ArrowDown" && arrows)) return () => state.step(1, atTop)
      if (key === "k" || (key === "ArrowUp" && arrows)) return () => state.step(-1, atTop)
      const selected = state.selected.peek()
      if (key === "Enter" && selected !== undefined && at.matches("article, body")) return () => state.toggle(selected)
      return {
        g: () => state.edge(false),
        G: () => state.edge(true),
        e: () => state.nextFailure(),
        "/": () => document.getElementById(searchId)?.focus(),
        n: () => state.nextMatch(1),
        N: () => state.nextMatch(-1),
        f: page.toggleFilters,
        t: () => theme.toggle(),
        c: () => document.querySelector<HTMLElement>(`[data-entry="${selected}"] .link`)?.click(),
        "?": page.openHelp
      }[key]
    }
    /** The first entry below the bar. */
    const atTop = (): number | undefined => {
      const element = [...document.querySelectorAll<HTMLElement>("[data-entry]")].find(
        (one) => one.getBoundingClientRect().bottom > 80
      )
      return element === undefined ? undefined : Number(element.dataset.entry)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [state, page.openHelp, page.toggleFilters])
}

/** Escape: out of the field; then the search ends; then the open entry closes. */
const leave = (state: SessionState, field: HTMLElement | undefined): void => {
  if (state.query.peek() !== "") {
    state.query.value = ""
    state.onlyMatches.value = false
  } else if (field === undefined) {
    const selected = state.selected.peek()
    if (selected !== undefined && state.opened.peek().has(selected)) state.toggle(selected)
  }
  field?.blur()
}

/** A word for a moment. */
const Notice = ({ state }: { readonly state: SessionState }): VNode => {
  const text = state.notice.value
  useEffect(() => {
    if (text === "") return
    const timer = setTimeout(() => {
      state.notice.value = ""
    }, 2_500)
    return () => clearTimeout(timer)
  }, [text, state])
  return (
    <p class={text === "" ? "toast" : "toast shown"} role="status">
      {text}
    </p>
  )
}
