import { scanAssignments } from "./assignments.ts"
import { scanCommandLines } from "./commandLines.ts"
import { scanDataTables, scanInsertions } from "./dataTables.ts"
import { scanEncodedSecrets } from "./encodedSecrets.ts"
import { scanEnvironmentDumps, scanEnvironmentLists } from "./environmentDumps.ts"
import { scanAuthorization, scanCookies } from "./headers.ts"
import { scanKubernetesSecrets } from "./kubernetesSecrets.ts"
import { scanPasswordHashes } from "./passwordHashes.ts"
import { scanPrivateKeys } from "./privateKeys.ts"
import { scanProcessTables } from "./processTables.ts"
import { scanRecordLines } from "./recordLines.ts"
import { Scan, type WorkBudget } from "./scan.ts"
import { scanShapedTokens } from "./shapedTokens.ts"
import { mergeSpans, type Span } from "./spans.ts"
import { joinTokens } from "./splitTokens.ts"
import { scanTokens } from "./tokens.ts"
import { scanUrlSignatures, scanUrls } from "./urls.ts"

const recognisers: ReadonlyArray<(scan: Scan) => void> = [
  scanTokens,
  scanShapedTokens,
  scanAssignments,
  scanAuthorization,
  scanCookies,
  scanUrls,
  scanUrlSignatures,
  scanPrivateKeys,
  scanPasswordHashes,
  scanCommandLines,
  scanRecordLines,
  scanDataTables,
  scanInsertions,
  scanKubernetesSecrets,
  scanEnvironmentLists,
  scanEnvironmentDumps,
  scanProcessTables
]

const find = (text: string, work: WorkBudget, decode: boolean): ReadonlyArray<Span> | undefined => {
  const scan = new Scan(text, work)
  for (const recognise of recognisers) {
    recognise(scan)
    if (work.left < 0) return undefined
  }
  if (decode) {
    scanEncodedSecrets(scan, (decoded) => find(decoded, work, false))
    if (work.left < 0) return undefined
  }
  return scan.spans
}

/** The pieces of a text that have to go: sorted, none overlapping. `undefined` when the work budget was spent before the end. */
export const scanText = (text: string, work: WorkBudget): ReadonlyArray<Span> | undefined => {
  const found = find(text, work, true)
  if (found === undefined) return undefined
  const spans = [...found]
  const joined = joinTokens(text)
  if (joined !== undefined) {
    const inJoined = find(joined.text, work, false)
    if (inJoined === undefined) return undefined
    for (const span of inJoined) spans.push(joined.toOriginal(span))
  }
  return mergeSpans(text, spans)
}
