import * as crypto from "node:crypto"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { replaceFile } from "../../archive/atomicFile.ts"
import type { ArchivedEvent } from "../../domain/event.ts"
import type { Provider } from "../../domain/provider.ts"
import { uuidOf } from "../../export/agentTrace.ts"
import { eachEvent, type Source } from "../../export/Exporter.ts"
import { indexSession, type ModelCall, mainThread, promptTokens } from "../../export/modelCalls.ts"
import { traceIdOf } from "../../export/otlp.ts"
import { type Step, stepCutter } from "../../export/steps.ts"
import { Disk, DiskError } from "../../platform/Disk.ts"
import type { Host } from "../../platform/Host.ts"
import {
  type AirRecord,
  type AirRecordTaken,
  type AirWriter,
  airTime,
  type UnsafeRunId,
  withAirWriter
} from "./AirWriter.ts"

/** What an export did. */
export interface AirExport {
  readonly session_id: string
  readonly directory: string
  /** The chain_seq that the chain had before; 0 for a fresh one. */
  readonly resumed_at: number
  readonly written: number
  /** Calls that had their record already. */
  readonly known: number
  /** Of those written: turns whose model calls were not observed. */
  readonly turns: number
}

/** The endpoint of a record that stands for a whole turn, because its model calls were not observed. */
export const turnEndpoint = "lint-ai:turn"
const bucket = "air-runs"
/** Bytes of the events of one payload; what a turn has beyond it is counted and left in the archive. */
const mostPayloadBytes = 8 * 1024 * 1024

const vendors: Readonly<Record<Provider, string>> = {
  claude: "anthropic",
  codex: "openai",
  gemini: "google",
  antigravity: "google"
}

/** A record that waits to be written, with the events that it was asked with and answered by. */
interface Draft {
  readonly record: Omit<
    AirRecord,
    "request_vault_ref" | "response_vault_ref" | "request_checksum" | "response_checksum"
  >
  readonly request: ReadonlyArray<ArchivedEvent>
  readonly response: ReadonlyArray<ArchivedEvent>
  readonly isTurn: boolean
}

/**
 * Writes one AIR record for each model call of a session that was observed, in the order in which they ended, and one for each turn of which none
 * was (`endpoint` says so). Payloads are the redacted events around the call, assigned by time; they go to the vault, and the records hold their
 * checksums. Running it again adds what is new.
 */
export const exportAir = Effect.fn("exportAir")(function* (
  source: Source,
  places: { readonly runs: string; readonly vault: string },
  key: string
) {
  return yield* withAirWriter(places.runs, key, (writer) => exportWith(source, places, writer))
})

