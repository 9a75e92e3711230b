import type { Entry } from "../document.ts"
import type { EventReader } from "./blocks.ts"
import { patternOf } from "./pattern.ts"
import { entryTitle } from "./words.ts"

const sliceMs = 10

/** Finds texts in the entries of a session. The texts of an entry are put together when it is first searched. */
export const searcher = (entries: ReadonlyArray<Entry>, events: EventReader) => {
  const texts: Array<string | undefined> = []
  const textOf = (index: number): string => {
    const known = texts[index]
    if (known !== undefined) return known
    const entry = entries[index]
    const parts: Array<string> = entry === undefined ? [] : [entryTitle(entry), entry.summary ?? ""]
    for (const { payload, provider_ids } of events(index)) {
      collect(payload, parts)
      collect(provider_ids, parts)
    }
    const text = parts.join("\n")
    texts[index] = text
    return text
  }
  let running = 0
  return {
    /**
     * Tells the entries in which a text is, in pieces so that the page stays alive, until all were searched or another search begins. An empty
     * text is found nowhere.
     */
    search: (query: string, tell: (found: ReadonlyArray<number>, done: boolean) => void): void => {
      const mine = ++running
      const pattern = patternOf(query)
      if (pattern === undefined) {
        tell([], true)
        return
      }
      const found: Array<number> = []
      let next = 0
      const step = () => {
        if (mine !== running) return
        const until = performance.now() + sliceMs
        while (next < entries.length && performance.now() < until) {
          pattern.lastIndex = 0
          if (pattern.test(textOf(next))) found.push(next)
          next++
        }
        tell([...found], next >= entries.length)
        if (next < entries.length) setTimeout(step, 0)
      }
      step()
    }
  }
}

const collect = (value: unknown, parts: Array<string>): void => {
  if (typeof value === "string") parts.push(value)
  else if (typeof value === "number" || typeof value === "boolean") parts.push(String(value))
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) parts.push(key)
      collect(item, parts)
    }
  }
}
