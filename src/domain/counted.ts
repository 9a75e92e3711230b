/** `1 event`, `1,214 events`, `3 memories`. `plural` is for a noun that takes more than an s. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`

/** `event 3 is`, `events 3 to 5 are`: the events between two sequences, both included, and a verb that goes with them. */
export const eventRange = (from: number, to: number, [one, several]: readonly [string, string]): string =>
  from === to ? `event ${from} ${one}` : `events ${from} to ${to} ${several}`
