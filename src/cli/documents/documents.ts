import type { CommandDocument } from "./CommandDocument.ts"
import { evidenceDocuments } from "./evidence.ts"
import { experimentDocuments } from "./experiments.ts"
import { failureDocuments } from "./failures.ts"
import { memoryDocuments } from "./memory.ts"
import { sessionDocuments } from "./sessions.ts"
import { setupDocuments } from "./setup.ts"

/** What commands print with `--json`. A new command is one more line in one of these lists; a test names commands that are in none. */
export const documents: ReadonlyArray<CommandDocument> = [
  ...setupDocuments,
  ...sessionDocuments,
  ...memoryDocuments,
  ...evidenceDocuments,
  ...experimentDocuments,
  ...failureDocuments
]
