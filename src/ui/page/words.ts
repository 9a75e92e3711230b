/** Text from outside, without what would turn the direction of what stands around it, or cannot be seen. */
export const shown = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "\ufffd")

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
