import { isLetter } from "./behindNames.ts"
import { digits, isIn, urldot, word } from "./characterClasses.ts"
import { isBlank, isQuote, isSpace, quoteAt, skipBlanks } from "./quoting.ts"
import { words } from "./words.ts"

// Forms that a name and its value take besides `name: value` and its kin. Each is told by what stands right behind the name: first by hand, because most
// names have nothing of the kind, then by a pattern that is compiled when the first such name is met.

/** Where a value begins, and what its place says about it. `told`: any word may stand there, so the value must show that it is none. */
export interface Place {
  readonly at: number
  readonly setting: "quoted" | "line" | "bare" | "told"
}

interface Form {
  /** The characters it may begin with. */
  readonly opens: string
  /** What it begins with, where most that opens like that is something else: its pattern need not be compiled then. */
  readonly begins?: ReadonlyArray<string>
  readonly pattern: string
  readonly setting: Place["setting"]
  compiled?: RegExp
}

/** Methods that enter a text into a field, with the quote that opens it. */
const entering =
  "(?:perform\\()?(?:send_keys|[sS]endKeys|[fF]ill(?:Async)?|[tT]ype(?:Async)?|typeText|replaceText|val|set|setValue|addValue|pressSequentially|enter|input)[( ]\\(?(?=\\\\{0,15}[\"'`])"
const quote = "(?=\\\\{0,15}[\"'`])"

const makeBehindQuoted = (): ReadonlyArray<Form> => [
  // "name" to "value", "name" with "value", "name" "value", ["name"] "value", ["name"] || "value", getenv("name") or "value"
  {
    opens: " \t])",
    pattern: `[\\])]{0,2}[ \\t]{0,4}(?:to|with|is|\\|\\||\\?\\?|\\?:|or)[ \\t]{1,4}${quote}|\\]?[ \\t]{1,8}(?:\\. )?${quote}`,
    setting: "quoted"
  },
  // find("name").fill("value"), var("name").unwrap_or("value"), fetch("name") { "value" }
  {
    opens: ")]",
    pattern: `[\\])]{1,3}\\.${entering}|\\)\\.(?:unwrap_or|orElse|getOrElse)\\(${quote}|\\)?, \\{ ?target: \\{ ?value: ${quote}|\\) ?\\{ ?${quote}|\\), ?${quote}`,
    setting: "quoted"
  },
  // [name="name"]').fill("value")
  {
    opens: "]",
    pattern: `\\]\\\\{0,7}["'\`]\\)\\.${entering}`,
    setting: "quoted"
  },
  // getByRole("textbox", { name: "name" }).fill("value")
  {
    opens: " },",
    begins: [" })", "})", ", exact"],
    pattern: `(?:, exact: true)? ?\\}\\)\\.${entering}`,
    setting: "quoted"
  },
  // $eval("#name", el => el.value = "value")
  { opens: ",", pattern: `, \\(?\\w{1,20}\\)? => \\(?\\w{1,20}\\.value ?= ?${quote}`, setting: "quoted" },
  // textbox "name" [active] [ref=e12]: value
  { opens: " ", begins: [" ["], pattern: "(?: \\[[\\w= -]{1,32}\\]){1,6}: (?=\\S)", setting: "bare" },
  // | `name` | `value` |
  { opens: " \t|", pattern: "[ \\t]{0,60}[|│][ \\t]{1,8}(?:`(?=[^`\\n]{1,400}`))?", setting: "told" },
  // ["name"]=> string(8) "value", s:4:"name";s:8:"value"
  { opens: "];", pattern: '\\]=>\\s{0,40}string\\(\\d{1,5}\\) (?=")|;s:\\d{1,5}:(?=\\\\{0,7}")', setting: "quoted" },
  // "name": { "type": "string", "value": "value" }
  {
    opens: ": \t",
    pattern:
      '[ \\t]{0,4}:\\s{0,8}\\{[^{}]{0,200}?"(?:value|Value|default|stringValue|S)\\\\{0,7}"\\s{0,4}:\\s{0,4}(?=\\\\{0,7}")',
    setting: "quoted"
  },
  // "Name": "…/name", "Type": "SecureString", "Value": "value"
  {
    opens: ",",
    pattern:
      ',(?:\\s{0,40}"\\w{1,24}"\\s?:\\s?(?:"[^"\\n]{0,80}"|[\\w.-]{1,24}),){1,2}\\s{0,40}"[Vv]alue"\\s?:\\s?(?=")',
    setting: "quoted"
  },
  // 3) "name"↵4) "value"
  { opens: "\n", pattern: `(?<=\\d\\) "[\\w-]{1,64}")\\n[ ]{0,6}\\d{1,4}\\) ${quote}`, setting: "quoted" },
  // 'name', with: "value"
  { opens: ",", pattern: `, with: ${quote}`, setting: "quoted" },
  // ("--name", default="value")
  { opens: ",", pattern: `,[^()\\n]{0,160}?\\bdefault[ \\t]?[=:][ \\t]?${quote}`, setting: "quoted" },
  // Content-Disposition: form-data; name="name", a line without text, the value
  {
    opens: ";\r\n\\",
    pattern:
      '(?:;[^\\r\\n"]{0,80}"[^\\r\\n"]{0,120}")?(?:\\r?\\n(?:Content-[^\\r\\n]{0,120}\\r?\\n)?\\r?\\n|\\\\r\\\\n\\\\r\\\\n)',
    setting: "line"
  }
]

