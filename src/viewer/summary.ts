/** Where a tool's input says what the call is about, the most telling first. */
const tellingKeys = [
  "command",
  "cmd",
  "CommandLine",
  "file_path",
  "filePath",
  "pattern",
  "query",
  "Query",
  "path",
  "absolute_path",
  "AbsolutePath",
  "TargetFile",
  "dir_path",
  "DirectoryPath",
  "url",
  "Url",
  "description",
  "prompt",
  "message",
  "subject",
  "skill",
  "input",
  "text"
]

const longest = 180

/** A text in one line of bounded length. Cuts on a code point; what stands behind the cut is never looked at. */
export const oneLine = (text: string): string => {
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, " ")
    .trim()
  const points = [...line]
  return points.length <= longest ? line : `${points.slice(0, longest - 1).join("")}…`
}

/** What a tool call is about, in one line; paths below the project as a person there would write them. */
export const inputSummary = (input: unknown, projectRoot: string): string => {
  const text = tellingText(input, 3)
  const inside = projectRoot === "" || projectRoot === "/" ? text : text.replaceAll(`${projectRoot}/`, "")
  return oneLine(inside)
}

const tellingText = (input: unknown, depth: number): string => {
  if (typeof input === "string") return input.slice(0, 4_000)
  if (typeof input === "number" || typeof input === "boolean") return String(input)
  if (typeof input !== "object" || input === null || depth === 0) return ""
  if (Array.isArray(input)) {
    return input
      .slice(0, 8)
      .map((item) => tellingText(item, depth - 1))
      .filter((text) => text !== "")
      .join(" ")
  }
  const fields = input as Readonly<Record<string, unknown>>
  for (const key of tellingKeys) {
    const text = Object.hasOwn(fields, key) ? tellingText(fields[key], depth - 1) : ""
    if (text !== "") return text
  }
  for (const value of Object.values(fields).slice(0, 8)) {
    const text = tellingText(value, depth - 1)
    if (text !== "") return text
  }
  return ""
}
