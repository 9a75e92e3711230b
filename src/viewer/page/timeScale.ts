import { lastNotAbove } from "../../domain/lastNotAbove.ts"
import type { Entry } from "../document.ts"

/** A silence longer than this is drawn as long as this. */
const longestSilenceMs = 60_000

/** A scale of time in which long silences are short: milliseconds to 0..1, and the other way. */
export const timeScale = (entries: ReadonlyArray<Entry>) => {
  const times = [...new Set(entries.flatMap((entry) => [entry.at, entry.at + (entry.duration_ms ?? 0)]))].sort(
    (left, right) => left - right
  )
  const places: Array<number> = []
  let place = 0
  const breaks: Array<number> = []
  times.forEach((time, index) => {
    const silence = index === 0 ? 0 : time - (times[index - 1] ?? 0)
    if (silence > longestSilenceMs) breaks.push(place + longestSilenceMs / 2)
    place += Math.min(silence, longestSilenceMs)
    places.push(place)
  })
  const total = Math.max(1, place)
  return {
    place: (time: number) => (places[lastNotAbove(times, time)] ?? 0) / total,
    time: (where: number) => times[lastNotAbove(places, where * total)] ?? 0,
    breaks: breaks.map((one) => one / total)
  }
}