const makeBehindBare = (): ReadonlyArray<Form> => [
  // env.NAME || "value", name == "value", name[] = "value", name{"value"}, name { get; set; } = "value", (name) == "value"
  {
    opens: " \t|?!=)[{}",
    pattern: `(?:[)}]?[ \\t]{0,4}(?:\\|\\||\\?\\?|\\?:|[!=]={1,2}|or(?= ))[ \\t]{0,4}(?:[bBfFrRuU]{1,2}(?=["']))?|\\[\\d{0,5}\\][ \\t]{0,8}=[ \\t]{0,4}|[ \\t]?\\{[ \\t]?|[ \\t]{0,4}\\{[^{}\\n"']{0,48}\\}[ \\t]{0,4}=[ \\t]{0,4})${quote}`,
    setting: "quoted"
  },
  // expect(name).toBe("value"), equal(name, "value"), onView(id(name)).perform(typeText("value"))
  {
    opens: "),",
    pattern: `\\){2,3}\\.${entering}|\\)\\.(?:toBe|toEqual|toStrictEqual|equals|isEqualTo|to\\.equal)\\(${quote}|,[ ]?${quote}(?<=(?:equal|Equal|equals|Equals|eq|set|Set|put)\\([\\w.]{1,80}, ?)`,
    setting: "quoted"
  },
  // getByLabelText(/name/i), "value"
  { opens: "/", pattern: `/[a-z]{0,2}\\)(?:, ?${quote}|\\.${entering})`, setting: "quoted" },
  // name: ("value"), name = (↵ "value")
  { opens: ":= \t", pattern: `[ \\t]{0,8}[:=][ \\t]{0,4}\\(\\s{0,40}${quote}`, setting: "quoted" },
  // [name=name]').fill("value")
  {
    opens: "]",
    pattern: `\\]\\\\{0,7}["'\`]\\)\\.${entering}`,
    setting: "quoted"
  },
  // name:↵ Type: String↵ Default: value, name:↵ type: string↵ example: value
  {
    opens: ":",
    pattern: ":[ \\t]{0,8}\\r?\\n([ \\t]{1,40})(?:\\w{1,40}:[^\\n]{0,160}\\n\\1){0,5}?(?:[Dd]efault|example): (?=\\S)",
    setting: "bare"
  },
  // [name] => value, [name]="value"
  { opens: "]", pattern: "\\](?: => |=)(?=\\S)", setting: "line" },
  // {name, "value"}, {name, <<"value">>}
  { opens: ",", pattern: `,[ \\t]?(?:<<)?${quote}`, setting: "line" },
  // **name:** value, **name**: value, <b>name:</b> value
  {
    opens: "*_<:=",
    pattern: "(?:\\*\\*?|__?|</\\w{1,8}>)[ \\t]?[:=][ \\t]{0,4}|[:=](?:\\*\\*?|__?|</\\w{1,8}>)[ \\t]{0,4}",
    setting: "bare"
  },
  // <dt>name</dt><dd><code>value, <name>…</name> <value>
  {
    opens: "<:",
    pattern:
      ":?(?:</[\\w.:-]{1,40}>\\s{0,40}){1,2}<[\\w.:-]{1,40}>(?:<(?:code|b|strong|em|span|pre|tt|kbd)\\b[^<>]{0,60}>)?",
    setting: "told"
  },
  // --name name --value value
  {
    opens: " ",
    pattern: " (?:--[\\w-]{1,24}(?:[ =](?!-)\\S{1,40})? ){0,4}--(?:value|body|data|string-value|secret-string)[ =]",
    setting: "bare"
  },
  // name provided: value
  {
    opens: " ",
    pattern: " (?:provided|supplied|given|received|used|found|entered)\\b[ \\t]?:?[ \\t]{0,4}",
    setting: "told"
  },
  // | name | value |, name 'value', name value; and with a word that leaves less doubt: name 0 value, name ascii-text value, name /t REG_SZ /d value, name REG_SZ value
  {
    opens: " \t|│┃",
    pattern:
      "[ \\t]{0,60}[|│┃][ \\t]{1,8}|[ \\t]{1,40}(?:\\.{3,40} |-{1,8} {1,8}|(?:\\[[^\\]\\n]{0,24}\\]|\\([^()\\n]{0,40}\\)) ?(?:[:›…]|is) |[›…] )?(?:\\d |ENC |ascii-text |-(?:[vV]alue|string) |(?:/t \\w{1,20} )?/d |REG_\\w{2,10} {1,8})?",
    setting: "told"
  }
]

