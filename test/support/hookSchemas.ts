/** Schemas of the hook, and what it decodes with. The test of leanSchema.ts loads this as it is, and as the build bundles it for the hook. */
import { Anchor } from "../../src/archive/anchor.ts"
import { Checksums } from "../../src/archive/checksums.ts"
import { LockOwner } from "../../src/archive/LockService.ts"
import { LogState } from "../../src/archive/logState.ts"
import { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { RecoveryRecord } from "../../src/archive/recoveryRecord.ts"
import { Diagnostic } from "../../src/control/Diagnostics.ts"
import { ProjectToggles } from "../../src/control/Toggles.ts"
import { ArchivedEvent } from "../../src/domain/event.ts"
import { Manifest, ManifestJson } from "../../src/domain/manifest.ts"
import { MemoryRecord } from "../../src/domain/memory.ts"
import { Provider } from "../../src/domain/provider.ts"
import { SessionId } from "../../src/domain/sessionId.ts"
import { Timestamp } from "../../src/domain/timestamp.ts"
import { Usage } from "../../src/domain/usage.ts"
import { Receipt, SignedReceipt } from "../../src/memory/extraction/receipts.ts"
import { SessionState } from "../../src/memory/sessionState.ts"
import { HookPayload as ClaudePayload } from "../../src/providers/claude/payload.ts"
import { HookPayload as CodexPayload } from "../../src/providers/codex/payload.ts"
import { RedactionConfig } from "../../src/redaction/policyConfig.ts"

export { decodeUnknownExit, decodeUnknownOption, decodeUnknownResult, is } from "effect/Schema"
export { payloads } from "../../src/domain/event.ts"

export const schemas = {
  Anchor,
  ArchivedEvent,
  Checksums,
  ClaudePayload,
  CodexPayload,
  Diagnostic,
  LockOwner,
  LogState,
  Manifest,
  ManifestJson,
  MemoryRecord,
  PreparedEvent,
  ProjectToggles,
  Provider,
  Receipt,
  RecoveryRecord,
  RedactionConfig,
  SessionId,
  SessionState,
  SignedReceipt,
  Timestamp,
  Usage
}
