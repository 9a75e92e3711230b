import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import type { Entry, EntryKind, Outcome } from "../document.ts"
import { type Choice, everything, type SessionState } from "./sessionState.ts"
import { Recorded } from "./Text.tsx"
import { kindTitles, number, outcomeTitles } from "./words.ts"

const countBy = <K,>(
  entries: ReadonlyArray<Entry>,
  keyOf: (entry: Entry) => K | undefined
): ReadonlyArray<readonly [K, number]> => {
  const counts = new Map<K, number>()
  for (const entry of entries) {
    const key = keyOf(entry)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].sort(([, left], [, right]) => right - left)
}

const kindOrder = Object.keys(kindTitles) as ReadonlyArray<EntryKind>
const outcomeOrder = Object.keys(outcomeTitles) as ReadonlyArray<Outcome>
const inOrder = <K,>(found: ReadonlyArray<readonly [K, number]>, order: ReadonlyArray<K>) =>
  [...found].sort(([left], [right]) => order.indexOf(left) - order.indexOf(right))

/** What to show: each group is a set of choices; none chosen is all. */
export const Filters = ({ state }: { readonly state: SessionState }): VNode => {
  const { entries, agents } = state.outline
  const found = useMemo(
    () => ({
      kinds: inOrder(
        countBy(entries, (entry) => entry.kind),
        kindOrder
      ),
      tools: countBy(entries, (entry) => (entry.kind === "tool" ? (entry.name ?? "") : undefined)),
      outcomes: inOrder(
        countBy(entries, (entry) => entry.outcome),
        outcomeOrder
      ),
      agents: countBy(entries, (entry) => entry.agent ?? -1),
      redacted: entries.filter((entry) => entry.rules !== undefined).length
    }),
    [entries]
  )
  const choice = state.choice.value
  const change = (next: Partial<Choice>) => {
    state.choice.value = { ...choice, ...next }
  }
  return (
    <div class="filters">
      <p class="shown" role="status">
        {number(state.rowOf.value.size)} of {number(entries.length)} entries
        {state.isFiltered.value ? (
          <button type="button" class="quiet-button" onClick={() => change(everything)}>
            Show all
          </button>
        ) : undefined}
      </p>
      <Group
        title="Kind"
        options={found.kinds.map(([kind, count]) => ({ value: kind, title: kindTitles[kind], count }))}
        chosen={choice.kinds}
        change={(kinds) => change({ kinds })}
      />
      <Group
        title="Outcome"
        options={found.outcomes.map(([outcome, count]) => ({ value: outcome, title: outcomeTitles[outcome], count }))}
        chosen={choice.outcomes}
        change={(outcomes) => change({ outcomes })}
      />
      <Group
        title="Tool"
        options={found.tools.map(([name, count]) => ({ value: name, title: name, count }))}
        chosen={choice.tools}
        change={(tools) => change({ tools })}
      />
      {agents.length === 0 ? undefined : (
        <Group
          title="Agent"
          options={found.agents.map(([index, count]) => ({
            value: index,
            title: index < 0 ? "the session itself" : `${agents[index]?.type ?? "subagent"} ${index + 1}`,
            count
          }))}
          chosen={choice.agents}
          change={(chosen) => change({ agents: chosen })}
        />
      )}
      {found.redacted === 0 ? undefined : (
        <fieldset>
          <legend>Marks</legend>
          <label>
            <input
              type="checkbox"
              checked={choice.redacted}
              onChange={(event) => change({ redacted: event.currentTarget.checked })}
            />
            <span>with redactions</span>
            <span class="count">{number(found.redacted)}</span>
          </label>
        </fieldset>
      )}
    </div>
  )
}

/** A session with more tools or agents than this has them in the search. */
const mostOptions = 60

const Group = <K,>(props: {
  readonly title: string
  readonly options: ReadonlyArray<{ readonly value: K; readonly title: string; readonly count: number }>
  readonly chosen: ReadonlySet<K>
  readonly change: (chosen: ReadonlySet<K>) => void
}): VNode | undefined => {
  if (props.options.length < 2) return undefined
  const toggle = (value: K) => {
    const next = new Set(props.chosen)
    if (!next.delete(value)) next.add(value)
    props.change(next)
  }
  return (
    <fieldset>
      <legend>{props.title}</legend>
      {props.options.slice(0, mostOptions).map(({ value, title, count }) => (
        <label>
          <input type="checkbox" checked={props.chosen.has(value)} onChange={() => toggle(value)} />
          <span>
            <Recorded text={title} pattern={undefined} />
          </span>
          <span class="count">{number(count)}</span>
        </label>
      ))}
      {props.options.length > mostOptions ? (
        <p class="quiet">{number(props.options.length - mostOptions)} more: search for them</p>
      ) : undefined}
    </fieldset>
  )
}
