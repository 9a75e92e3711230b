import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import type { Arm } from "../../src/domain/arm.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { type Conversation, IsolatedAgent, type Place, PlaceError } from "../../src/replay/IsolatedAgent.ts"
import { eventOf } from "../support/events.ts"

/** What an acted agent does about a conversation. `memory` holds what setup conversations of the same place said, where the arm has lint-ai. */
export interface Part {
  readonly arm: Arm
  readonly prompts: ReadonlyArray<string>
  readonly memory: ReadonlyArray<string>
  readonly place: Place
  readonly conversation: Conversation
}

export interface Acted {
  readonly answer: string
  /** What the agent's program prints as its answer, when the recording of it is another one. */
  readonly printed?: string
  /** Milliseconds between the prompt and the answer. */
  readonly workingMs?: number
  readonly outputTokens?: number
  readonly model?: string
  readonly fails?: string
  /** Of a failure: the agent's exit code; undefined when it was ended. */
  readonly exitCode?: number | undefined
  readonly durationMs?: number
}

/** What happened, as it happened. */
export interface Stage {
  readonly conversations: Array<{ readonly arm: string; readonly prompts: ReadonlyArray<string> }>
  readonly places: Array<string>
  /** How many places were open at the same time, at most. */
  most: number
}
export const newStage = (): Stage => ({ conversations: [], places: [], most: 0 })

/**
 * An agent that is acted: real places, which go when their scope ends, and real archives, which the same code reads that reads those of real agents. Answers
 * come from `act`.
 */
export const actedAgent = (
  stage: Stage,
  act: (part: Part) => Acted | Effect.Effect<Acted, PlaceError>,
  versionOf: (arm: Arm) => string = () => "1.2.3"
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      const memories = new Map<string, Array<string>>()
      let number = 0
      let open = 0
      const record = (place: Place, conversation: Conversation, acted: Acted, id: ReturnType<typeof sessionId>) => {
        const began = Date.UTC(2026, 7, 16, 12)
        const at = (milliseconds: number) => ({ timestamp: new Date(began + milliseconds).toISOString() })
        const working = acted.workingMs ?? 1000
        const events = [
          eventOf("session_start", "start", { source: "startup", model: acted.model ?? "model-1" }, at(0)),
          ...conversation.prompts.flatMap((text, turn) => [
            eventOf("user_prompt", `prompt ${turn}`, { text, origin: "user" }, at(10 + turn * working)),
            eventOf(
              "assistant_message",
              `answer ${turn}`,
              { text: acted.answer, final: true },
              at(10 + (turn + 1) * working)
            )
          ]),
          ...(acted.outputTokens === undefined
            ? []
            : [
                eventOf(
                  "turn_usage",
                  "usage",
                  {
                    source: "claude-transcript",
                    messages: [{ message_id: "m1", input_tokens: 100, output_tokens: acted.outputTokens }]
                  },
                  at(10 + working)
                )
              ]),
          eventOf("session_end", "end", { reason: "other" }, at(20 + working * conversation.prompts.length))
        ]
        return archive.append({
          sessionsRoot: place.sessionsRoot,
          id,
          events,
          opens: true,
          opening: Effect.succeed({
            provider: place.arm.provider,
            project_root: place.workspace,
            recording_mode: "capture-only",
            run_type: "replay",
            arm: place.arm.name
          }),
          lockWaitMs: 20_000,
          elapsedMs: () => 1
        })
      }
      return IsolatedAgent.layerTest({
        place: ({ arm, below }) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              const root = path.join(below, `place-${++number}`)
              const place = {
                workspace: path.join(root, "work"),
                settingsRoot: path.join(root, "settings"),
                agentVersion: versionOf(arm)
              }
              fs.mkdirSync(place.workspace, { recursive: true })
              fs.mkdirSync(place.settingsRoot)
              fs.writeFileSync(
                path.join(place.settingsRoot, "settings.json"),
                JSON.stringify({ memory: arm.native_memory, home: root })
              )
              stage.places.push(root)
              stage.most = Math.max(stage.most, ++open)
              return place
            }),
            (place) =>
              Effect.sync(() => {
                open--
                fs.rmSync(path.dirname(place.workspace), { recursive: true })
              })
          ),
        converse: (place, conversation) =>
          Effect.gen(function* () {
            const { arm } = place
            const { prompts } = conversation
            stage.conversations.push({ arm: arm.name, prompts })
            const own = memories.get(place.workspace) ?? []
            memories.set(place.workspace, own)
            const done = act({ arm, prompts, memory: arm.lint_ai ? [...own] : [], place, conversation })
            const acted = Effect.isEffect(done) ? yield* done : done
            own.push(...prompts)
            const id = sessionId(arm.provider, `replay-${stage.conversations.length}-${arm.name}`)
            const result = yield* record(place, conversation, acted, id).pipe(
              Effect.mapError((error) => new PlaceError({ arm: arm.name, reason: String(error) }))
            )
            if (result._tag !== "Appended") throw new Error(`the archive gave ${result._tag}`)
            return {
              sessionId: id,
              directory: result.directory,
              status: acted.fails === undefined ? "completed" : "failed",
              ...(acted.fails === undefined ? undefined : { reason: acted.fails }),
              exitCode: acted.fails === undefined ? 0 : acted.exitCode,
              answer: acted.printed ?? acted.answer,
              durationMs: acted.durationMs ?? 1000
            }
          })
      })
    })
  )
