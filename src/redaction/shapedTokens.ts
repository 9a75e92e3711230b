import { base64url, digits, hex, isIn } from "./characterClasses.ts"
import { isRandom } from "./literals.ts"
import type { Scan } from "./scan.ts"

/**
 * A credential without a telling prefix: its shape as a whole gives it away.
 *
 * Which rule it is, literals of which the text must hold one, and a closer look where those are in most texts. The first literal is its key in the table of
 * patterns, which most texts are spared.
 */
type Shape = readonly [id: string, hints: ReadonlyArray<string>, isLikely?: (text: string) => boolean]

/** The secret is the match with the first group before it, or the group named so. `random`: and it must look drawn at random. */
interface ShapePattern {
  readonly pattern: RegExp
  readonly random?: true
}

/** Whether one of the places where a literal stands is likely: a sign or a digit is where the shape has it. */
const isSomeLikely = (text: string, literal: string, isLikely: (at: number) => boolean): boolean => {
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) if (isLikely(at)) return true
  return false
}

/** Six characters and another dot behind a dot, and 21 before it one of base64. */
const hasDottedTail = (text: string): boolean =>
  isSomeLikely(text, ".", (at) => text.charCodeAt(at + 7) === 46 && isIn(text.charCodeAt(at - 21), base64url))

/** Eight characters and another dash behind a dash, and hexadecimal digits where a key of 32 and two checksums have them. */
const hasDashedHex = (text: string): boolean =>
  isSomeLikely(
    text,
    "-",
    (at) =>
      text.charCodeAt(at + 9) === 45 &&
      [-32, -16, -1, 1, 8, 10, 17].every((far) => isIn(text.charCodeAt(at + far), hex))
  )

/** Fifteen digits before a bar, and 27 of base64 behind it. */
const hasNumbersBeforeBar = (text: string): boolean =>
  isSomeLikely(
    text,
    "|",
    (at) =>
      [-15, -8, -1].every((far) => isIn(text.charCodeAt(at + far), digits)) && isIn(text.charCodeAt(at + 27), base64url)
  )

/** A colon 23 characters before padding. */
const hasKeyBeforePadding = (text: string): boolean => isSomeLikely(text, "==", (at) => text.charCodeAt(at - 23) === 58)

/** A colon where the UUID ends whose third group begins with that 4. */
const hasKeyBehindUuid = (text: string): boolean => isSomeLikely(text, "-4", (at) => text.charCodeAt(at + 23) === 58)

const makeShapes = (): ReadonlyArray<Shape> => [
  ["telegram-bot-token", ["AA"]],
  ["discord-bot-token", ["."], hasDottedTail],
  ["mailgun-key", ["-"], hasDashedHex],
  ["mailchimp-key", ["-us"]],
  ["salesforce-session", ["!"]],
  ["tableau-pat", ["==:"]],
  ["facebook-app-token", ["|"], hasNumbersBeforeBar],
  ["facebook-app-token", ["%7C"]],
  ["maxmind-license", ["_mmk"]],
  ["dropbox-token", ["AAAAAAAAAA"]],
  ["twitter-bearer", ["AAAAAAAAAAAAAAAAAAAAA"]],
  ["braintree-token", ["access_token$"]],
  ["asana-token", ["/1"]],
  ["bitwarden-access-token", ["=="], hasKeyBeforePadding],
  ["fal-key", ["-4"], hasKeyBehindUuid],
  ["unleash-token", [":development.", ":production.", ":staging.", ":test.", ":*."]],
  ["aws-secret-access-key", ["IA"]],
  ["rapidapi-key", ["jsn"]],
  ["newrelic-license-key", ["NRAL"]],
  // SonarQube takes its token where others take a user.
  ["sonar-token", ["onar.login", "onarLogin"]],
  // The header and the metadata of OpenTelemetry that carry Honeycomb's key are named for the team.
  ["honeycomb-key", ["oneycomb-"]],
  ["ntlm-hash", [":::"]],
  [
    "webhook-url",
    [
      "/bot/v2/hook/",
      "/webhook/send?key=",
      "https://hook.",
      ".pagerduty.com/integration/",
      "/hooks/",
      ".sumologic.com/receiver/"
    ]
  ],
  ["webhook-url", ["https://hooks.zapier", "https://maker.ifttt", "https://outlook.office", "https://webhook"]]
]