const exportWith = Effect.fnUntraced(function* (
  source: Source,
  places: { readonly runs: string; readonly vault: string },
  writer: AirWriter
) {
  const { manifest } = source
  const disk = yield* Disk
  const machine = yield* Effect.context<Disk | Host>()
  const index = yield* indexSession(source.directory, manifest)
  const drafts: Array<Draft> = []
  const plan = planner(source, index.configHash, (draft) => drafts.push(draft))
  const cutter = stepCutter(index, plan.step)
  let written = 0
  let known = 0
  let turns = 0
  let failure: UnsafeRunId | AirRecordTaken | undefined

  const put = Effect.fnUntraced(function* (draft: Draft) {
    const { run_id } = draft.record
    if (writer.has(run_id)) {
      known++
      return
    }
    const store = Effect.fnUntraced(function* (name: "request" | "response", events: ReadonlyArray<ArchivedEvent>) {
      if (events.length === 0) return { ref: "", checksum: "" }
      const bytes = payloadOf(source, events)
      const directory = path.join(places.vault, bucket, run_id)
      yield* disk.makeDirectory(directory)
      yield* replaceFile(path.join(directory, `${name}.json`), bytes)
      return {
        ref: `vault://${bucket}/${run_id}/${name}.json`,
        checksum: `sha256:${crypto.createHash("sha256").update(bytes).digest("hex")}`
      }
    })
    const request = yield* store("request", draft.request)
    const response = yield* store("response", draft.response)
    const isNew = yield* writer.write({
      ...draft.record,
      request_vault_ref: request.ref,
      response_vault_ref: response.ref,
      request_checksum: request.checksum,
      response_checksum: response.checksum
    })
    if (isNew) written++
    if (isNew && draft.isTurn) turns++
  })
  const flush = Effect.suspend(() => Effect.forEach(drafts.splice(0), put, { discard: true })).pipe(
    Effect.catchTags({
      UnsafeRunId: (error) => stop(error),
      AirRecordTaken: (error) => stop(error)
    }),
    Effect.provideContext(machine)
  )
  // A reader of archives knows failures of the disk only.
  const stop = (error: UnsafeRunId | AirRecordTaken) => {
    failure = error
    return Effect.fail(new DiskError({ operation: "write", path: places.runs, code: error._tag }))
  }
  yield* Effect.gen(function* () {
    yield* eachEvent(source, { add: () => undefined, flush }, (event) => {
      plan.event(event)
      cutter.event(event)
    })
    cutter.end()
    plan.end()
    yield* flush
  }).pipe(Effect.mapError((error): DiskError | UnsafeRunId | AirRecordTaken => failure ?? error))
  return {
    session_id: manifest.session_id,
    directory: places.runs,
    resumed_at: writer.resumedAt,
    written,
    known,
    turns
  } satisfies AirExport
})

/** What the vault keeps: events as archived, without their place in the archive's own chain. */
const payloadOf = (source: Source, events: ReadonlyArray<ArchivedEvent>): Buffer => {
  let bytes = 0
  const kept = events.filter((event) => {
    bytes += JSON.stringify(event).length
    return bytes <= mostPayloadBytes
  })
  const document = {
    format: "lint-ai-events-v1",
    session_id: source.manifest.session_id,
    assigned_by: "time",
    ...(kept.length < events.length ? { left_out: events.length - kept.length } : undefined),
    events: kept.map(({ chain_hash: _hash, ...event }) => event)
  }
  return Buffer.from(JSON.stringify(document))
}

