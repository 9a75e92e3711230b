import * as path from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import type { Provider } from "../../domain/provider.ts"
import type { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { type AgentMissing, type AgentTooSlow, type AgentUnusable, ProviderCli } from "../../providers/ProviderCli.ts"
import { claudeExtractor } from "./claudeExtractor.ts"
import { codexExtractor } from "./codexExtractor.ts"
import {
  candidateSchema,
  type ExtractionRequest,
  type ExtractionResult,
  type ExtractorHost,
  type FailureReason,
  failure
} from "./contract.ts"
import type { ExtractorAdapter } from "./ExtractorAdapter.ts"
import { isolated } from "./isolation.ts"
import { extractionPrompt, fenced, lastWords } from "./prompt.ts"

const adapters: Readonly<Record<ExtractorHost, ExtractorAdapter>> = { claude: claudeExtractor, codex: codexExtractor }

const adapterOf = (host: Provider): ExtractorAdapter | undefined =>
  host === "claude" || host === "codex" ? adapters[host] : undefined

export interface ExtractorOptions {
  readonly model?: string | undefined
  /** After it the agent and its whole process group are killed. */
  readonly timeout?: Duration.Input
  /** The same for the question what its program can do. */
  readonly probeTimeout?: Duration.Input
}

const extractionTimeout = Duration.seconds(120)
const probeTimeout = Duration.seconds(5)

/** Has an agent extract from one transcript. Every way in which that can end is a result. */
export type Extract = (request: ExtractionRequest) => Effect.Effect<ExtractionResult, never, Needs>

/**
 * Extraction by the agent whose `ProviderCli` there is; a request that names another one is refused. Each transcript is dealt with by a process of
 * its own, in an empty directory with fresh settings. What the program can do is asked once.
 */
export const makeExtractor = (options: ExtractorOptions = {}): Extract => {
  let abilities: string | undefined
  return (request) =>
    Effect.gen(function* () {
      const { host } = request
      const adapter = adapterOf(host)
      const cli = yield* ProviderCli
      if (adapter === undefined || cli.provider !== host) {
        const error = `unsupported host: ${adapter === undefined ? host : `${cli.provider} in the place of ${host}`}`
        return failure({ reason: "extractor-unavailable", host, runtime: host, code: null, error })
      }
      const { runtime } = adapter
      if (request.transcript.text.trim() === "") {
        const error = "the transcript is empty"
        return failure({ reason: "transcript-unavailable", host, runtime, code: null, error })
      }
      const place = yield* isolated(adapter.settings, adapter.env)
      const schemaFile = path.join(place.root, "candidates.schema.json")
      yield* createFile(schemaFile, Buffer.from(JSON.stringify(candidateSchema)))
      const surroundings = { cwd: place.work, env: place.env }
      if (abilities === undefined && adapter.probe !== undefined) {
        const timeout = options.probeTimeout ?? probeTimeout
        abilities = (yield* cli.run({ ...surroundings, prompt: "", args: adapter.probe, timeout })).stdout
      }
      const { randomHex } = yield* Host
      const fence = randomHex(8)
      const answer = yield* cli.run({
        ...surroundings,
        ...adapter.call(schemaFile, abilities ?? ""),
        model: options.model,
        prompt: extractionPrompt(request.transcript.form, fence),
        input: fenced(request.transcript.text, fence),
        timeout: options.timeout ?? extractionTimeout
      })
      const code = answer.exitCode
      if (code !== 0) {
        const error = answer.errors.length > 0 ? answer.errors.join("; ") : lastWords(answer.stderr || answer.stdout)
        const reason = notRun.has(code) ? "extractor-unavailable" : "extractor-failed"
        return failure({ reason, host, runtime, code, error })
      }
      const reading = adapter.read(answer, abilities ?? "")
      if ("candidates" in reading) return { ok: true as const, candidates: reading.candidates }
      return failure({ ...reading, host, runtime, code })
    }).pipe(
      Effect.scoped,
      Effect.catch((error) => {
        const { host } = request
        const runtime = adapterOf(host)?.runtime ?? host
        return Effect.succeed(failure({ reason: reasonOf(error), host, runtime, code: null, error: error.message }))
      })
    )
}

/**
 * What a shell exits with when it cannot run, or find, what it was told to: so ends a file that is no program, and a wrapper of one that is gone.
 */
const notRun = new Set([126, 127])

const reasonOf = (error: Refusal): FailureReason => {
  if (error._tag === "AgentTooSlow") return "extractor-timeout"
  return error._tag === "AgentMissing" || error._tag === "AgentUnusable" ? "extractor-unavailable" : "extractor-failed"
}

type Refusal = AgentMissing | AgentUnusable | AgentTooSlow | Effect.Error<ReturnType<typeof isolated>>
type Needs = ProviderCli | Disk | Host