let behindQuoted: ReadonlyArray<Form> | undefined
let behindBare: ReadonlyArray<Form> | undefined

const alternatives = ["to ", "with ", "is ", "or ", "|| ", "?? ", "?: "]
const beginsAlternative = (text: string, at: number): boolean => alternatives.some((sign) => text.startsWith(sign, at))

/** What begins the forms behind the parenthesis of a call: a blank, a block, a method that is given a value. */
const behindCall = [
  " ",
  ") ",
  "{",
  ",",
  ".send",
  ".fi",
  ".Fi",
  ".Se",
  ".ty",
  ".Ty",
  ".val",
  ".se",
  ".ad",
  ".pr",
  ".en",
  ".in",
  ".un",
  ".or",
  ".getOr",
  ").",
  "))",
  ", {"
]

/** Whether one of the forms behind a closing quote may begin at `at`. */
const mayFollowQuote = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  if (isBlank(code)) {
    const next = skipBlanks(text, at)
    const sign = text.charCodeAt(next)
    return (
      isQuote(sign) ||
      sign === 92 ||
      sign === 124 ||
      sign === 46 ||
      sign === 91 ||
      (sign === 125 && text.startsWith(").", next + 1)) ||
      beginsAlternative(text, next) ||
      (sign === 58 && isNested(text, next))
    )
  }
  if (code === 124 || (code === 93 && closesSelector(text, at))) return true
  if (code === 93 || code === 41)
    return text.startsWith("]=>", at) || behindCall.some((sign) => text.startsWith(sign, at + 1))
  if (code === 58) return isNested(text, at)
  if (code === 44) {
    const near = text.slice(at, at + 200)
    return (
      near.includes("default") ||
      near.includes('alue"') ||
      near.includes(".value") ||
      near.startsWith(", with: ") ||
      near.startsWith(", exact: ")
    )
  }
  return (
    (code === 59 && (text.startsWith(";s:", at) || text.startsWith("; filename", at))) ||
    text.startsWith("\r\n", at) ||
    (code === 10 && isNumbered(text, at + 1)) ||
    text.startsWith("\n\n", at) ||
    text.startsWith("\\r\\n\\r\\n", at)
  )
}

