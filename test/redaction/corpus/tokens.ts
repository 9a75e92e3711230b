import { classesOf } from "../../../src/redaction/characterClasses.ts"
import {
  type FormatPart,
  linesOfComposed,
  linesOfFormats,
  readComposed,
  readFormat
} from "../../../src/redaction/tokenFormats.ts"
import { alnum, base64, base64url, digits, hex, lower, type Random, upper } from "./random.ts"

/** A kind of credential that says itself what it is. */
export interface TokenKind {
  readonly kind: string
  readonly draw: (random: Random) => string
}

const alphabetOf = (characters: number): string => {
  let alphabet = ""
  for (let code = 33; code < 127; code++)
    if (((classesOf[code] ?? 0) & characters) !== 0) alphabet += String.fromCharCode(code)
  return alphabet
}

const fits = (body: string, flags: string): boolean =>
  (!flags.includes("d") || /\d/.test(body)) &&
  (!flags.includes("u") || /[A-Z]/.test(body)) &&
  (!flags.includes("l") || /[a-z]/.test(body))

const drawPart = (random: Random, part: FormatPart): string => {
  if ("characters" in part) {
    const max = Number.isFinite(part.max) ? part.max : part.min + 12
    // A separator at an end would belong to the text around it.
    const alphabet = alphabetOf(part.characters)
    const plain = alphabet.replace(/[^A-Za-z0-9]/g, "")
    const length = random.int(part.min, max)
    return length === 0 ? "" : random.of(alphabet, length - 1) + random.of(plain, 1)
  }
  return random.pick(part)
}

const fromTable: ReadonlyArray<TokenKind> = [
  ...linesOfFormats()
    .map(readFormat)
    .flatMap(({ id, prefixes, characters, min, max, flags }) =>
      prefixes.map((prefix) => ({
        kind: `${id}:${prefix}`,
        draw: (random: Random) => {
          for (;;) {
            const body = drawPart(random, { characters, min, max })
            if (fits(body.slice(0, 90), flags)) return prefix + body
          }
        }
      }))
    ),
  ...linesOfComposed()
    .map(readComposed)
    .map(({ id, parts, flags }) => ({
      kind: id,
      draw: (random: Random) => {
        for (;;) {
          const token = parts.map((part) => drawPart(random, part)).join("")
          if (fits(token.slice(0, 90), flags)) return token
        }
      }
    }))
]

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A signed JSON web token with the usual claims. */
export const drawJwt = (random: Random, claims: Readonly<Record<string, unknown>> = {}): string => {
  const header = random.pick([
    { alg: "HS256", typ: "JWT" },
    { alg: "RS256", typ: "JWT", kid: random.of(hex, 8) },
    { typ: "JWT", alg: "EdDSA" }
  ])
  const body = {
    sub: random.of(digits, 8),
    iat: 1_700_000_000 + random.int(0, 9_999_999),
    scope: random.pick(["read", "admin"]),
    ...claims
  }
  return `${encoded(header)}.${encoded(body)}.${random.bytes(random.pick([32, 64, 256])).toString("base64url")}`
}

