import { alnum, base64, base64url, digits, hex, type Random } from "./random.ts"

// Names, signs and secrets strung together without any grammar: what stands beside a secret is read in another way once a marker stands there.

const names =
  "password DB_PASSWORD secret token apiKey key Authorization cookie Set-Cookie client_secret pin salt session auth pass PASS pwd passphrase X-Api-Key jwt credentials machine login account host user name value PATH HOME --token -p -u curl mysql export env set sshpass Bearer Basic Digest data stringData пароль https:// postgres://".split(
    " "
  )

const signs = [
  ..."=:,;|/@&?#\"'`(){}[]<>+-_.$%!*",
  ..." \n\t\\\0",
  ...[": ", " = ", '": "', "': '", "\r\n", "\\n", '\\"', "</", " => ", ":=", "--", "...", "…", "${", "%3D", "**", "→"],
  ...["\x1b[31m", "\x1b[0m", "\\u001b[0m", "\u200b", " is ", " to ", "://", "==", " <<< ", "&&", " or ", " | ", "  "]
]

const secrets: ReadonlyArray<(r: Random) => string> = [
  (r) => `ghp_${r.of(alnum, 36)}`,
  (r) => r.of(alnum, 20),
  (r) => r.of(hex, 32),
  (r) => r.of(base64, 40),
  (r) => r.of(`${alnum}!@#$%^&*()_+-=[]{}|;:,.<>?/~`, 16),
  (r) => `AKIA${r.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
  (r) => `hunter2!${r.of(digits, 3)}`,
  (r) => r.of(digits, 6),
  (r) => r.uuid(),
  () => "[REDACTED:secret]",
  () => "ghp_[REDACTED:github-token]",
  (r) => `-----BEGIN RSA PRIVATE KEY-----\n${r.of(base64, 64)}\n${r.of(base64, 64)}\n-----END RSA PRIVATE KEY-----`,
  () => "-----BEGIN PRIVATE KEY-----",
  (r) => `$2b$12$${r.of(`./${alnum}`, 53)}`,
  (r) => `user:${r.of(alnum, 12)}`,
  (r) => `app:${r.of(alnum, 14)}@db`,
  (r) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${r.of(base64url, 43)}`,
  (r) => Buffer.from(`{"password":"${r.of(alnum, 16)}"}`).toString("base64"),
  () => "word and word"
]

const phrases: ReadonlyArray<(r: Random) => string> = [
  (r) => `${r.pick(names)}${r.pick(["=", ": ", " = ", '="', ": '", " "])}${r.pick(secrets)(r)}`,
  (r) => `"${r.pick(names)}": "${r.pick(secrets)(r)}"`,
  (r) => `{"name":"${r.pick(names)}","value":"${r.pick(secrets)(r)}"}`,
  (r) => `${r.pick(names)}${r.pick(signs)}${r.pick(signs)}${r.pick(secrets)(r)}`,
  (r) => `curl -u ${r.pick(secrets)(r)} ${r.pick(secrets)(r)}`,
  (r) => `https://${r.pick(secrets)(r)}@host/?${r.pick(names)}=${r.pick(secrets)(r)}&a=b`,
  (r) => `Cookie: a=${r.pick(secrets)(r)}; ${r.pick(names)}=${r.pick(secrets)(r)}`,
  (r) => `Authorization: ${r.pick(["Basic", "Bearer", "Digest", "token"])} ${r.pick(secrets)(r)}`,
  (r) => `machine x login y password ${r.pick(secrets)(r)}`,
  (r) => `${r.pick(names)},${r.pick(names)}\n${r.pick(secrets)(r)},${r.pick(secrets)(r)}`
]

/** A text of one to six pieces. */
export const fragments = (random: Random): string => {
  const pieces: ReadonlyArray<() => string> = [
    () => random.pick(names),
    () => random.pick(signs),
    () => random.pick(secrets)(random),
    () => random.pick(phrases)(random),
    () => `${random.pick(phrases)(random)}${random.pick(signs)}`,
    () => `${random.pick(phrases)(random)}\n`
  ]
  return Array.from({ length: random.int(1, 6) }, () => random.pick(pieces)()).join("")
}
