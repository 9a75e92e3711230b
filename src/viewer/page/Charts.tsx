import type { VNode } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { formatDuration } from "../../export/format.ts"
import type { Call, Entry, SessionOutline } from "../document.ts"
import { plainText } from "./segments.ts"
import type { SessionState } from "./sessionState.ts"
import { Recorded } from "./Text.tsx"
import { timeScale } from "./timeScale.ts"
import { clock, number, short } from "./words.ts"

/** The width of an element in pixels, as it changes. */
const useWidth = () => {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return { element, width }
}

/** When the agents worked, what tokens it took and where the time went. */
export const Charts = ({ state }: { readonly state: SessionState }): VNode => (
  <section class="charts" aria-label="Charts">
    <Activity state={state} />
    <TokenChart outline={state.outline} />
    <ToolTimes state={state} />
  </section>
)

const laneHeight = 18
const mostLanes = 6

const Activity = ({ state }: { readonly state: SessionState }): VNode => {
  const { element, width } = useWidth()
  const { entries, agents } = state.outline
  const scale = useMemo(() => timeScale(entries), [entries])
  const lanes = Math.min(agents.length, mostLanes - 1) + 1
  const laneOf = (entry: Entry) => (entry.agent === undefined ? 0 : Math.min(entry.agent + 1, mostLanes - 1))
  const height = lanes * laneHeight + 22
  const drawing = useMemo(
    () => (width === 0 ? undefined : drawActivity(entries, scale, width, laneOf)),
    [entries, scale, width]
  )
  const failures = entries.filter(isFailure).length
  const select = (event: MouseEvent & { readonly currentTarget: SVGSVGElement }) => {
    const box = event.currentTarget.getBoundingClientRect()
    const time = scale.time((event.clientX - box.left) / Math.max(1, box.width))
    const nearest = entries.findIndex((entry) => entry.at >= time)
    if (nearest >= 0) state.show(nearest)
  }
  return (
    <figure class="chart wide">
      <figcaption>
        Activity{" "}
        <span class="quiet">
          {scale.breaks.length > 0 ? "silences over a minute are drawn short" : "tool calls by the time they took"}
        </span>
      </figcaption>
      <div ref={element}>
        {drawing === undefined ? (
          <div style={{ height: `${height}px` }} />
        ) : (
          // A click is a short cut: the entries it goes to are all in the list.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list below has the same entries for the keyboard
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={`${number(entries.length)} entries over ${clock(entries.at(-1)?.at ?? 0)}, ${number(failures)} not successful`}
            onClick={select}
          >
            {Array.from({ length: lanes }, (_, lane) => (
              <line class="track" x1="0" x2={width} y1={laneMiddle(lane)} y2={laneMiddle(lane)} />
            ))}
            {scale.breaks.map((one) => (
              <line class="break" x1={one * width} x2={one * width} y1="2" y2={height - 20} />
            ))}
            <path class="bar" d={drawing.good} />
            <path class="bar failed" d={drawing.bad} />
            <path class="tick answer" d={drawing.answers} />
            <path class="tick prompt" d={drawing.prompts} />
            <path class="tick compaction" d={drawing.compactions} />
            <text x="0" y={height - 5}>
              {clock(0)}
            </text>
            <text x={width} y={height - 5} text-anchor="end">
              {clock(entries.at(-1)?.at ?? 0)}
            </text>
          </svg>
        )}
      </div>
      <p class="legend">
        <span class="key prompt">prompt</span>
        <span class="key answer">answer</span>
        <span class="key">tool call</span>
        {failures > 0 ? <span class="key failed">not successful</span> : undefined}
        {agents.length > 0 ? (
          <span class="quiet">
            first line: the session; below: {number(agents.length)} subagent{agents.length === 1 ? "" : "s"}
          </span>
        ) : undefined}
      </p>
    </figure>
  )
}

const laneMiddle = (lane: number): number => lane * laneHeight + laneHeight / 2 + 0.5

const isFailure = (entry: Entry): boolean =>
  entry.outcome !== undefined && entry.outcome !== "succeeded" && entry.outcome !== "unresolved"

