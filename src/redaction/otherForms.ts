import { isLetter } from "./behindNames.ts"
import { digits, isIn, word } from "./characterClasses.ts"
import { isBlank, isQuote, isSpace, quoteAt, skipBlanks } from "./quoting.ts"

/**
 * Forms that a name and its value take besides `name: value` and its kin. Each is told by what stands right behind the name, so that the patterns
 * are compiled for the few texts that have such a form.
 */

/** Where a value begins, and what its place says about it: `told` may be any word of a text, so the value must show that it is none. */
export interface Place {
  readonly at: number
  readonly setting: "quoted" | "line" | "bare" | "told"
}

const q = "(?=\\\\{0,15}[\"'`])"

/** Behind the closing quote of a name. */
const makeBehindQuoted = (): ReadonlyArray<readonly [RegExp, Place["setting"]]> => [
  // "name" to "value", "name" "value", ["name"] || "value", getenv("name") or "value"
  [new RegExp(`[\\])]{0,2}[ \\t]{0,4}(?:to|\\|\\||\\?\\?|or)[ \\t]{1,4}${q}|[ \\t]{1,8}${q}`, "y"), "quoted"],
  // ["name"]=> string(8) "value", s:4:"name";s:8:"value"
  [/\]=>\s{0,40}string\(\d{1,5}\) (?=")|;s:\d{1,5}:(?=\\{0,7}")/y, "quoted"],
  // "name": { "type": "string", "value": "value" }
  [/[ \t]{0,4}:\s{0,8}\{[^{}]{0,200}?"(?:value|Value|default)\\{0,7}"\s{0,4}:\s{0,4}(?=\\{0,7}")/y, "quoted"],
  // "Name": "…/name", "Type": "SecureString", "Value": "value"
  [/,(?:\s{0,40}"\w{1,24}"\s?:\s?(?:"[^"\n]{0,80}"|[\w.-]{1,24}),){1,2}\s{0,40}"[Vv]alue"\s?:\s?(?=")/y, "quoted"],
  // ("--name", default="value")
  [new RegExp(`,[^()\\n]{0,160}?\\bdefault[ \\t]?[=:][ \\t]?${q}`, "y"), "quoted"],
  // Content-Disposition: form-data; name="name", a line without text, the value
  [/(?:;[^\r\n"]{0,80}"[^\r\n"]{0,120}")?(?:\r?\n(?:Content-[^\r\n]{0,120}\r?\n)?\r?\n|\\r\\n\\r\\n)/y, "line"]
]

/** Behind a name without quotes. */
const makeBehindBare = (): ReadonlyArray<readonly [RegExp, Place["setting"]]> => [
  // env.NAME || "value", name == "value", name[] = "value", name{"value"}, name { get; set; } = "value", (name) == "value"
  [
    new RegExp(
      `(?:\\)?[ \\t]{0,4}(?:\\|\\||\\?\\?|[!=]={1,2}|or(?= ))[ \\t]{0,4}|\\[\\d{0,5}\\][ \\t]{0,8}=[ \\t]{0,4}|\\{[ \\t]?|[ \\t]{0,4}\\{[^{}\\n"']{0,48}\\}[ \\t]{0,4}=[ \\t]{0,4})${q}`,
      "y"
    ),
    "quoted"
  ],
  // name: ("value"), name = (↵ "value")
  [new RegExp(`[ \\t]{0,8}[:=][ \\t]{0,4}\\(\\s{0,40}${q}`, "y"), "quoted"],
  // [name] => value, [name]="value"
  [/\](?: => |=)(?=\S)/y, "line"],
  // {name, "value"}
  [new RegExp(`,[ \\t]?${q}`, "y"), "line"],
  // **name:** value, **name**: value, <b>name:</b> value
  [/(?:\*\*|__|<\/\w{1,8}>)[ \t]?[:=][ \t]{0,4}|[:=](?:\*\*|__|<\/\w{1,8}>)[ \t]{0,4}/y, "bare"],
  // <dt>name</dt><dd><code>value, <name>…</name> <value>
  [
    /:?(?:<\/[\w.:-]{1,40}>\s{0,40}){1,2}<[\w.:-]{1,40}>(?:<(?:code|b|strong|em|span|pre|tt|kbd)\b[^<>]{0,60}>)?/y,
    "told"
  ],
  // name provided: value
  [/ (?:provided|supplied|given|received|used|found|entered)\b[ \t]?:?[ \t]{0,4}/y, "told"],
  // | name | value |
  [/[ \t]{0,60}[|│┃][ \t]{1,8}/y, "told"],
  // name 'value', name 0 value, name value
  [/[ \t]{1,40}(?:\d )?/y, "told"]
]

const idleNames: ReadonlySet<string> = new Set(["bearer", "pass", "passes"])
const isIdle = (name: string): boolean => idleNames.has(name.toLowerCase()) || /psk$/i.test(name)

let behindQuoted: ReturnType<typeof makeBehindQuoted> | undefined
let behindBare: ReturnType<typeof makeBehindBare> | undefined

const openings = " \t|?!=[{]:*_<),│┃"

/** Whether one of these forms may begin behind the name that ends at `end`. */
export const mayTakeOtherForm = (text: string, end: number): boolean => {
  const code = text.charCodeAt(end)
  if (isQuote(code) || code === 92) return true
  if (code === 10 || code === 13 || end === text.length)
    return /\b(?:name|key): \S{1,96}$/.test(text.slice(Math.max(0, end - 104), end))
  if (!openings.includes(text.charAt(end) || "\n")) return false
  // A blank stands behind most names: a word of letters alone is no value, and begins no form but these.
  if (!isBlank(code)) return true
  const at = skipBlanks(text, end)
  if (!isLetter(text.charCodeAt(at))) return !isSpace(text.charCodeAt(at))
  let last = at
  while (isLetter(text.charCodeAt(last))) last++
  return (
    isIn(text.charCodeAt(last), word) ||
    "-!@#$%^&*+=:/".includes(text.charAt(last) || " ") ||
    text.startsWith("or ", at)
  )
}

const firstMatch = (
  forms: ReadonlyArray<readonly [RegExp, Place["setting"]]>,
  text: string,
  at: number
): Place | undefined => {
  for (const [pattern, setting] of forms) {
    pattern.lastIndex = at
    const hit = pattern.exec(text)
    if (hit !== null) return { at: at + hit[0].length, setting }
  }
  return undefined
}

/** The place of the value that belongs to the name between `start` and `end`, if it is written in one of these forms. */
export const otherForm = (text: string, start: number, end: number): Place | undefined => {
  const closing = quoteAt(text, end)
  if (closing !== undefined) {
    behindQuoted ??= makeBehindQuoted()
    const found = firstMatch(behindQuoted, text, closing.after)
    if (
      found?.setting === "line" &&
      !/form-data;[^\r\n]{0,80}name=\\?$/.test(text.slice(Math.max(0, start - 120), start - 1 - closing.depth))
    )
      return undefined
    return found
  }
  behindBare ??= makeBehindBare()
  const before = text.charCodeAt(start - 1)
  const found = firstMatch(behindBare, text, end)
  if (found === undefined) return undefined
  // Clojure and Erlang: :name "value"
  if (found.setting === "told" && before === 58 && isQuote(text.charCodeAt(found.at)))
    return { at: found.at, setting: "quoted" }
  if (found.setting === "line" && before !== (text.charCodeAt(end) === 93 ? 91 : 123)) return undefined
  // A scheme that has its own recogniser, and what tests and people do.
  return found.setting === "told" && isIdle(text.slice(start, end)) ? undefined : found
}

const wrappers: ReadonlySet<string> = new Set(
  "Some Just Ok String from of make new str bytes SecretStr SecretString Secret SecretBox SecureString Field StringValue Redacted Password Token ApiKey Optional Value Buffer ptr".split(
    " "
  )
)

/** Behind the parenthesis of `Some(`, `String::from(`, `SecretStr(`, `Field(default=`, when a quote follows; `at` otherwise. */
export const insideWrapper = (text: string, at: number): number => {
  let from = at
  for (let depth = 0; depth < 3; depth++) {
    let end = from
    let wordStart = from
    for (let code = text.charCodeAt(end); end - from < 48; code = text.charCodeAt(++end)) {
      if (isIn(code, word)) continue
      if (code !== 46 && code !== 58 && code !== 32 && code !== 38) break
      wordStart = end + 1
    }
    if (text.charCodeAt(end) !== 40 || !wrappers.has(text.slice(wordStart, end))) return at
    from = end + 1
    while (from - end < 40 && isSpace(text.charCodeAt(from))) from++
    if (text.startsWith("default=", from)) from += 8
    if (quoteAt(text, from) !== undefined && !isIn(text.charCodeAt(from), digits)) return from
  }
  return at
}
