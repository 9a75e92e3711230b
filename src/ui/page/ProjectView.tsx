import type { VNode } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { Bar } from "../../viewer/page/Bar.tsx"
import { plainText } from "../../viewer/page/segments.ts"
import { Found } from "./Found.tsx"
import { type ProjectState, projectState } from "./projectState.ts"
import { Running } from "./Running.tsx"
import { Sessions } from "./Sessions.tsx"

const searchId = "search"

/** The page of a project: what is being recorded now, what was, and a search over all of it. */
export const ProjectView = (): VNode => {
  const state = useMemo(projectState, [])
  useEffect(state.start, [state])
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === "/" && !typing) {
        event.preventDefault()
        document.getElementById(searchId)?.focus()
      } else if (event.key === "Escape" && typing) {
        state.search("")
        if (event.target instanceof HTMLElement) event.target.blur()
      }
    }
    addEventListener("keydown", key)
    return () => removeEventListener("keydown", key)
  }, [state])
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Bar>
        <search class="search">
          <label for={searchId}>
            <span class="unseen">Search in all sessions</span>
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M9 3.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM13 13l4 4" />
            </svg>
            <input
              id={searchId}
              type="search"
              placeholder="Search in all sessions"
              autocomplete="off"
              spellcheck={false}
              value={state.words.value}
              onInput={(event) => state.search(event.currentTarget.value)}
            />
            <span class="key-hint" aria-hidden="true">
              /
            </span>
          </label>
        </search>
      </Bar>
      <main class="project" id="content" tabIndex={-1}>
        <Head state={state} />
        {state.words.value.trim() === "" ? (
          <>
            <Running state={state} />
            <Sessions state={state} />
          </>
        ) : (
          <Found state={state} />
        )}
      </main>
      <footer>
        <p>Served by lint-ai to this browser alone. Nothing leaves your machine, and nothing can be changed here.</p>
      </footer>
    </>
  )
}

const Head = ({ state }: { readonly state: ProjectState }): VNode => {
  const connection = state.connection.value
  return (
    <div class="card">
      <div class="eyebrow">
        <span>Recorded sessions</span>
        <span class={`chip connection ${connection}`} role="status">
          {connection === "connected" ? "live" : connection === "connecting" ? "connecting…" : "not connected"}
        </span>
      </div>
      <h1>{plainText(state.part.value?.project ?? "…")}</h1>
      {state.problem.value === "" ? undefined : (
        <p class="note" role="alert">
          {state.problem.value}
        </p>
      )}
      {connection === "lost" ? (
        <p class="note">
          The server has ended, or this browser is not let in any more. Start <code>lint-ai ui</code> again.
        </p>
      ) : undefined}
    </div>
  )
}
