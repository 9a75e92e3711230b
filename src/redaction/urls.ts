import { digits, isAll, urldot } from "./characterClasses.ts"
import { isPlaceholder, isRandom, isUuid } from "./literals.ts"
import type { Scan } from "./scan.ts"

const longestUserinfo = 512

/**
 * Finds the password in `scheme://user:password@host`, and a token alone before the `@`. The `@` goes with it: `user:[REDACTED:…]@host` would still be a
 * connection string with a password to every other scanner.
 */
export const scanUrls = (scan: Scan): void => {
  const { text } = scan
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    scan.work.left -= 32
    if (scan.work.left < 0) return
    const from = at + 3
    const limit = Math.min(text.length, from + longestUserinfo)
    let colon = -1
    let sign = -1
    for (let i = from; i < limit; i++) {
      const code = text.charCodeAt(i)
      if (
        code <= 32 ||
        code === 34 ||
        code === 39 ||
        code === 96 ||
        code === 60 ||
        code === 62 ||
        code === 47 ||
        code === 92
      )
        break
      // A password that was not encoded may hold these. A port is none.
      if ((code === 63 || code === 35) && (colon === -1 || isAll(text, colon + 1, i, digits))) break
      if (code === 58 && colon === -1) colon = i
      if (code === 64) sign = i
    }
    if (sign !== -1) judgeUserinfo(scan, from, colon, sign)
  }
}

const judgeUserinfo = (scan: Scan, from: number, colon: number, sign: number): void => {
  const { text } = scan
  if (colon !== -1 && colon < sign) {
    const password = text.slice(colon + 1, sign)
    // docker://node:22@sha256:…
    if (/^sha\d{3}:/.test(text.slice(sign + 1, sign + 8))) return
    // guest:guest, root:root: what a server has before anybody chose a password.
    const isDefault = password.length < 12 && password === text.slice(from, colon)
    if (password.length > 3 && !isDefault && !isPlaceholder(password) && !/^[$<{%*[]|\[|\]$/.test(password))
      // https://token:x-oauth-basic@host
      scan.add(password === "x-oauth-basic" ? from : colon + 1, sign + 1, "url-password")
  } else {
    const user = text.slice(from, sign)
    if (user.length >= 16 && isRandom(user) && !/^o\d+\.ingest/.test(text.slice(sign + 1, sign + 20)))
      scan.add(from, sign + 1, "url-password")
  }
}

// In the group the names of what may also be no secret, whose value must look random: the code of a login, an invitation, a key in hexadecimal digits.
const signature =
  /[?&;](?:sig|signature|x-amz-signature|x-goog-signature|x-oss-signature|q-signature|hmac|signed|hdnea|hdnts|__token__|policy|(code|auth_code|invite_code|key|appid|ticket|invite))=/g

/** Finds the signature of a presigned URL: whoever has it may use the URL. */
export const scanUrlSignatures = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes("://") && !["&sig", "?code=", "&code="].some((hint) => scan.mayHold(hint))) return
  signature.lastIndex = 0
  for (let hit = scan.nextInAnyCase(signature); hit !== null; hit = scan.nextInAnyCase(signature)) {
    scan.work.left -= 32
    if (scan.work.left < 0) return
    const start = hit.index + hit[0].length
    const length = text.slice(start, start + 2048).search(/[\s&#"'<>`\\)\]]|$/)
    const value = text.slice(start, start + Math.max(length, 0))
    if (
      length >= 16 &&
      !isPlaceholder(value) &&
      (hit[1] === undefined ||
        (isRandom(value) && isAll(value, 0, length, urldot) && !(value.includes("-") && isUuid(value))))
    )
      scan.add(start, start + length, "url-signature")
  }
}
