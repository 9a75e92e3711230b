import { base64url, digits, hex, isIn } from "./characterClasses.ts"
import { isRandom } from "./literals.ts"
import type { Scan } from "./scan.ts"

/** A credential without a telling prefix: its shape as a whole gives it away. The secret is the group of that name, or the match with the group before it. */
interface ShapedToken {
  readonly id: string
  /** Literals of which the text must hold one, so that most texts are spared the pattern. */
  readonly hints: ReadonlyArray<string>
  /** A closer look, where the hints are in most texts. */
  readonly isLikely?: (text: string) => boolean
  /** Made when a text holds the hint. */
  readonly pattern: () => RegExp
  readonly random?: true
}

/** Whether one of the places where a literal stands is likely: a sign or a digit is where the shape has it. */
const isSomeLikely = (text: string, literal: string, isLikely: (at: number) => boolean): boolean => {
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) if (isLikely(at)) return true
  return false
}

// Each pattern begins at a rare literal, which is quick to find; a lookbehind then reads what stands before it. Its group is the first part of the secret. An escaped line end (`\n`) or a colour may stand
// right before a token.
const makeShapedTokens = (): ReadonlyArray<ShapedToken> => [
  {
    id: "telegram-bot-token",
    hints: ["AA"],
    pattern: () =>
      /(?::|%3A)AA(?<=(?:(?<!\d)|\\[nrt]|\[[\d;]{0,12}m)((?:bot)?\d{8,16})(?::|%3A)AA)[\w-]{30,36}(?![\w-])/g
  },
  {
    id: "discord-bot-token",
    hints: ["."],
    isLikely: (text) =>
      isSomeLikely(text, ".", (at) => text.charCodeAt(at + 7) === 46 && isIn(text.charCodeAt(at - 21), base64url)),
    pattern: () =>
      /\.[\w-]{6}\.(?<=(?:(?<![\w.-])|\\[nrt]|\[[\d;]{0,12}m)([MNO][A-Za-z][\w-]{21,27})\.[\w-]{6}\.)[\w-]{27,45}(?![\w-])/g,
    random: true
  },
  {
    id: "mailgun-key",
    hints: ["-"],
    isLikely: (text) =>
      isSomeLikely(
        text,
        "-",
        (at) =>
          text.charCodeAt(at + 9) === 45 &&
          [-32, -16, -1, 1, 8, 10, 17].every((far) => isIn(text.charCodeAt(at + far), hex))
      ),
    pattern: () =>
      /-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])(?<=(?:(?<![\w-])|\\[nrt]|\[[\d;]{0,12}m)([0-9a-f]{32})-[0-9a-f]{8}-[0-9a-f]{8})/g
  },
  {
    id: "mailchimp-key",
    hints: ["-us"],
    pattern: () => /-us(?<=(?:(?<![\w-])|\\[nrt]|\[[\d;]{0,12}m)([0-9a-f]{32})-us)\d{1,2}(?!\w)/g
  },
  {
    id: "salesforce-session",
    hints: ["!"],
    pattern: () => /!(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)(00[A-Za-z0-9]{13})!)[\w.]{70,}/g
  },
  {
    id: "tableau-pat",
    hints: ["==:"],
    pattern: () => /==:(?<=(?:(?<![\w+/])|\\[nrt]|\[[\d;]{0,12}m)([A-Za-z0-9+/]{22})==:)[A-Za-z0-9]{32}(?!\w)/g
  },
  {
    id: "facebook-app-token",
    hints: ["|"],
    isLikely: (text) =>
      isSomeLikely(
        text,
        "|",
        (at) =>
          [-15, -8, -1].every((far) => isIn(text.charCodeAt(at + far), digits)) &&
          isIn(text.charCodeAt(at + 27), base64url)
      ),
    pattern: () => /\|(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)(\d{15,16})\|)[\w-]{27,40}(?![\w|])/g,
    random: true
  },
  {
    id: "facebook-app-token",
    hints: ["%7C"],
    pattern: () => /%7C(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)(\d{15,16})%7C)[\w-]{27,40}(?!\w)/g
  },
  {
    id: "maxmind-license",
    hints: ["_mmk"],
    pattern: () => /_mmk(?<=(?:(?<!\w)|\\[nrt]|\[[\d;]{0,12}m)([A-Za-z0-9]{6}_[A-Za-z0-9]{29})_mmk)(?!\w)/g
  },
  {
    id: "dropbox-token",
    hints: ["AAAAAAAAAA"],
    pattern: () => /AAAAAAAAAA(?<=(?<!\w)([a-zA-Z0-9]{11})AAAAAAAAAA)[\w=-]{43}(?!\w)/g
  },
  {
    id: "twitter-bearer",
    hints: ["AAAAAAAAAAAAAAAAAAAAA"],
    pattern: () => /(?<![\w+/])A{20,23}[A-Za-z0-9]{1,12}(?:%[0-9A-F]{2})?[A-Za-z0-9%]{50,}/g
  },
  {
    id: "braintree-token",
    hints: ["access_token$"],
    pattern: () => /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}/g
  },
  {
    id: "asana-token",
    hints: ["/1"],
    pattern: () =>
      /:[0-9a-f]{32}(?!\w)(?<=(?:(?<![\w/])|\\[nrt]|\[[\d;]{0,12}m)([12]\/\d{12,17}(?:\/\d{12,17})?):[0-9a-f]{32})/g
  },
  {
    id: "bitwarden-access-token",
    hints: ["=="],
    isLikely: (text) => isSomeLikely(text, "==", (at) => text.charCodeAt(at - 23) === 58),
    pattern: () => /(?<!\w)0\.[0-9a-f]{8}-[0-9a-f-]{27}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==/g
  },
  {
    id: "fal-key",
    hints: ["-4"],
    isLikely: (text) => isSomeLikely(text, "-4", (at) => text.charCodeAt(at + 23) === 58),
    pattern: () =>
      /-4(?<=(?:(?<![\w-])|\\[nrt]|\[[\d;]{0,12}m)([0-9a-f]{8}-[0-9a-f]{4})-4)[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:[0-9a-f]{32}(?!\w)/g
  },
  {
    id: "unleash-token",
    hints: [":development.", ":production.", ":staging.", ":test.", ":*."],
    pattern: () => /:(?:development|production|staging|test|\*)\.[0-9a-f]{40,64}(?!\w)/g
  },
  // The secret half of an AWS key pair, wherever it stands close behind the public half.
  {
    id: "aws-secret-access-key",
    hints: ["IA"],
    pattern: () =>
      /(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?=[^A-Z0-9])[^\n]{0,3}?\n?[^\n]{0,60}?(?<![\w+/])([A-Za-z0-9+/]{40})(?![\w+/=])/g,
    random: true
  },
  {
    id: "webhook-url",
    hints: ["https://hooks.zapier", "https://maker.ifttt", "https://outlook.office", "https://webhook"],
    pattern: () =>
      /https:\/\/(?:hooks\.zapier\.com\/hooks\/catch|maker\.ifttt\.com\/trigger\/[\w-]{1,60}\/with\/key|outlook\.office\.com\/webhook|webhooks?\.[\w.-]{1,60}\/(?:hooks?|incoming))\/([\w@/-]{16,200})/g,
    random: true
  }
]

/** A Mailchimp key, `-us1` and all. */
const shortest = 36

let shapedTokens: ReadonlyArray<ShapedToken> | undefined

/** Finds credentials without a prefix that their shape gives away. */
export const scanShapedTokens = (scan: Scan): void => {
  const { text } = scan
  if (text.length < shortest) return
  shapedTokens ??= makeShapedTokens()
  for (const { id, hints, isLikely, pattern: made, random } of shapedTokens) {
    if (!hints.some((hint) => text.includes(hint)) || isLikely?.(text) === false) continue
    const pattern = made()
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      scan.work.left -= 64 + hit[0].length
      if (scan.work.left < 0) return
      const end = hit.index + hit[0].length
      const start =
        hit.groups?.secret === undefined ? hit.index - (hit[1]?.length ?? 0) : end - hit.groups.secret.length
      if (random !== true || isRandom(text.slice(start, end))) scan.add(start, end, id)
    }
  }
}
