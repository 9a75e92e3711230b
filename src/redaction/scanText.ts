import { scanAnswers } from "./answers.ts"
import { scanAssignments } from "./assignments.ts"
import { scanCommandLines } from "./commandLines.ts"
import { scanDataTables, scanInsertions } from "./dataTables.ts"
import { scanEncodedSecrets } from "./encodedSecrets.ts"
import { scanEnvironmentDumps, scanEnvironmentLists } from "./environmentDumps.ts"
import type { UserRules } from "./extraRules.ts"
import { scanAuthorization, scanCookieObjects, scanCookies } from "./headers.ts"
import { type InnerTexts, innerTexts } from "./innerTexts.ts"
import { scanKubernetesSecrets } from "./kubernetesSecrets.ts"
import { withoutLineStarts } from "./lineStarts.ts"
import { scanNearNames } from "./nearNames.ts"
import { scanPasswordHashes } from "./passwordHashes.ts"
import type { Pieces } from "./pieces.ts"
import { scanPrivateKeys } from "./privateKeys.ts"
import { scanProcessTables } from "./processTables.ts"
import { scanProse } from "./prose.ts"
import { scanRecordLines } from "./recordLines.ts"
import { Scan, type WorkBudget } from "./scan.ts"
import { scanShapedTokens } from "./shapedTokens.ts"
import { mergeSpans, type Span } from "./spans.ts"
import { joinTokens } from "./splitTokens.ts"
import { scanTokens } from "./tokens.ts"
import { scanUrlSignatures, scanUrls } from "./urls.ts"
import { scanVendorTokens } from "./vendorTokens.ts"
import { scanWebKeys } from "./webKeys.ts"

/** From here on a look at the whole text costs more than finding its long runs first. */
const longText = 2048

/** Finds tokens: in the whole of a short text, in the surroundings of the long runs of a long one. */
const scanAllTokens = (scan: Scan): void => {
  if (scan.text.length <= longText) {
    scanTokens(scan)
    scanShapedTokens(scan)
    return
  }
  const dense = scan.dense()
  if (dense.text === "") return
  const inner = new Scan(dense.text, scan.work)
  scanTokens(inner)
  scanShapedTokens(inner)
  for (const span of inner.spans) scan.spans.push(dense.toOriginal(span))
}

export const recognisers: ReadonlyArray<(scan: Scan) => void> = [
  scanAllTokens,
  scanVendorTokens,
  scanAssignments,
  scanNearNames,
  scanAnswers,
  scanAuthorization,
  scanCookies,
  scanCookieObjects,
  scanUrls,
  scanUrlSignatures,
  scanPrivateKeys,
  scanWebKeys,
  scanPasswordHashes,
  scanCommandLines,
  scanRecordLines,
  scanProse,
  scanDataTables,
  scanInsertions,
  scanKubernetesSecrets,
  scanEnvironmentLists,
  scanEnvironmentDumps,
  scanProcessTables
]

/** What is looked for in text that came out of base64: there a secret has a prefix, a name or a header. */
const recognisersOfDecoded: ReadonlyArray<(scan: Scan) => void> = [
  scanTokens,
  scanAssignments,
  scanAuthorization,
  scanUrls,
  scanPrivateKeys
]

const find = (
  scan: Scan,
  depth: "whole" | "joined" | "decoded",
  user: UserRules | undefined
): ReadonlyArray<Span> | undefined => {
  const { work } = scan
  for (const recognise of depth === "decoded" ? recognisersOfDecoded : recognisers) {
    recognise(scan)
    if (work.left < 0) return undefined
  }
  user?.scan(scan)
  if (depth === "whole") scanEncodedSecrets(scan, (decoded) => find(new Scan(decoded, work), "decoded", user))
  return work.left < 0 ? undefined : scan.spans
}

/** The shortest text of letters alone that may be a token: `AKIA` and sixteen more. */
const shortestOfLetters = 20

/** A short word is no secret: the name of a tool, a key. Told apart here, because it would be the first text that every recogniser is compiled for. */
const isShortWord = (text: string): boolean => {
  if (text.length >= shortestOfLetters) return false
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i) | 32
    if (letter < 97 || letter > 122) return false
  }
  return true
}

/** JSON in JSON in JSON: deeper than this no text of an agent is. */
const deepest = 3

const collect = (
  text: string,
  work: WorkBudget,
  user: UserRules | undefined,
  depth: number
): ReadonlyArray<Span> | undefined => {
  // Asked here, because to compile what takes texts apart costs something, and few need it.
  if (depth < deepest && (text.startsWith("{") || text.startsWith("["))) {
    const parts = innerTexts(text)
    if (parts !== undefined) return collectParts(parts, work, user, depth)
  }
  const lines = withoutLineStarts(text)
  if (lines !== undefined) return collectLines(text, lines, work, user)
  return collectPlain(new Scan(text, work), user)
}

const collectPlain = (scan: Scan, user: UserRules | undefined): ReadonlyArray<Span> | undefined => {
  const found = find(scan, "whole", user)
  if (found === undefined) return undefined
  const pieces = joinTokens(scan)
  if (pieces.length === 0) return found
  const spans = [...found]
  for (const piece of pieces) {
    const inPiece = find(new Scan(piece.text, scan.work), "joined", user)
    if (inPiece === undefined) return undefined
    for (const span of inPiece) spans.push(piece.toOriginal(span))
  }
  return spans
}

const collectParts = (
  { outer, inner }: InnerTexts,
  work: WorkBudget,
  user: UserRules | undefined,
  depth: number
): ReadonlyArray<Span> | undefined => {
  const around = collect(outer.text, work, user, deepest)
  const inside = around === undefined ? undefined : collect(inner.text, work, user, depth + 1)
  return inside === undefined
    ? undefined
    : [...(around ?? []).map((span) => outer.toOriginal(span)), ...inside.map((span) => inner.toOriginal(span))]
}

const collectLines = (
  text: string,
  lines: Pieces,
  work: WorkBudget,
  user: UserRules | undefined
): ReadonlyArray<Span> | undefined => {
  const found = collectPlain(new Scan(lines.text, work), user)
  if (found === undefined) return undefined
  const whole = found.map((span) => lines.toOriginal(span))
  if (user === undefined) return whole
  // What was taken away is nothing that our rules look for; those of a user may.
  const original = new Scan(text, work)
  user.scan(original)
  return [...whole, ...original.spans]
}

/**
 * The pieces of a text that have to go: sorted, none overlapping. `undefined` when the work budget was spent before the end.
 *
 * @param user the rules that a policy adds
 */
export const scanText = (text: string, work: WorkBudget, user?: UserRules): ReadonlyArray<Span> | undefined => {
  if (user === undefined && isShortWord(text)) return []
  const spans = collect(text, work, user, 0)
  if (spans === undefined || spans.length === 0) return spans
  return mergeSpans(text, user === undefined ? [...spans] : spans.filter((span) => !user.isAllowed(text, span)))
}
