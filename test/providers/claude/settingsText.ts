import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const Handler = Schema.Union([
  Schema.Struct({ type: Schema.Literal("command"), command: Schema.Literals(["guard", "other hook claude", "a 'b'"]) }),
  Schema.Struct({ type: Schema.Literal("http"), url: Schema.String })
])
const Group = Schema.Union([
  Schema.Struct({ matcher: Schema.Literals(["", "Bash", "Edit|Write"]), hooks: Schema.Array(Handler) }),
  Schema.Struct({ hooks: Schema.Array(Handler) }),
  Schema.Null
])
const Hooks = Schema.Struct({
  Stop: Schema.optionalKey(Schema.Array(Group)),
  PreToolUse: Schema.optionalKey(Schema.Array(Group)),
  SessionEnd: Schema.optionalKey(Schema.Array(Group)),
  Unknown: Schema.optionalKey(Schema.Json)
})
const Settings = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  hooks: Schema.optionalKey(Hooks),
  permissions: Schema.optionalKey(Schema.Struct({ allow: Schema.Array(Schema.String) })),
  other: Schema.optionalKey(Schema.Json)
})

/** How the generated settings are written: `choices` are used up in turn, one for each gap between two tokens. */
const Manner = Schema.Struct({
  indent: Schema.Literals(["", "  ", "    ", "\t"]),
  lineBreak: Schema.Literals(["\n", "\r\n"]),
  mark: Schema.Literals(["", "\uFEFF"]),
  comments: Schema.Boolean,
  choices: Schema.NonEmptyArray(Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7]))
})

/** Settings in any manner of writing: with comments, trailing commas and white space in every place where JSON with comments has them. */
export const anySettingsText: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Settings), Arbitrary.schema(Manner)]),
  ([settings, manner]) => manner.mark + write(settings, manner)
)

const write = (settings: unknown, manner: typeof Manner.Type): string => {
  const { choices, comments, indent, lineBreak } = manner
  let turn = 0
  const next = () => choices[turn++ % choices.length] ?? 0
  const gap = (depth: number): string => {
    const line = lineBreak + indent.repeat(depth)
    const chosen = next()
    if (!comments && chosen > 4) return line
    return (
      ["", line, line, line, " ", ` // one ]},${line}`, `${line}/* two " */`, `${line}// three${line}`][chosen] ?? ""
    )
  }
  const list = (open: string, close: string, entries: ReadonlyArray<string>, depth: number): string => {
    const body = entries.map((entry) => gap(depth + 1) + entry).join(`${next() === 7 ? gap(depth + 1) : ""},`)
    const trailing = entries.length > 0 && comments && next() > 4 ? "," : ""
    return open + body + trailing + gap(depth) + close
  }
  const print = (value: unknown, depth: number): string => {
    if (Array.isArray(value))
      return list(
        "[",
        "]",
        value.map((item) => print(item, depth + 1)),
        depth
      )
    if (typeof value !== "object" || value === null) return JSON.stringify(value)
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}:${next() > 3 ? " " : ""}${print(member, depth + 1)}`
    )
    return list("{", "}", members, depth)
  }
  return gap(0) + print(settings, 0) + gap(0)
}
