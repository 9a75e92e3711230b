import type { ComponentChildren, VNode } from "preact"
import { theme } from "./theme.ts"

/** What stays at the top of every page. */
export const Bar = (props: { readonly children?: ComponentChildren }): VNode => (
  <header class="topbar">
    <span class="name">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8.2" />
        <circle class="core" cx="10" cy="10" r="3.6" />
      </svg>
      lint-ai
    </span>
    {props.children}
    <button
      type="button"
      class="icon theme"
      aria-label={theme.current === "dark" ? "Light colours" : "Dark colours"}
      title={theme.current === "dark" ? "Light colours (t)" : "Dark colours (t)"}
      onClick={() => theme.toggle()}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {theme.current === "dark" ? (
          <path d="M10 6.2a3.8 3.8 0 100 7.6 3.8 3.8 0 000-7.6zM10 2v1.6m0 12.8V18m8-8h-1.6M3.6 10H2m13.7-5.7l-1.2 1.2m-9 9l-1.2 1.2m11.4 0l-1.2-1.2m-9-9L4.3 4.3" />
        ) : (
          <path d="M16.5 12.2A7 7 0 017.8 3.5a7 7 0 108.7 8.7z" />
        )}
      </svg>
    </button>
  </header>
)
