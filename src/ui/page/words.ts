/** Time of day, as the person's clock has it. */
export const time = (timestamp: string): string => {
  const at = new Date(timestamp)
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString("en-GB")
}

/** Day and time, as the person's calendar and clock have them. */
export const date = (timestamp: string): string => {
  const at = new Date(timestamp)
  if (Number.isNaN(at.getTime())) return ""
  const two = (value: number) => String(value).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}
