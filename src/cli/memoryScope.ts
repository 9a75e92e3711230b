import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { projectSettings } from "../control/projectSettings.ts"
import { type Provider, providers } from "../domain/provider.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import type { Memory } from "../memory/memoryAnswers.ts"
import { type MemoryPlace, memoryPlace } from "../memory/memoryPlace.ts"
import { promotionFields } from "../memory/promotion.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { projectOf } from "./project.ts"

/** No memory has an id that begins so. */
export class MemoryNotFound extends Data.TaggedError("MemoryNotFound")<{ readonly given: string }> {
  override get message(): string {
    return `No memory "${this.given}". \`lint-ai memory list\` shows all.`
  }
}

/** More than one memory has an id that begins so. */
export class MemoryAmbiguous extends Data.TaggedError("MemoryAmbiguous")<{
  readonly given: string
  readonly matches: ReadonlyArray<string>
}> {
  override get message(): string {
    return `"${this.given}" fits ${this.matches.length} memories: ${this.matches.slice(0, 5).join(", ")}. Give more of the id.`
  }
}

/** No memory is of a session that is called so. */
export class MemorySessionNotFound extends Data.TaggedError("MemorySessionNotFound")<{ readonly given: string }> {
  override get message(): string {
    return `No memory of a session "${this.given}". \`lint-ai memory list --json\` says of which session each is.`
  }
}

/** More than one session that is remembered has an id that begins so. */
export class MemorySessionAmbiguous extends Data.TaggedError("MemorySessionAmbiguous")<{
  readonly given: string
  readonly matches: ReadonlyArray<string>
}> {
  override get message(): string {
    return `"${this.given}" fits ${this.matches.length} sessions: ${this.matches.slice(0, 5).join(", ")}. Give more of the id.`
  }
}

/** `--events` or `--exclude` cannot be understood. */
export class EventsInvalid extends Data.TaggedError("EventsInvalid")<{ readonly given: string }> {
  override get message(): string {
    return `"${this.given}" names no events. Give a number or a range, such as 3-17; \`lint-ai sessions inspect\` shows how many there are.`
  }
}

/** `--fields` names something that a recording does not have. */
export class FieldUnknown extends Data.TaggedError("FieldUnknown")<{ readonly given: string }> {
  override get message(): string {
    return `"${this.given}" is no field. There are ${promotionFields.join(", ")}.`
  }
}

/** `memory forget` was not told what. */
export class NothingToForget extends Data.TaggedError("NothingToForget") {
  override get message(): string {
    return "Say which memories to forget: their ids, or --session with the id of the session that they come from."
  }
}

export interface MemoryFlags {
  readonly project: string | undefined
  readonly provider: Provider | undefined
}

/** The memories that a command is about: of one agent, or of all, in a project. */
export const memoryPlaces = Effect.fn("memoryPlaces")(function* (flags: MemoryFlags) {
  const projectRoot = yield* projectOf(flags.project)
  const wanted = flags.provider === undefined ? providers : [flags.provider]
  const places = yield* Effect.forEach(wanted, (provider) => memoryPlace(projectRoot, provider))
  return { projectRoot, places }
})

/** The one memory that an id, or its beginning, means. */
export const findMemory = Effect.fn("findMemory")(function* (places: ReadonlyArray<MemoryPlace>, given: string) {
  const store = yield* MemoryStore
  const prefix = given.startsWith("mem_") ? given : `mem_${given}`
  const found: Array<{ readonly place: MemoryPlace; readonly memory: Memory }> = []
  for (const place of places) {
    for (const memory of yield* store.find(place, prefix)) found.push({ place, memory })
  }
  const exact = found.find(({ memory }) => memory.id === prefix)
  const [only, ...others] = exact === undefined ? found : [exact]
  if (only === undefined) return yield* new MemoryNotFound({ given })
  if (others.length > 0) return yield* new MemoryAmbiguous({ given, matches: found.map(({ memory }) => memory.id) })
  return only
})

/** The one session that is remembered and that an id, or its beginning, means. */
export const rememberedSession = Effect.fn("rememberedSession")(function* (
  places: ReadonlyArray<MemoryPlace>,
  given: string
) {
  const store = yield* MemoryStore
  const matches = (yield* Effect.forEach(places, (place) => store.sessions(place, given))).flat()
  const [only, ...others] = matches
  if (only === undefined) return yield* new MemorySessionNotFound({ given })
  if (others.length > 0) return yield* new MemorySessionAmbiguous({ given, matches })
  return only
})

/** Runs `use` with the redactor that holds in a project. */
export const withProjectRedactor = Effect.fn("withProjectRedactor")(function* <A, E, R>(
  projectRoot: string,
  use: Effect.Effect<A, E, R>
) {
  const settings = yield* projectSettings(projectRoot)
  return yield* Effect.provideService(use, Redactor, Redactor.make(settings.redaction))
})
