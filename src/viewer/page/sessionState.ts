import { computed, effect, signal } from "@preact/signals"
import type { Entry, EntryKind, Outcome, SessionOutline } from "../document.ts"
import { eventReader } from "./blocks.ts"
import { patternOf } from "./pattern.ts"
import { searcher } from "./search.ts"

/** What is shown: a set that is empty chooses all. */
export interface Choice {
  readonly kinds: ReadonlySet<EntryKind>
  readonly tools: ReadonlySet<string>
  readonly outcomes: ReadonlySet<Outcome>
  /** Indexes of agents; -1 for the session itself. */
  readonly agents: ReadonlySet<number>
  readonly redacted: boolean
}
export const everything: Choice = {
  kinds: new Set(),
  tools: new Set(),
  outcomes: new Set(),
  agents: new Set(),
  redacted: false
}
const isEverything = (choice: Choice): boolean =>
  choice.kinds.size + choice.tools.size + choice.outcomes.size + choice.agents.size === 0 && !choice.redacted

const fits = (entry: Entry, choice: Choice): boolean =>
  (choice.kinds.size === 0 || choice.kinds.has(entry.kind)) &&
  (choice.tools.size === 0 || (entry.kind === "tool" && choice.tools.has(entry.name ?? ""))) &&
  (choice.outcomes.size === 0 || (entry.outcome !== undefined && choice.outcomes.has(entry.outcome))) &&
  (choice.agents.size === 0 || choice.agents.has(entry.agent ?? -1)) &&
  (!choice.redacted || entry.rules !== undefined)

/** A line of the list: the heading of a turn, or an entry by its index. */
export type Row = { readonly turn: number } | { readonly entry: number }

/** Everything that changes while somebody looks at a session. */
export const sessionState = (outline: SessionOutline) => {
  const { entries } = outline
  const events = eventReader(outline)
  const { search } = searcher(entries, events)

  const choice = signal<Choice>(everything)
  const query = signal("")
  const onlyMatches = signal(false)
  const matches = signal<ReadonlyArray<number>>([])
  const searching = signal(false)
  /** The entry that the keyboard is at. */
  const selected = signal<number | undefined>(undefined)
  const opened = signal<ReadonlySet<number>>(new Set())
  /** Entries that a person should be brought to; counted, so that the same one works twice. */
  const target = signal<{ readonly entry: number; readonly focus: boolean; readonly times: number } | undefined>(
    undefined
  )
  /** What is said aloud, and shown for a moment. */
  const notice = signal("")
  const printing = signal(false)
  const pattern = computed(() => patternOf(query.value))
  const matching = computed(() => new Set(matches.value))

  const rows = computed<ReadonlyArray<Row>>(() => {
    const only = onlyMatches.value && query.value !== "" ? matching.value : undefined
    const found: Array<Row> = []
    let turn = -1
    entries.forEach((entry, index) => {
      if (!fits(entry, choice.value) || (only !== undefined && !only.has(index))) return
      if (entry.turn !== undefined && entry.turn > turn) {
        turn = entry.turn
        found.push({ turn })
      }
      found.push({ entry: index })
    })
    return found
  })
  const rowOf = computed(() => {
    const positions = new Map<number, number>()
    rows.value.forEach((row, position) => {
      if ("entry" in row) positions.set(row.entry, position)
    })
    return positions
  })
  const shownMatches = computed(() => matches.value.filter((index) => rowOf.value.has(index)))

  effect(() => {
    const text = query.value
    searching.value = text !== ""
    search(text, (found, done) => {
      matches.value = found
      searching.value = !done
    })
  })

  const bySequence = computed(() => {
    const positions = new Map<number, number>()
    entries.forEach((entry, index) => {
      if (entry.end_sequence !== undefined) positions.set(entry.end_sequence, index)
      if (entry.sequence !== undefined) positions.set(entry.sequence, index)
    })
    return positions
  })

  const goTo = (entry: number, focus = true): void => {
    selected.value = entry
    target.value = { entry, focus, times: (target.peek()?.times ?? 0) + 1 }
  }
  const open = (entry: number): void => {
    if (!opened.peek().has(entry)) opened.value = new Set([...opened.peek(), entry])
  }
  return {
    outline,
    events,
    choice,
    query,
    onlyMatches,
    matches,
    shownMatches,
    searching,
    selected,
    opened,
    target,
    notice,
    printing,
    pattern,
    matching,
    rows,
    rowOf,
    isFiltered: computed(() => !isEverything(choice.value)),
    /** Shows an entry whatever the filters hide, and brings the person there. */
    show: (entry: number): void => {
      if (!rowOf.peek().has(entry)) {
        choice.value = everything
        onlyMatches.value = false
      }
      open(entry)
      goTo(entry)
    },
    goTo,
    open,
    toggle: (entry: number): void => {
      const next = new Set(opened.peek())
      if (!next.delete(entry)) next.add(entry)
      opened.value = next
    },
    /** The entry of an event, by its sequence. */
    entryOf: (sequence: number): number | undefined => bySequence.peek().get(sequence),
    /** To the neighbour of the selected entry; from none, to the one that is at the top of the window. */
    step: (by: 1 | -1, atTop: () => number | undefined): void => {
      const list = rows.peek()
      const from = selected.peek()
      let position = from === undefined ? undefined : rowOf.peek().get(from)
      if (position === undefined) {
        const first = atTop()
        if (first !== undefined) goTo(first)
        return
      }
      for (position += by; position >= 0 && position < list.length; position += by) {
        const row = list[position]
        if (row === undefined || !("entry" in row)) continue
        goTo(row.entry)
        return
      }
    },
    edge: (last: boolean): void => {
      const list = rows.peek().filter((row) => "entry" in row)
      const row = last ? list.at(-1) : list[0]
      if (row !== undefined) goTo(row.entry)
    },
    /** To the next match after the selected entry, round the end. Opens it. */
    nextMatch: (by: 1 | -1, focus = true): void => {
      const list = shownMatches.peek()
      if (list.length === 0) return
      const from = selected.peek() ?? -1
      const next = by === 1 ? list.find((index) => index > from) : list.findLast((index) => index < from)
      const entry = next ?? (by === 1 ? list[0] : list.at(-1))
      if (entry === undefined) return
      open(entry)
      goTo(entry, focus)
    },
    /** To the next call that did not succeed. */
    nextFailure: (): void => {
      const list = rows.peek().flatMap((row) => ("entry" in row ? [row.entry] : []))
      const isFailure = (index: number) => !["succeeded", undefined].includes(entries[index]?.outcome)
      const from = selected.peek() ?? -1
      const next = list.find((index) => index > from && isFailure(index)) ?? list.find(isFailure)
      if (next !== undefined) goTo(next)
    }
  }
}
export type SessionState = ReturnType<typeof sessionState>