// Each pattern begins at a rare literal, which is quick to find; a lookbehind then reads what stands before it. Its group is the first part of the secret. An
// escaped line end (`\n`) or a colour may stand right before a token.
const makePatterns = (): Readonly<Record<string, () => ShapePattern>> => ({
  AA: () => ({
    pattern: /(?::|%3A)AA(?<=(?:(?<!\d)|\\[nrt]|\[[\d;]{0,12}m)((?:bot)?\d{8,16})(?::|%3A)AA)[\w-]{30,36}(?![\w-])/g
  }),
  ".": () => ({
    pattern:
      /\.[\w-]{6}\.(?<=(?:(?<![\w.-])|\\[nrt]|\[[\d;]{0,12}m)([MNO][A-Za-z][\w-]{21,27})\.[\w-]{6}\.)[\w-]{27,45}(?![\w-])/g,
    random: true
  }),
  "-": () => ({
    pattern:
      /-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])(?<=(?:(?<![\w-])|\\[nrt]|\[[\d;]{0,12}m)([0-9a-f]{32})-[0-9a-f]{8}-[0-9a-f]{8})/g
  }),
  "-us": () => ({ pattern: /-us(?<=(?:(?<![\w-])|\\[nrt]|\[[\d;]{0,12}m)([0-9a-f]{32})-us)\d{1,2}(?!\w)/g }),
  "!": () => ({ pattern: /!(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)(00[A-Za-z0-9]{13})!)[\w.]{70,}/g }),
  "==:": () => ({
    pattern: /==:(?<=(?:(?<![\w+/])|\\[nrt]|\[[\d;]{0,12}m)([A-Za-z0-9+/]{22})==:)[A-Za-z0-9]{32}(?!\w)/g
  }),
  "|": () => ({
    pattern: /\|(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)(\d{15,16})\|)[\w-]{27,40}(?![\w|])/g,
    random: true
  }),
  "%7C": () => ({ pattern: /%7C(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)(\d{15,16})%7C)[\w-]{27,40}(?!\w)/g }),
  _mmk: () => ({ pattern: /_mmk(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)([A-Za-z0-9]{6}_[A-Za-z0-9]{29})_mmk)(?!\w)/g }),
  AAAAAAAAAA: () => ({
    pattern: /AAAAAAAAAA(?<=(?<!\w)([a-zA-Z0-9]{11})AAAAAAAAAA)(?![\w=-]{0,35}A{8})[\w=-]{43}(?!\w)/g
  }),
  AAAAAAAAAAAAAAAAAAAAA: () => ({
    pattern: /(?<![\w+/])A{20,23}(?!A)[A-Za-z0-9]{1,12}(?:%[0-9A-F]{2})?(?![A-Za-z0-9%]{0,40}A{8})[A-Za-z0-9%]{50,}/g
  }),
  access_token$: () => ({ pattern: /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}/g }),
  "/1": () => ({
    pattern:
      /:[0-9a-f]{32}(?!\w)(?<=(?:(?<![\w/])|\\[nrt]|\[[\d;]{0,12}m)([12]\/\d{12,17}(?:\/\d{12,17})?):[0-9a-f]{32})/g
  }),
  "==": () => ({ pattern: /(?<!\w)0\.[0-9a-f]{8}-[0-9a-f-]{27}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==/g }),
  "-4": () => ({
    pattern:
      /-4(?<=(?:(?<![\w-])|\\[nrt]|\[[\d;]{0,12}m)([0-9a-f]{8}-[0-9a-f]{4})-4)[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:[0-9a-f]{32}(?!\w)/g
  }),
  NRAL: () => ({ pattern: /NRAL(?!\w)(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)([0-9a-z]{32,36}(?:FFFF)?)NRAL)/g }),
  jsn: () => ({
    pattern:
      /jsn[0-9a-z]{12}(?![A-Za-z0-9])(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)([0-9a-z]{10}msh[0-9a-z]{15}p1[0-9a-z]{5,6})jsn[0-9a-z]{12})/g
  }),
  "onar.login": () => ({ pattern: /onar\.?[lL]ogin["']?(?:[=:, ]|\\["']){1,4}["']?(?<secret>[0-9a-f]{40})(?!\w)/g }),
  "oneycomb-": () => ({
    pattern: /oneycomb-[tT]eam["']?(?:[=:, ]|\\["']|%3D){1,4}["']?(?<secret>[0-9a-zA-Z]{22,64})(?!\w)/g,
    random: true
  }),
  ":::": () => ({ pattern: /(?<![\w])[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}(?=:::)/g }),
  "/bot/v2/hook/": () => ({
    pattern:
      /https:\/\/(?:open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=|hook\.(?:eu|us)\d\.make\.com\/|events(?:\.eu)?\.pagerduty\.com\/integration\/|[\w.-]{1,80}\/hooks\/(?=[a-z0-9]{26}(?!\w))|[\w.-]{1,60}\.sumologic\.com\/receiver\/v1\/http\/)(?<secret>[\w+/=-]{20,200})/g
  }),
  ":development.": () => ({ pattern: /:(?:development|production|staging|test|\*)\.[0-9a-f]{40,64}(?!\w)/g }),
  // The secret half of an AWS key pair, wherever it stands close behind the public half.
  IA: () => ({
    pattern:
      /(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?=[^A-Z0-9])[^\n]{0,3}?\n?[^\n]{0,60}?(?<![\w+/])(?<secret>[A-Za-z0-9+/]{40})(?![\w+/=])/g,
    random: true
  }),
  "https://hooks.zapier": () => ({
    pattern:
      /https:\/\/(?:hooks\.zapier\.com\/hooks\/catch|maker\.ifttt\.com\/trigger\/[\w-]{1,60}\/with\/key|outlook\.office\.com\/webhook|webhooks?\.[\w.-]{1,60}\/(?:hooks?|incoming))\/(?<secret>[\w@/-]{16,200})/g,
    random: true
  })
})