/** `]').`: the end of a selector in a call, and a method of what was selected. */
const closesSelector = (text: string, at: number): boolean => {
  const closing = quoteAt(text, at + 1)
  return closing !== undefined && text.startsWith(").", closing.after)
}

/** Whether the colon at `at` ends its line, and a list stands in the lines below, or the default of a parameter. */
const opensBlock = (text: string, at: number): boolean => {
  const end = skipBlanks(text, at + 1)
  const next = text.charCodeAt(end)
  if (next !== 10 && next !== 13) return false
  const below = next === 13 ? end + 2 : end + 1
  return (
    text.startsWith("- ", skipBlanks(text, below)) ||
    isFieldBelow(text, below) ||
    text.slice(at, at + 400).includes("efault: ")
  )
}

/** Whether a name and a colon stand in the line at `below`, behind blanks. */
const isFieldBelow = (text: string, below: number): boolean => {
  let at = skipBlanks(text, below)
  if (at === below) return false
  while (isIn(text.charCodeAt(at), urldot)) at++
  return text.startsWith(": ", at)
}

/** Whether a number and a parenthesis stand at `at`, behind blanks. */
const isNumbered = (text: string, at: number): boolean => {
  let end = skipBlanks(text, at)
  while (isIn(text.charCodeAt(end), digits)) end++
  return text.startsWith(") ", end) && isIn(text.charCodeAt(end - 1), digits)
}

/** Whether an object is the value behind the colon at `at`. */
const isNested = (text: string, at: number): boolean => {
  let next = at + 1
  while (next - at < 9 && isSpace(text.charCodeAt(next))) next++
  return text.charCodeAt(next) === 123
}

const tellingEnds = "-!@#$%^&*+=:/"

/** Whether an operator stands at `at` that gives another value or compares: `||`, `??`, `==`, `!=`, `or`. */
const isOperator = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  return (
    ((code === 124 || code === 63) && (next === code || next === 58)) ||
    ((code === 61 || code === 33) && next === 61) ||
    text.startsWith("or ", at)
  )
}

/** Whether braces that close on the same line stand at `at`, with an equals sign behind them. */
const isAccessors = (text: string, at: number): boolean => {
  const close = text.slice(at, at + 50).indexOf("}")
  return close !== -1 && text.charCodeAt(skipBlanks(text, at + close + 1)) === 61
}

/** Whether a parenthesis and a quote stand behind the blanks at `at`. */
const opensParenthesis = (text: string, at: number): boolean => {
  let next = skipBlanks(text, at)
  if (text.charCodeAt(next) !== 40) return false
  next++
  while (next - at < 48 && isSpace(text.charCodeAt(next))) next++
  return isQuote(text.charCodeAt(next))
}

/** Whether one of these forms may begin behind the blanks at `end`: a word of letters alone is no value, and begins no form but these. */
const mayFollowBlank = (text: string, end: number): boolean => {
  const at = skipBlanks(text, end)
  const code = text.charCodeAt(at)
  if (isLetter(code)) {
    let last = at
    while (isLetter(text.charCodeAt(last))) last++
    const next = text.charAt(last)
    return (
      isIn(text.charCodeAt(last), word) ||
      (next !== "" && tellingEnds.includes(next)) ||
      text.startsWith("or ", at) ||
      text.startsWith("ENC ", at) ||
      text.startsWith("provided", at)
    )
  }
  if (isOperator(text, at) || (code === 47 && (text.startsWith("/d ", at) || text.startsWith("/t ", at)))) return true
  if (code === 123) return isAccessors(text, at) || isQuote(text.charCodeAt(skipBlanks(text, at + 1)))
  if (code === 61 || code === 58) return opensParenthesis(text, at + 1) || isNested(text, at)
  return code > 127
    ? code === 0x2502 || code === 0x2503 || code === 0x203a || code === 0x2026
    : isQuote(code) ||
        isIn(code, word) ||
        code === 124 ||
        code === 45 ||
        code === 91 ||
        (code === 40 && /\) ?(?::|is )/.test(text.slice(at, at + 48))) ||
        text.startsWith("...", at)
}

