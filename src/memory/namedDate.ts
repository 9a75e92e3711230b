const months = "january february march april may june july august september october november december".split(" ")
const monthName = `(${months.map((month) => `${month}|${month.slice(0, 3)}`).join("|")})`
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthName}\\b\\.?(?:,? ?(\\d{4}))?`)
const monthFirst = new RegExp(`\\b${monthName}\\b\\.?(?: (\\d{1,2})(?:st|nd|rd|th)?\\b)?(?:,? ?(\\d{4}))?`)
const numeric = /\b(20\d\d)-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?\b/
const onlyYear = /\b(?:in|of|since|during) (20\d\d)\b/

/** A day, a month or a year that a question names. */
export interface NamedDate {
  readonly year: number | undefined
  /** 1 to 12. */
  readonly month: number | undefined
  readonly day: number | undefined
}

/** The first date that a question names: `2026-11-30`, `30 November`, `Nov 30, 2026`, `in May`. */
export const namedDate = (question: string): NamedDate | undefined => {
  const text = question.toLowerCase()
  const iso = numeric.exec(text)
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: number(iso[3]) }
  const first = dayFirst.exec(text)
  if (first !== null) return { day: Number(first[1]), month: monthOf(first[2]), year: number(first[3]) }
  const named = monthFirst.exec(text)
  // `may` and `march` are words too, and a month only beside a number or after `in`.
  if (named !== null && (named[2] !== undefined || named[3] !== undefined || isPlainlyMonth(text, named))) {
    return { month: monthOf(named[1]), day: number(named[2]), year: number(named[3]) }
  }
  const year = onlyYear.exec(text)?.[1]
  return year === undefined ? undefined : { year: Number(year), month: undefined, day: undefined }
}

const isPlainlyMonth = (text: string, { index, 1: name = "" }: RegExpExecArray): boolean =>
  (name.length > 3 && name !== "march") || /\b(in|last|since|of|during)\s+$/.test(text.slice(0, index))

const monthOf = (name: string | undefined): number => months.findIndex((month) => month.startsWith(name ?? "-")) + 1
const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

const dayMs = 24 * 60 * 60 * 1000

/**
 * How well a session's date fits: 1 on the day or in the month, falling over the two weeks after it, for things are talked about when they have
 * happened. 0 for what lies before or far behind.
 *
 * @param began RFC 3339
 */
export const dateFit = (asked: NamedDate, began: string): number => {
  const [year = 0, month = 0, day = 0] = began.slice(0, 10).split("-").map(Number)
  if (asked.month === undefined) return asked.year === year ? 0.2 : 0
  if (asked.year !== undefined && asked.year !== year && asked.day === undefined) return 0
  if (asked.day === undefined) {
    const later = asked.year === undefined ? (month - asked.month + 12) % 12 : month - asked.month
    return later === 0 ? 1 : later === 1 ? 0.4 : 0
  }
  const days = (Date.UTC(year, month - 1, day) - Date.UTC(asked.year ?? year, asked.month - 1, asked.day)) / dayMs
  if (days < 0 || days > 31) return 0
  return days <= 14 ? 1 - (0.7 * days) / 14 : 0.2
}