/** Turns steps into drafts of records: those with model calls one by one, those without by the turn. */
const planner = (source: Source, configHash: string | undefined, emit: (draft: Draft) => void) => {
  const { manifest } = source
  /** Steps of a thread's turn whose call has not come. */
  const waiting = new Map<string, { readonly turnId: string | undefined; readonly steps: Array<Step> }>()
  const lastStep = new Map<string, string>()
  const runId = (...parts: ReadonlyArray<string>) => uuidOf("air", manifest.session_id, manifest.started_at, ...parts)

  const add = (
    thread: string,
    draft: Omit<Draft, "record"> & {
      readonly record: Pick<AirRecord, "run_id" | "timestamp" | "model" | "endpoint" | "tokens" | "duration_ms"> & {
        readonly error: string | undefined
      }
    }
  ): void => {
    const { error, ...record } = draft.record
    const parent = lastStep.get(thread) ?? lastStep.get(mainThread)
    lastStep.set(thread, record.run_id)
    emit({
      ...draft,
      record: {
        run_id: record.run_id,
        trace_id: traceIdOf(manifest),
        timestamp: airTime(record.timestamp),
        model: record.model,
        provider: vendors[manifest.provider],
        endpoint: record.endpoint,
        tokens: record.tokens,
        duration_ms: record.duration_ms,
        status: error === undefined ? "success" : "error",
        ...(error === undefined ? undefined : { error }),
        trajectory_id: manifest.session_id,
        step_id: record.run_id,
        ...(parent === undefined ? undefined : { parent_ids: [parent] }),
        ...(configHash === undefined ? undefined : { config_hash: configHash })
      }
    })
  }

  const settleTurn = (thread: string): void => {
    const turn = waiting.get(thread)
    waiting.delete(thread)
    const outputs = turn?.steps.flatMap((step) => step.outputs) ?? []
    const last = outputs.at(-1)
    const first = turn?.steps.flatMap((step) => [...step.inputs, ...step.outputs])[0]
    if (turn === undefined || last === undefined || first === undefined) return
    add(thread, {
      record: {
        run_id: runId("turn", thread, first.event_id),
        timestamp: last.timestamp,
        model: "",
        endpoint: turnEndpoint,
        tokens: { prompt: 0, completion: 0, total: 0 },
        duration_ms: Math.max(0, Date.parse(last.timestamp) - Date.parse(first.timestamp)),
        error: errorIn(turn.steps)
      },
      request: turn.steps.flatMap((step) => step.inputs),
      response: outputs,
      isTurn: true
    })
  }

  return {
    /** A request that failed has no usage, and only its own event tells of it. */
    event: (event: ArchivedEvent): void => {
      if (event.kind !== "provider_event" || event.payload.name !== "PostModelRequest") return
      const fields = event.payload.fields
      const { model, error, status } = (typeof fields === "object" && fields !== null ? fields : {}) as {
        readonly model?: unknown
        readonly error?: unknown
        readonly status?: unknown
      }
      const reason = error ?? status
      add(event.provider_ids?.agent_id ?? mainThread, {
        record: {
          run_id: runId("failed", event.event_id),
          timestamp: event.timestamp,
          model: typeof model === "string" ? model : "",
          endpoint: "",
          tokens: { prompt: 0, completion: 0, total: 0 },
          duration_ms: 0,
          error: typeof reason === "string" ? reason : JSON.stringify(reason ?? "failed")
        },
        request: [],
        response: [],
        isTurn: false
      })
    },
    step: (step: Step): void => {
      const turn = waiting.get(step.thread)
      const isNew = step.turnId === undefined ? startsTurn(step) : turn?.turnId !== step.turnId
      if (isNew) settleTurn(step.thread)
      if (step.calls.length === 0) {
        const open = waiting.get(step.thread) ?? { turnId: step.turnId, steps: [] }
        open.steps.push(step)
        waiting.set(step.thread, open)
        return
      }
      const before = waiting.get(step.thread)?.steps ?? []
      waiting.delete(step.thread)
      for (const [at, call] of step.calls.entries()) {
        const first = at === 0
        const last = at === step.calls.length - 1
        add(step.thread, {
          record: {
            run_id: runId("call", call.usage.message_id),
            timestamp: new Date(call.endMs).toISOString(),
            model: call.usage.model ?? "",
            endpoint: "",
            tokens: tokensOf(call),
            duration_ms: call.startMs === undefined ? 0 : Math.max(0, call.endMs - call.startMs),
            error: last ? errorIn([step]) : undefined
          },
          request: first ? [...before.flatMap((one) => [...one.inputs, ...one.outputs]), ...step.inputs] : [],
          response: last ? step.outputs : [],
          isTurn: false
        })
      }
    },
    end: (): void => {
      for (const thread of [...waiting.keys()]) settleTurn(thread)
    }
  }
}

const startsTurn = (step: Step): boolean => step.inputs.some((input) => input.kind === "user_prompt")

const errorIn = (steps: ReadonlyArray<Step>): string | undefined => {
  const said = steps.flatMap((step) => step.outputs).findLast((output) => output.kind === "assistant_message")
  return said?.kind === "assistant_message" ? said.payload.error : undefined
}

/** Numbers always stand in a record; 0 is what the format has for a count that was not observed. */
const tokensOf = ({ usage }: ModelCall): AirRecord["tokens"] => {
  const prompt = promptTokens(usage) ?? 0
  const completion = usage.output_tokens ?? 0
  return { prompt, completion, total: usage.total_tokens ?? prompt + completion }
}
