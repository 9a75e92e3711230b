import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { type Anchor, anchorName, listAnchors } from "../../archive/anchor.ts"
import type { SessionSummary } from "../../archive/readArchive.ts"
import { archiveFiles } from "../../archive/sessionDirectory.ts"
import { failedHooks } from "../../control/failedHooks.ts"
import { findSessions, rootsOf, type SessionScope } from "../../control/projectSessions.ts"
import { compareWithTranscript } from "../../evidence/againstTranscript.ts"
import { verifyArchive, verifyMissing, verifyUnreadable } from "../../evidence/verify.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { NotBoth, TranscriptDiffers, TranscriptUnsupported, VerificationFailed } from "../errors.ts"
import { json, oneSession, optionalString, sessionScope } from "../options.ts"
import { told } from "../render/diskWords.ts"
import { renderComparison, renderVerification } from "../render/sessions.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"
import { findSession, noSessions, scopeOf, unreadableNamed } from "../sessions.ts"

export const verifyCommand = Command.make(
  "verify",
  {
    session: oneSession,
    all: Flag.Boolean("all").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Every session of the project, also those of which only the anchor is left")
    ),
    againstTranscript: optionalString(
      "against-transcript",
      "Also hold the record against the agent's own transcript, call by call",
      "FILE"
    ),
    json,
    ...sessionScope
  },
  Effect.fn("sessions verify")(function* (flags) {
    const host = yield* Host
    if (flags.all && flags.session !== undefined) return yield* new NotBoth({ one: "a session", other: "--all" })
    if (flags.all && flags.againstTranscript !== undefined) {
      return yield* new NotBoth({ one: "--all", other: "--against-transcript" })
    }
    const scope = yield* scopeOf(flags)
    if (flags.againstTranscript !== undefined) {
      const found = yield* findSession(scope, flags.session)
      const file = path.resolve(host.cwd, flags.againstTranscript)
      const verified = yield* verifyArchive(found.directory)
      const verification = verified && { ...verified, failed_hooks: yield* failedHooks(found.manifest) }
      const comparison = yield* compareWithTranscript(found.directory, file)
      if (comparison === undefined) return yield* new TranscriptUnsupported({ provider: found.manifest.provider })
      yield* report(
        flags.json,
        { ...verification, against_transcript: comparison },
        (_, look) =>
          (verification === undefined ? "" : renderVerification(verification, look.style)) +
          renderComparison(comparison)
      )
      const { session_id } = found.manifest
      if (verification?.verdict === "broken") return yield* new VerificationFailed({ sessions: [session_id] })
      if (!comparison.agrees) return yield* new TranscriptDiffers({ session: session_id })
      return
    }
    const missing = yield* missingRecords(scope)
    const given = flags.session
    const all = yield* findSessions(scope)
    const roots = yield* rootsOf(scope)
    // A log whose manifest is gone is no session in a list, and a record all the same.
    const unlisted = all.unreadable.filter((directory) => !roots.includes(directory))
    const chosen = flags.all
      ? [...all.sessions.map((one) => one.directory), ...unlisted]
      : [
          (given === undefined ? undefined : unreadableNamed(unlisted, given)) ??
            (yield* findSession(scope, given).pipe(
              Effect.map((one) => one.directory),
              // One that is gone as a whole is told by its anchor alone.
              Effect.catchTag("SessionNotFound", (error) =>
                missing.some((anchor) => isNamed(anchor, given)) ? Effect.succeed(undefined) : Effect.fail(error)
              )
            ))
        ].filter((one) => one !== undefined)
    const gone = flags.all ? missing : missing.filter((anchor) => isNamed(anchor, given))
    if (chosen.length + gone.length === 0) return yield* noSessions(scope)
    const checked = yield* Effect.forEach(chosen, (directory) =>
      verifyWhole(directory, all.sessions).pipe(
        // What cannot be read in one place keeps nobody from looking at the others.
        Effect.catchIf(
          () => flags.all,
          (error) => Effect.succeed(verifyUnreadable(directory, plain(told(error))))
        )
      )
    )
    const results = [...checked.flatMap((one) => (one === undefined ? [] : [one])), ...gone.map(verifyMissing)]
    yield* report(flags.json, flags.all ? { sessions: results } : results[0], (_, look) =>
      results.map((one) => renderVerification(one, look.style)).join("")
    )
    const broken = results.filter((one) => one.verdict === "broken").map((one) => one.session_id)
    if (broken.length > 0) return yield* new VerificationFailed({ sessions: broken })
  })
).pipe(Command.withDescription("Check that a record was not altered; exit code 4 when it was"))

/** What the record says, and what it cannot know: how many hooks failed while it was made. */
const verifyWhole = Effect.fn("verifyWhole")(function* (directory: string, sessions: ReadonlyArray<SessionSummary>) {
  const verification = yield* verifyArchive(directory)
  const manifest = sessions.find((one) => one.directory === directory)?.manifest
  if (verification === undefined || manifest === undefined) return verification
  return { ...verification, failed_hooks: yield* failedHooks(manifest) }
})

/** Anchors of archives in scope that are gone although nobody deleted them with lint-ai. */
const missingRecords = Effect.fn("missingRecords")(function* (scope: SessionScope) {
  const disk = yield* Disk
  const roots = yield* rootsOf(scope)
  const gone: Array<Anchor> = []
  // One that was moved within its root is there under another name.
  const { sessions: there } = yield* findSessions(scope)
  const known = new Set(there.map(({ manifest }) => anchorName(manifest.session_id, manifest.started_at)))
  for (const [name, anchor] of yield* listAnchors()) {
    if (known.has(name) || anchor.deleted_at !== undefined || !roots.includes(path.dirname(anchor.archive))) continue
    const log = yield* disk.status(archiveFiles(anchor.archive).events)
    if (log === undefined || log.size === 0) gone.push(anchor)
  }
  return gone
})

const isNamed = (anchor: Anchor, given: string | undefined): boolean =>
  given !== undefined &&
  [
    anchor.session_id,
    anchor.session_id.slice(anchor.session_id.indexOf(":") + 1),
    path.basename(anchor.archive)
  ].includes(given)
