import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll
} from "@tanstack/virtual-core"
import type { VNode } from "preact"
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks"
import { EntryRow, roughHeight, TurnRow } from "./EntryRow.tsx"
import type { Row, SessionState } from "./sessionState.ts"

type WindowList = Virtualizer<Window, HTMLElement>

/** Height of the bar that stays at the top of the window. */
const barHeight = 64
/** More than this is not printed: a browser would take minutes to lay it out. */
const mostPrinted = 2_000

const keyOf = (row: Row | undefined): string =>
  row === undefined ? "" : "turn" in row ? `turn-${row.turn}` : `entry-${row.entry}`

/** The entries, of which only those near the window exist in the page. */
export const Timeline = ({ state }: { readonly state: SessionState }): VNode => {
  const rows = state.rows.value
  const frame = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const options: VirtualizerOptions<Window, HTMLElement> = {
    count: rows.length,
    getScrollElement: () => window,
    estimateSize: (index) => {
      const row = rows[index]
      return row !== undefined && "entry" in row ? roughHeight(state.outline.entries[row.entry]) : 78
    },
    getItemKey: (index) => keyOf(rows[index]),
    overscan: 8,
    scrollMargin: margin,
    scrollPaddingStart: barHeight + 24,
    scrollPaddingEnd: 24,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: () => window.scrollY,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => redraw(undefined)
  }
  const kept = useRef<WindowList | undefined>(undefined)
  kept.current ??= new Virtualizer(options)
  const list = kept.current
  list.setOptions(options)
  useLayoutEffect(() => list._didMount(), [list])
  useLayoutEffect(() => list._willUpdate())
  useLayoutEffect(() => {
    const place = () => setMargin((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    place()
    // What stands above the list changes its height with the width of the window, and when something in it is opened.
    const observer = new ResizeObserver(place)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  useTarget(state, list)

  if (state.printing.value) return <Printed state={state} rows={rows} />
  const items = list.getVirtualItems()
  return (
    <div ref={frame} class="feed">
      <div
        class="tall"
        {...(rows.length > 0 ? { role: "feed", "aria-label": "Timeline" } : {})}
        style={{ height: `${list.getTotalSize()}px` }}
      >
        {items.map((item) => (
          <div
            key={item.key}
            ref={list.measureElement}
            data-index={item.index}
            class="place"
            style={{ transform: `translateY(${item.start - margin}px)` }}
          >
            <OneRow state={state} row={rows[item.index]} position={item.index} total={rows.length} />
          </div>
        ))}
      </div>
      {rows.length === 0 ? <p class="empty">Nothing fits what you chose.</p> : undefined}
    </div>
  )
}

const OneRow = (props: {
  readonly state: SessionState
  readonly row: Row | undefined
  readonly position: number
  readonly total: number
}): VNode | undefined => {
  const { row, state } = props
  if (row === undefined) return undefined
  if ("turn" in row) return <TurnRow state={state} turn={row.turn} position={props.position} total={props.total} />
  return <EntryRow state={state} index={row.entry} position={props.position} total={props.total} />
}

const Printed = (props: { readonly state: SessionState; readonly rows: ReadonlyArray<Row> }): VNode => (
  <div class="feed">
    {props.rows.slice(0, mostPrinted).map((row, position) => (
      <OneRow key={keyOf(row)} state={props.state} row={row} position={position} total={props.rows.length} />
    ))}
    {props.rows.length > mostPrinted ? (
      <p class="quiet">{props.rows.length - mostPrinted} more rows are not printed. Filter to print others.</p>
    ) : undefined}
  </div>
)

/** Brings the person to the entry that was asked for, also when it is not in the page yet. */
const useTarget = (state: SessionState, list: WindowList): void => {
  const target = state.target.value
  useEffect(() => {
    if (target === undefined) return
    const position = state.rowOf.peek().get(target.entry)
    if (position === undefined) return
    const find = () => document.querySelector<HTMLElement>(`[data-entry="${target.entry}"]`)
    // Within a frame of the last jump the list does not know yet where the window stands, and would believe that it shows what it showed before.
    const isUpToDate = list.scrollOffset === window.scrollY
    list.scrollToIndex(position, { align: isUpToDate && find() !== null ? "auto" : "center" })
    if (!target.focus) return
    let frames = 0
    let frame = 0
    let focused = false
    const focus = () => {
      const element = find()
      // What the last jump still has to draw may take the row out of the page once more: it comes back without the focus.
      if (element !== null && (!focused || document.activeElement === document.body)) {
        element.focus({ preventScroll: true })
        focused = true
      }
      if (frames++ < 30) frame = requestAnimationFrame(focus)
    }
    focus()
    return () => cancelAnimationFrame(frame)
  }, [target, state, list])
}
