import * as Schema from "effect/Schema"
import { Diagnostic } from "../../control/Diagnostics.ts"
import type { Consent } from "../../control/Toggles.ts"
import { Mode, Toggles } from "../../domain/mode.ts"
import { Provider } from "../../domain/provider.ts"
import { Usage } from "../../domain/usage.ts"
import { count, document, flag, list, maybe, number, oneOf, orNull, struct, text } from "./CommandDocument.ts"

const view = struct({
  provider: Provider,
  mode: Mode,
  project: text,
  sessionRoot: text,
  retrieval: flag,
  nativeMemory: oneOf(["unchanged", "off"]),
  redactionPolicy: text,
  redactionRules: struct({ added: count, allowed: count }),
  limits: struct({ stringBytes: count, eventBytes: count, sessionBytes: count }),
  command: text
})
const planFields = {
  provider: Provider,
  action: text,
  files: list(struct({ path: text, target: text, changes: list(text), backup: orNull(text) })),
  notes: list(text)
}
const plan = struct(planFields)
const applied = struct({
  path: text,
  target: text,
  outcome: oneOf(["created", "changed", "restored", "removed"]),
  backup: maybe(text)
})
const remain = struct({ path: text, what: text, bytes: count })
const installed = Schema.Union([
  struct({ view, plan, dry_run: Schema.Literal(true) }),
  struct({ view, plan, files: list(applied), unfound: list(Schema.Unknown), toggles: orNull(Toggles) })
])
const consent = oneOf(["adopted", "inert", "off"] satisfies ReadonlyArray<Consent["_tag"]>)
const memorySwitchFields = {
  provider: Provider,
  project: text,
  memory: flag,
  recording: flag,
  mode: Mode,
  display: text
}
const recordingFields = {
  provider: Provider,
  project: text,
  recording: flag,
  memory: flag,
  mode: Mode,
  session_root: text
}

export const setupDocuments = [
  document("init", "What was shown, planned and done to set a project up", installed),
  document("install", "What was shown, planned and done to register the hooks of an agent", installed),
  document(
    "uninstall",
    "What was planned and done to take lint-ai out, and what stays",
    Schema.Union([
      struct({ plan, files: list(applied), dry_run: flag, left: list(remain) }),
      struct({
        plans: list(struct({ ...planFields, project: text, scope: text })),
        user: list(remain),
        project: list(remain),
        others: list(remain),
        dry_run: Schema.Literal(true)
      }),
      struct({ files: list(applied), removed: list(remain), left: list(remain), dry_run: Schema.Literal(false) })
    ])
  ),
  document(
    "enable",
    "The switches of an agent after memory was turned on",
    struct({ ...memorySwitchFields, hooks_installed: flag, hooks_idle_because: orNull(text) })
  ),
  document("disable", "The switches of an agent after memory was turned off", struct(memorySwitchFields)),
  document(
    "record start",
    "The switches of an agent after recording was turned on",
    struct({ ...recordingFields, hooks_installed: flag, hooks_idle_because: orNull(text) })
  ),
  document(
    "record stop",
    "The switches of an agent after recording was turned off, and the archives that ended",
    struct({ ...recordingFields, closed: list(text) })
  ),
  document(
    "record status",
    "Whether an agent is recorded in a project",
    struct({
      ...recordingFields,
      hooks_installed: flag,
      hooks_idle_because: orNull(text),
      consent,
      active_sessions: list(text)
    })
  ),
  document("adopt", "Whose the .lint-ai of a project is now", struct({ project: text, consent, config: maybe(text) })),
  document(
    "status",
    "What is on in a project, what is installed, what is stored and what went wrong",
    struct({
      project: text,
      consent,
      inert_because: maybe(text),
      repository: orNull(
        struct({ revision: orNull(text), branch: orNull(text), dirty: flag, tracked_recordings: count })
      ),
      providers: list(
        struct({
          provider: Provider,
          recording: flag,
          memory: flag,
          mode: Mode,
          hooks: list(struct({ path: text, events: count, state: text })),
          session_root: text,
          session_count: count,
          byte_count: count,
          active_sessions: list(text),
          /** Why nothing of this memory is read: it is not the user's own. */
          memory_unread_because: maybe(oneOf(["unsigned", "link", "no-key"]))
        })
      ),
      spooled_deliveries: count,
      unreadable: list(text),
      configuration_faults: list(struct({ file: text, problem: text })),
      diagnostic_count: count,
      diagnostics: list(Diagnostic)
    })
  ),
  document(
    "doctor",
    "Everything that was checked; one that is not ok has a remedy",
    struct({
      project: text,
      checks: list(
        struct({ name: text, state: oneOf(["ok", "note", "warn", "fail"]), found: text, remedy: maybe(text) })
      )
    })
  ),
  document(
    "mcp verify",
    "How the MCP server answered, in both framings",
    struct({
      ok: Schema.Literal(true),
      status: text,
      provider: Provider,
      project: text,
      program: struct({ file: text, args: list(text) }),
      runs: list(
        struct({
          framing: oneOf(["lines", "headers"]),
          startup_ms: number,
          initialize_ms: number,
          protocol_version: text,
          server_info: struct({ name: text, version: text }),
          tools_list_ms: number,
          tools_count: count,
          call_ms: number,
          display: text,
          shutdown_ms: number
        })
      )
    })
  ),
  {
    ...document(
      "codex watch",
      "First what is watched, then a line for each message of which Codex tells the tokens",
      Schema.Union([
        struct({ watching: text }),
        struct({ session_id: text, turn_id: orNull(text), usage: maybe(Usage), outcome: text })
      ])
    ),
    lines: true
  },
  document(
    "codex trust",
    "Which hooks Codex runs, and which it was told to trust",
    struct({
      project: text,
      root: text,
      project_trusted: flag,
      trusted_now: list(text),
      hooks: list(struct({ event: text, source: text, command: text, trust: text, key: text })),
      warnings: list(text),
      dry_run: flag
    })
  )
]