/** All marks of one look as one path: bars that would touch become one, so that ten thousand calls are a few hundred shapes. */
const drawActivity = (
  entries: ReadonlyArray<Entry>,
  scale: ReturnType<typeof timeScale>,
  width: number,
  laneOf: (entry: Entry) => number
) => {
  const paths = { good: "", bad: "", prompts: "", answers: "", compactions: "" }
  const drawn = new Map<string, number>()
  const bar = (name: "good" | "bad", lane: number, from: number, to: number) => {
    const key = `${name} ${lane}`
    const begin = Math.max(from, drawn.get(key) ?? 0)
    const end = Math.max(to, from + 2)
    if (end <= begin) return
    drawn.set(key, end)
    // What went wrong is drawn thinner over what ran beside it.
    const half = name === "bad" ? 2.5 : 5
    paths[name] += `M${begin.toFixed(1)} ${laneMiddle(lane) - half}H${end.toFixed(1)}v${2 * half}H${begin.toFixed(1)}z`
  }
  const tick = (name: "prompts" | "answers" | "compactions", lane: number, at: number) => {
    const key = `${name} ${lane}`
    if (at - (drawn.get(key) ?? -9) < 2) return
    drawn.set(key, at)
    paths[name] += `M${Math.min(Math.max(at, 1.5), width - 1.5).toFixed(1)} ${laneMiddle(lane) - 7}v14`
  }
  for (const entry of entries) {
    const lane = laneOf(entry)
    const x = scale.place(entry.at) * (width - 2)
    if (entry.kind === "tool") {
      bar(isFailure(entry) ? "bad" : "good", lane, x, scale.place(entry.at + (entry.duration_ms ?? 0)) * (width - 2))
    } else if (entry.kind === "prompt") tick("prompts", lane, x)
    else if (entry.kind === "answer") tick("answers", lane, x)
    else if (entry.kind === "compaction") tick("compactions", lane, x)
  }
  return paths
}

const tokenKinds = [
  ["cache_read", "read from the cache"],
  ["cache_write", "written to it"],
  ["input", "new input"],
  ["output", "output"]
] as const
type TokenKind = (typeof tokenKinds)[number][0]

const sumOf = (call: Pick<Call, TokenKind>): number => tokenKinds.reduce((sum, [kind]) => sum + call[kind], 0)

const TokenChart = ({ outline }: { readonly outline: SessionOutline }): VNode => {
  const { element, width } = useWidth()
  const { calls, card } = outline
  const totals = useMemo(() => added(calls), [calls])
  const most = Math.max(8, Math.floor(width / 7))
  const perBar = Math.max(1, Math.ceil(calls.length / most))
  const bars = Array.from({ length: Math.ceil(calls.length / perBar) }, (_, index) =>
    added(calls.slice(index * perBar, (index + 1) * perBar))
  )
  const height = 84
  const highest = Math.max(1, ...bars.map(sumOf))
  const step = bars.length === 0 ? 0 : Math.min(28, width / bars.length)
  return (
    <figure class="chart">
      <figcaption>
        Tokens{" "}
        <span class="quiet">
          {calls.length === 0
            ? "were not observed"
            : `${number(calls.length)} model call${calls.length === 1 ? "" : "s"}${perBar > 1 ? `, ${perBar} a bar` : ""}`}
        </span>
      </figcaption>
      <div ref={element}>
        {calls.length === 0 || width === 0 ? (
          <div style={{ height: calls.length === 0 ? "0" : `${height}px` }} />
        ) : (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={`Tokens of ${number(calls.length)} model calls, at most ${number(highest)}`}
          >
            {bars.map((bar, index) => {
              let top = height
              return tokenKinds.map(([kind]) => {
                const size = (bar[kind] / highest) * (height - 4)
                top -= size
                return size < 0.3 ? undefined : (
                  <rect
                    class={`tokens ${kind}`}
                    x={index * step}
                    y={top}
                    width={Math.max(1.5, step - (step > 5 ? 2 : 0.5))}
                    height={size}
                  />
                )
              })
            })}
          </svg>
        )}
      </div>
      {calls.length === 0 ? undefined : (
        <ul class="totals">
          {tokenKinds.map(([kind, name]) => (
            <li>
              <span class={`key ${kind}`}>{name}</span> <b title={number(totals[kind])}>{short(totals[kind])}</b>
            </li>
          ))}
        </ul>
      )}
      {card.usage_source === undefined ? undefined : <p class="note">as told by {card.usage_source}</p>}
    </figure>
  )
}

const added = (calls: ReadonlyArray<Call>): Record<TokenKind, number> => {
  const sums = { cache_read: 0, cache_write: 0, input: 0, output: 0 }
  for (const call of calls) for (const [kind] of tokenKinds) sums[kind] += call[kind]
  return sums
}

const ToolTimes = ({ state }: { readonly state: SessionState }): VNode => {
  const { tools } = state.outline
  const [all, setAll] = useState(false)
  const longest = Math.max(1, ...tools.map((tool) => tool.duration_ms))
  const shown = all ? tools : tools.slice(0, 6)
  return (
    <figure class="chart">
      <figcaption>
        Time by tool <span class="quiet">{tools.length === 0 ? "no tool was called" : ""}</span>
      </figcaption>
      <ul class="bars">
        {shown.map((tool) => (
          <li>
            <span class="tool" title={plainText(tool.name)}>
              <Recorded text={tool.name} pattern={undefined} />
            </span>
            <span class="amount">
              <span style={{ width: `${(tool.duration_ms / longest) * 100}%` }} />
            </span>
            <span class="figures">
              {formatDuration(tool.duration_ms)}
              <span class="quiet">
                {" "}
                {number(tool.calls)}×{tool.errors > 0 ? `, ${number(tool.errors)} ✕` : ""}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {tools.length > 6 ? (
        <button type="button" class="quiet-button" onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show ${tools.length - 6} more`}
        </button>
      ) : undefined}
    </figure>
  )
}