/** Whether one of these forms may begin behind the name that ends at `end`. */
export const mayTakeOtherForm = (text: string, end: number): boolean => {
  const code = text.charCodeAt(end)
  if (isBlank(code)) return mayFollowBlank(text, end)
  if (isQuote(code) || code === 92) {
    const closing = quoteAt(text, end)
    return closing !== undefined && (mayFollowQuote(text, closing.after) || mayFollowValue(text, end))
  }
  switch (code) {
    // :** and :</ and :( and ==
    case 58:
    case 61:
      if (opensBlock(text, end) || isNested(text, end)) return true
      return "*_<".includes(text.charAt(end + 1) || " ") || isOperator(text, end) || opensParenthesis(text, end + 1)
    case 93:
      return text.startsWith("]=", end) || text.startsWith("] =>", end) || closesSelector(text, end)
    // name[], name{"value"}, {name, "value"}
    case 91:
      return text.charCodeAt(end + 1) === 93 || isIn(text.charCodeAt(end + 1), digits)
    case 123:
    case 44:
      return opensQuoted(text, skipBlanks(text, end + 1)) || (code === 123 && isAccessors(text, end))
    case 33:
    case 124:
    case 63:
      return isOperator(text, end)
    case 125:
      return isOperator(text, skipBlanks(text, end + 1))
    case 41:
      return (
        isOperator(text, skipBlanks(text, end + 1)) ||
        text.startsWith(").to", end) ||
        text.startsWith(")).", end) ||
        text.startsWith(").eq", end)
      )
    case 0x2502:
    case 0x2503:
      return true
    case 47:
      return text.startsWith("/)", end) || text.startsWith("/i)", end)
    case 42:
    case 95:
      return text.charCodeAt(end + 1) === code || text.startsWith(": ", end + 1)
    case 60:
      return text.charCodeAt(end + 1) === 47
    default:
      return (code === 10 || code === 13 || end === text.length) && mayFollowValue(text, end)
  }
}

/** `"value"`, `<<"value">>`. */
const opensQuoted = (text: string, at: number): boolean =>
  isQuote(text.charCodeAt(text.startsWith("<<", at) ? at + 2 : at))

const fieldNames = ["name", "Name", "key", "Key", "type"]

/** Where `name: ` or `"key": "` begins that stands before `start`: what follows is the name of a value in another field. -1 when there is none. */
export const fieldOfName = (text: string, start: number): number => {
  let at = beforeQuote(text, start)
  while (at > 0 && isBlank(text.charCodeAt(at - 1))) at--
  const sign = text.charCodeAt(at - 1)
  if (sign !== 58 && sign !== 61) return -1
  at--
  while (at > 0 && isBlank(text.charCodeAt(at - 1))) at--
  const end = beforeQuote(text, at)
  const name = fieldNames.find((candidate) => text.endsWith(candidate, end))
  if (name === undefined || isIn(text.charCodeAt(end - name.length - 1), word)) return -1
  return beforeQuote(text, end - name.length)
}

/** Before the quote that ends before `at`, and the backslashes before it. */
const beforeQuote = (text: string, at: number): number => {
  let i = isQuote(text.charCodeAt(at - 1)) ? at - 1 : at
  while (i < at && i > 0 && text.charCodeAt(i - 1) === 92) i--
  return i
}

/** Whether the name that ends at `end` may stand behind its value: `value: … name: NAME`. */
const mayFollowValue = (text: string, end: number): boolean => {
  let start = end
  while (end - start < 96 && isIn(text.charCodeAt(start - 1), urldot)) start--
  return fieldOfName(text, start) !== -1
}