/** A Mailchimp key, `-us1` and all. */
const shortest = 36

let shapes: ReadonlyArray<Shape> | undefined
let patterns: Readonly<Record<string, () => ShapePattern>> | undefined

/** Finds credentials without a prefix that their shape gives away. */
export const scanShapedTokens = (scan: Scan): void => {
  const { text } = scan
  if (text.length < shortest) return
  shapes ??= makeShapes()
  for (const [id, hints, isLikely] of shapes) {
    if (hints.some((hint) => text.includes(hint)) && isLikely?.(text) !== false) scanShape(scan, id, hints[0] ?? "")
    if (scan.work.left < 0) return
  }
}

const scanShape = (scan: Scan, id: string, key: string): void => {
  const { text } = scan
  patterns ??= makePatterns()
  const shape = patterns[key]?.()
  if (shape === undefined) return
  const { pattern, random } = shape
  pattern.lastIndex = 0
  for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
    scan.work.left -= 64 + hit[0].length
    if (scan.work.left < 0) return
    const end = hit.index + hit[0].length
    const start = hit.groups?.secret === undefined ? hit.index - (hit[1]?.length ?? 0) : end - hit.groups.secret.length
    if (random !== true || isRandom(text.slice(start, end))) scan.add(start, end, id)
  }
}
