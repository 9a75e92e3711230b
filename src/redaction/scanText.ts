import { scanAssignments } from "./assignments.ts"
import { scanEnvironmentDumps } from "./environmentDumps.ts"
import { scanAuthorization, scanCookies } from "./headers.ts"
import { scanPrivateKeys } from "./privateKeys.ts"
import { Scan, type WorkBudget } from "./scan.ts"
import { mergeSpans, type Span } from "./spans.ts"
import { scanTokens } from "./tokens.ts"
import { scanUrls } from "./urls.ts"

const recognisers = [
  scanTokens,
  scanAssignments,
  scanAuthorization,
  scanCookies,
  scanUrls,
  scanPrivateKeys,
  scanEnvironmentDumps
]

/** The pieces of a text that have to go: sorted, none overlapping. `undefined` when the work budget was spent before the end. */
export const scanText = (text: string, work: WorkBudget): ReadonlyArray<Span> | undefined => {
  const scan = new Scan(text, work)
  for (const recognise of recognisers) {
    recognise(scan)
    if (work.left < 0) return undefined
  }
  return mergeSpans(text, scan.spans)
}
