import type { VNode } from "preact"
import type { SessionLink } from "../comparisonDocument.ts"

/** The name of a session, which leads to its page where it has one: to the event `at`. */
export const SessionName = (props: { readonly link: SessionLink; readonly at?: number | undefined }): VNode =>
  props.link.page === undefined ? (
    <code class="quiet">{props.link.session_id}</code>
  ) : (
    <a href={`${props.link.page}${props.at === undefined ? "" : `#event-${props.at}`}`}>
      <code>{props.link.session_id}</code>
    </a>
  )