const firstMatch = (forms: ReadonlyArray<Form>, text: string, at: number): Place | undefined => {
  const first = text.charAt(at)
  for (const form of forms) {
    if (!form.opens.includes(first) || form.begins?.some((sign) => text.startsWith(sign, at)) === false) continue
    form.compiled ??= new RegExp(form.pattern, "y")
    form.compiled.lastIndex = at
    const hit = form.compiled.exec(text)
    if (hit !== null) return { at: at + hit[0].length, setting: form.setting }
  }
  return undefined
}

const formField = /form-data;[^\r\n]{0,80}name=\\?$/

/** The place of the value that belongs to the name between `start` and `end`, if it is written in one of these forms. */
export const otherForm = (text: string, start: number, end: number): Place | undefined => {
  if (
    isBlank(text.charCodeAt(end)) &&
    isIdle(text.slice(start, end)) &&
    !isQuote(text.charCodeAt(skipBlanks(text, end)))
  )
    return undefined
  const closing = quoteAt(text, end)
  if (closing !== undefined) {
    if (!mayFollowQuote(text, closing.after)) return undefined
    behindQuoted ??= makeBehindQuoted()
    const found = firstMatch(behindQuoted, text, closing.after)
    return found?.setting === "line" && !formField.test(text.slice(Math.max(0, start - 120), start - 1 - closing.depth))
      ? undefined
      : found
  }
  if (end >= text.length) return undefined
  behindBare ??= makeBehindBare()
  const before = text.charCodeAt(start - 1)
  const found = firstMatch(behindBare, text, end)
  if (found === undefined) return undefined
  // Clojure: :name "value"
  if (found.setting === "told" && before === 58 && isQuote(text.charCodeAt(found.at)))
    return { at: found.at, setting: "quoted" }
  if (found.setting === "told" && followsWord(text, end, found.at)) return { at: found.at, setting: "bare" }
  if (found.setting === "line" && before !== (text.charCodeAt(end) === 93 ? 91 : 123)) return undefined
  return found
}

/** Whether a word that leaves less doubt stands between the name and the value at `at`. */
const followsWord = (text: string, nameEnd: number, at: number): boolean => {
  let end = at
  while (isBlank(text.charCodeAt(end - 1))) end--
  return end > nameEnd && isIn(text.charCodeAt(end - 1), word)
}

/** A scheme that has its own recogniser, and the kinds of key exchange. */
const isIdle = (name: string): boolean => {
  return name.endsWith("PSK") || name.toLowerCase() === "bearer"
}

const wrappers = words(
  "Some Just Ok String from of make new str bytes SecretStr SecretString Secret SecretBox SecureString Field StringValue Redacted Password Token ApiKey Optional Value Buffer ptr hash hashSync hashpw encrypt unsafePlainText bcrypt password_hash"
)

const beforeWrapper = words("new await try mut")

/** Behind the parenthesis of `Some(`, `String::from(`, `SecretStr(`, `Field(default=`, when a quote follows; `at` otherwise. */
export const insideWrapper = (text: string, at: number): number => {
  let from = at
  for (let depth = 0; depth < 3; depth++) {
    let end = from
    let wordStart = from
    for (let code = text.charCodeAt(end); end - from < 48; code = text.charCodeAt(++end)) {
      if (isIn(code, word)) continue
      if (code !== 46 && code !== 58 && code !== 32 && code !== 38) break
      // A value of its own, and behind it another call: `KEY=value hash('…')`
      if (code === 32 && end > wordStart && !beforeWrapper.has(text.slice(wordStart, end))) return at
      wordStart = end + 1
    }
    if (text.charCodeAt(end) !== 40 || !wrappers.has(text.slice(wordStart, end))) return at
    from = end + 1
    while (from - end < 40 && isSpace(text.charCodeAt(from))) from++
    if (text.startsWith("default=", from)) from += 8
    if (quoteAt(text, from) !== undefined) return from
  }
  return at
}