const shaped: ReadonlyArray<TokenKind> = [
  { kind: "jwt", draw: drawJwt },
  { kind: "jwt-service", draw: (random) => drawJwt(random, { role: "service_role", ref: random.of(lower, 20) }) },
  {
    kind: "github-app-jwt",
    draw: (random) => `${"ghs"}_${random.int(1000, 3000000)}_${drawJwt(random, { iss: random.int(1, 99999) })}`
  },
  {
    kind: "discord-bot",
    draw: (random) =>
      `${Buffer.from(`${random.int(1, 9)}${random.of(digits, 17)}`)
        .toString("base64url")
        .slice(0, 24)}.G${random.of(base64url, 4)}a.${random.of(base64url, 37)}x`
  },
  {
    kind: "telegram-bot",
    draw: (random) => `${random.int(1, 9)}${random.of(digits, 9)}:AA${random.of(base64url, 32)}Z`
  },
  { kind: "mailgun-dashed", draw: (random) => `${random.of(hex, 32)}-${random.of(hex, 8)}-${random.of(hex, 8)}` },
  { kind: "mailchimp", draw: (random) => `${random.of(hex, 32)}-us${random.int(1, 21)}` },
  { kind: "salesforce", draw: (random) => `00D${random.of(alnum, 12)}!AQ${random.of(`${alnum}._`, 94)}` },
  { kind: "tableau", draw: (random) => `${random.of(base64, 22)}==:${random.of(alnum, 32)}` },
  { kind: "maxmind", draw: (random) => `${random.of(alnum, 6)}_${random.of(alnum, 29)}_mmk` },
  { kind: "asana", draw: (random) => `1/1${random.of(digits, 15)}:${random.of(hex, 32)}` },
  {
    kind: "braintree",
    draw: (random) => `access_token$production$${random.of(lower + digits, 16)}$${random.of(hex, 32)}`
  },
  { kind: "bcrypt", draw: (random) => `$2b$12$${random.of(`${alnum}./`, 52)}a` },
  {
    kind: "argon2",
    draw: (random) => `$argon2id$v=19$m=65536,t=3,p=4$${random.of(base64, 22)}$${random.of(base64, 42)}A`
  },
  { kind: "sha512-crypt", draw: (random) => `$6$${random.of(alnum, 16)}$${random.of(`${alnum}./`, 85)}A` },
  { kind: "django-hash", draw: (random) => `pbkdf2_sha256$600000$${random.of(alnum, 22)}$${random.of(base64, 43)}=` },
  {
    kind: "unknown-vendor",
    draw: (random) => `${random.of(lower, 5)}_${random.pick(["sk", "pat", "secret", "api"])}_${random.of(alnum, 40)}7aB`
  },
  {
    kind: "aws-bedrock",
    draw: (random) =>
      `ABSK${Buffer.from(`BedrockAPIKey-${random.of(lower, 4)}-at-${random.of(digits, 12)}:`)
        .toString("base64")
        .replaceAll("=", "")}${random.of(base64, 60)}`
  },
  {
    kind: "grafana-cloud",
    draw: (random) =>
      `glc_${Buffer.from(JSON.stringify({ o: random.of(digits, 6), n: "stack-1", k: random.of(alnum, 24), m: { r: "us" } })).toString("base64")}`
  },
  { kind: "stellar-like", draw: (random) => `AGE-SECRET-KEY-1${random.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}` },
  { kind: "ghost", draw: (random) => `${random.of(hex, 24)}:${random.of(hex, 64)}` },
  { kind: "zhipu", draw: (random) => `${random.of(hex, 32)}.${random.of(alnum, 14)}a7` },
  { kind: "ably", draw: (random) => `${random.of(alnum, 6)}.${random.of(alnum, 6)}:${random.of(base64url, 41)}a7` },
  { kind: "newrelic-license", draw: (random) => `eu01xx${random.of(hex, 26)}FFFFNRAL` },
  {
    kind: "rapidapi",
    draw: (random) =>
      `${random.of(lower + digits, 10)}msh${random.of(lower + digits, 15)}p1${random.of(lower + digits, 5)}jsn${random.of(lower + digits, 12)}`
  },
  { kind: "unlisted-vendor", draw: (random) => `${random.of(lower, 5)}_${random.of(alnum, 36)}7aBcD9` },
  { kind: "ngrok", draw: (random) => `2${random.of(alnum, 24)}a7_${random.of(alnum, 18)}b9` },
  { kind: "ngrok-longer", draw: (random) => `3${random.of(alnum, 24)}a7_6${random.of(alnum, 18)}b9` },
  { kind: "ollama", draw: (random) => `${random.of(hex, 32)}.${random.of(base64url, 22)}a7` },
  { kind: "truenas", draw: (random) => `${random.int(1, 120)}-${random.of(alnum, 61)}7aB` },
  {
    kind: "kerberos",
    draw: (random) =>
      random.pick([
        () => `$krb5asrep$23$${random.of(lower, 5)}@example.local:${random.of(hex, 32)}$${random.of(hex, 300)}`,
        () =>
          `$krb5tgs$23$*${random.of(lower, 4)}$EXAMPLE.LOCAL$http/web.example.local*$${random.of(hex, 32)}$${random.of(hex, 300)}`,
        () => `$krb5pa$18$${random.of(lower, 6)}$EXAMPLE.LOCAL$${random.of(hex, 112)}`
      ])()
  },
  { kind: "cisco-hash", draw: (random) => `$${random.int(8, 9)}$${random.of(alnum, 14)}$${random.of(alnum, 42)}.` },
  {
    kind: "wallet",
    draw: (random) =>
      `K${random.pick(["w", "x", "y", "z"])}1${random.of("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 49)}`
  },
  { kind: "square-upper", draw: (random) => `sq0csp-${random.of(base64url, 42)}${random.of(upper, 1)}` }
]

/** Every format of the table, and formats that need code. */
export const tokenKinds: ReadonlyArray<TokenKind> = [...fromTable, ...shaped]
