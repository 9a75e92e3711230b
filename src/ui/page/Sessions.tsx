import type { VNode } from "preact"
import { formatBytes, formatDuration } from "../../export/format.ts"
import { plainText } from "../../viewer/page/segments.ts"
import type { SessionRow } from "../messages.ts"
import type { ProjectState } from "./projectState.ts"
import { date } from "./words.ts"

/** Every session, newest first. */
export const Sessions = ({ state }: { readonly state: ProjectState }): VNode => {
  const part = state.part.value
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      {part === undefined ? (
        <p class="empty">Reading…</p>
      ) : part.total === 0 ? (
        <p class="empty">
          No sessions yet. Turn recording on with <code>lint-ai init</code>, then work with your agent.
        </p>
      ) : (
        <>
          <div class="scroll">
            <table class="sessions">
              <thead>
                <tr>
                  <th scope="col">Session</th>
                  <th scope="col">Status</th>
                  <th scope="col">Started</th>
                  <th scope="col" class="number">
                    Duration
                  </th>
                  <th scope="col" class="number">
                    Events
                  </th>
                  <th scope="col" class="number">
                    Redacted
                  </th>
                  <th scope="col" class="number">
                    Size
                  </th>
                </tr>
              </thead>
              <tbody>
                {part.sessions.map((row) => (
                  <Row key={row.key} row={row} />
                ))}
              </tbody>
            </table>
          </div>
          {part.sessions.length < part.total ? (
            <button type="button" class="plain-button" onClick={state.showMore}>
              {part.total - part.sessions.length} more
            </button>
          ) : undefined}
        </>
      )}
    </section>
  )
}

const Row = ({ row }: { readonly row: SessionRow }): VNode => (
  <tr>
    <td>
      <a href={`session/${row.key}`}>{plainText(row.session_id)}</a>
      {row.branch === null ? undefined : <span class="quiet branch"> {plainText(row.branch)}</span>}
    </td>
    <td>
      <span class={`chip status ${row.status}`}>{row.status}</span>
    </td>
    <td>
      <time dateTime={row.started_at}>{date(row.started_at)}</time>
    </td>
    <td class="number">
      {row.ended_at === null ? "" : formatDuration(Math.max(0, Date.parse(row.ended_at) - Date.parse(row.started_at)))}
    </td>
    <td class="number">{row.event_count.toLocaleString("en-US")}</td>
    <td class="number">{row.redaction_count.toLocaleString("en-US")}</td>
    <td class="number">{formatBytes(row.byte_count)}</td>
  </tr>
)
