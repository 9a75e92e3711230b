import * as Effect from "effect/Effect"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import { mainThread, threadOf } from "../export/modelCalls.ts"
import { measureSession } from "../replay/metrics.ts"
import type { Evidence } from "./evaluate.ts"
import type { Answer } from "./facts.ts"

/** What an archive tells for an evaluation; validators are the caller's. The archive is not changed. */
export const readEvidence = Effect.fn("readEvidence")(function* (directory: string, role: Evidence["role"]) {
  const metrics = yield* measureSession(directory)
  const answer = yield* readAnswer(directory)
  return { role, metrics, answer, validators: [] } satisfies Evidence
})

/** What a session's agent answered to its last prompt. */
export const readAnswer = Effect.fn("readAnswer")(function* (directory: string) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  const answers = answerFinder()
  yield* readEvents(directory, reading.manifest, {
    record: (record) => {
      if (record._tag === "Event") answers.add(record.event)
      else answers.damage()
    },
    spooled: answers.add
  })
  return answers.end()
})

type Said = Extract<ArchivedEvent, { readonly kind: "assistant_message" }>

/** Finds the last answer in events that come in their order. */
const answerFinder = () => {
  let said: Array<Said> = []
  let damaged = false
  return {
    add: (event: ArchivedEvent): void => {
      if (threadOf(event) !== mainThread) return
      if (event.kind === "user_prompt" && event.payload.origin === "user") {
        said = []
        damaged = false
      }
      if (event.kind === "assistant_message" && event.payload.text.trim() !== "") {
        said.push(event)
        damaged = false
      }
    },
    damage: (): void => {
      damaged = true
    },
    end: (): Answer | undefined => {
      const final = said.findLast(({ payload }) => payload.final)
      const lost = damaged ? "lines of the recording are damaged" : undefined
      if (final !== undefined) return { text: final.payload.text, lacks: lackOf(final) ?? lost }
      if (said.length === 0) return undefined
      return { text: said.map(({ payload }) => payload.text).join("\n"), lacks: lost ?? "the answer was not finished" }
    }
  }
}

const lackOf = ({ payload, truncated, redactions }: Said): string | undefined => {
  if (truncated?.some(({ path }) => path === "payload.text") === true) return "the recorded answer is cut"
  // The marker also stands in archives of recorders that kept no paths.
  const redacted = redactions.includes("payload.text") || payload.text.includes("[REDACTED:")
  return redacted ? "a part of the recorded answer is redacted" : undefined
}
