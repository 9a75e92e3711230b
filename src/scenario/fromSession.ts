import * as path from "node:path"
import * as Effect from "effect/Effect"
import { readEvents, type SessionSummary } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Scenario } from "../domain/scenario.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { measureSession, type SessionMetrics } from "../replay/metrics.ts"
import { userPrompts } from "../replay/prompts.ts"
import { freezeBaseline, NoPrompts } from "../replay/ReplayOrchestrator.ts"

/** The user's prompts of a session, in order. Those without a text are left out: nothing can be asked with them. */
export const readPrompts = Effect.fn("readPrompts")(function* ({ directory, manifest }: SessionSummary) {
  const events: Array<ArchivedEvent> = []
  const add = (event: ArchivedEvent): void => {
    if (event.kind === "user_prompt") events.push(event)
  }
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") add(record.event)
    },
    spooled: add
  })
  return userPrompts(events).filter(({ text }) => text.trim() !== "")
})

export interface MadeScenario {
  readonly scenario: Scenario
  /** Prompts, by their number from 1, that are not as the user wrote them. */
  readonly incomplete: ReadonlyArray<{ readonly prompt: number; readonly altered: ReadonlyArray<string> }>
}

/**
 * Makes a scenario of a session: all prompts of the user but the last as setup, the last as what is scored. The archive is frozen, since a scenario refers
 * to it: a continuation of the session opens another one.
 */
export const scenarioFromSession = Effect.fn("scenarioFromSession")(function* (
  session: SessionSummary,
  projectRoot: string
) {
  const disk = yield* Disk
  const { directory, manifest } = session
  const last = (yield* readPrompts(session)).at(-1)
  if (last === undefined) return yield* new NoPrompts({ session: manifest.session_id })
  // Before it is read: what stands in the scenario is what stays.
  yield* freezeBaseline(session)
  const prompts = yield* readPrompts(session)
  const metrics = yield* measureSession(directory)
  const events = yield* disk.readFile(archiveFiles(directory).events)
  const inside = path.relative(projectRoot, directory)
  const scenario: Scenario = {
    schema_version: 1,
    id: scenarioId(manifest.session_id),
    category: "session-review",
    source_session: {
      provider: manifest.provider,
      session_id: manifest.session_id,
      archive: inside.startsWith("..") || path.isAbsolute(inside) ? directory : inside.split(path.sep).join("/"),
      repository_revision: manifest.repository_revision ?? null,
      events_sha256: sha256(events)
    },
    setup_messages: prompts.slice(0, -1).map(({ text }) => ({ prompt: text, establishes_fact_ids: [] })),
    continuation_prompt: (prompts.at(-1) ?? last).text,
    expected_facts: [],
    forbidden_facts: [],
    validators: [],
    limits: limitsFrom(metrics)
  }
  const incomplete = prompts.flatMap(({ altered }, index) =>
    altered.length === 0 ? [] : [{ prompt: index + 1, altered }]
  )
  return { scenario, incomplete } satisfies MadeScenario
})

/** `claude:4F1C-09` becomes `review-claude-4f1c-09`. */
const scenarioId = (sessionId: string): string =>
  `review-${sessionId.toLowerCase().replace(/[^a-z0-9._-]+/g, "-")}`.slice(0, 120)

/**
 * Limits to begin with: twice what the session took, and no less than a usual one needs. A limit on what the recorder does not see would make every
 * verdict unknown.
 */
const limitsFrom = ({ working_ms, tokens }: SessionMetrics): Scenario["limits"] => ({
  max_duration_seconds: Math.max(600, upTo(60, ((working_ms ?? 0) * 2) / 1000)),
  ...(typeof tokens?.output_tokens === "number"
    ? { max_output_tokens: Math.max(4_000, upTo(1_000, tokens.output_tokens * 2)) }
    : undefined)
})

const upTo = (step: number, value: number): number => Math.ceil(value / step) * step
