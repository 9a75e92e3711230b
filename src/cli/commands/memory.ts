import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { counted } from "../../domain/counted.ts"
import { MemoryKind } from "../../domain/memory.ts"
import { excerptOf } from "../../memory/excerpt.ts"
import { forgetCandidates } from "../../memory/extraction/staging.ts"
import { learnRevisions } from "../../memory/learnRevisions.ts"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import type { Memory } from "../../memory/memoryAnswers.ts"
import { type MemoryPlace, memoryPlace } from "../../memory/memoryPlace.ts"
import { promotionFields, promotionOf, rangesOf, usualFields } from "../../memory/promotion.ts"
import { revisionStatuses } from "../../memory/revisionStatus.ts"
import { readHead } from "../../recorder/repository.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { confirm } from "../confirm.ts"
import {
  EventsInvalid,
  FieldUnknown,
  findMemory,
  memoryPlaces,
  NothingToForget,
  rememberedSession,
  withProjectRedactor
} from "../memoryScope.ts"
import { json, optionalString, project, providerFlag, repeatable, sessionRoot, wholeNumber, yes } from "../options.ts"
import { renderHits, renderMemory, renderMemoryList, renderStats } from "../render/memory.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

const scopeFlags = { project, provider: providerFlag }
const none =
  "No memories yet. They are made at the end of turns while memory is on (`lint-ai enable`), or by `lint-ai memory promote`.\n"

const most = 1000
const limitFlag = (usual: number) =>
  wholeNumber("limit", 1).pipe(
    Flag.withDefault(usual),
    Flag.withDescription(`How many at most, up to ${most} (default: ${usual})`)
  )
const within = (limit: number): number => Math.min(most, limit)

/** Memories with what Git says of their commits; asks it about those that nobody has asked about. */
const withStatus = Effect.fn("withStatus")(function* <M extends Memory>(
  place: MemoryPlace,
  projectRoot: string,
  memories: ReadonlyArray<M>
) {
  const head = (yield* readHead(projectRoot))?.revision ?? null
  yield* learnRevisions(
    place,
    projectRoot,
    head,
    memories.map(({ revision }) => revision)
  )
  const statusOf = yield* revisionStatuses(place, head)
  return memories.map((memory) => ({ ...memory, revision_status: statusOf(memory.revision) }))
})

const list = Command.make(
  "list",
  {
    ...scopeFlags,
    json,
    limit: limitFlag(50),
    kind: Flag.Literals("kind", MemoryKind.literals).pipe(
      Flag.withDescription("Only this kind"),
      Flag.optional,
      Flag.map((kind) => (kind._tag === "Some" ? kind.value : undefined))
    ),
    session: optionalString("session", "Only memories of this session, by its id or the beginning of it", "ID")
  },
  Effect.fn("memory list")(function* (flags) {
    const store = yield* MemoryStore
    const { places, projectRoot } = yield* memoryPlaces(flags)
    const sessionId = flags.session === undefined ? undefined : yield* rememberedSession(places, flags.session)
    const isNarrowed = flags.kind !== undefined
    const found = yield* Effect.forEach(places, (place) =>
      Effect.flatMap(store.list(place, within(flags.limit), { kind: flags.kind, sessionId }), (memories) =>
        withStatus(place, projectRoot, memories)
      )
    )
    const memories = found
      .flat()
      .sort((left, right) => (left.created < right.created ? 1 : -1))
      .slice(0, within(flags.limit))
    yield* report(flags.json, { memories }, (_, look) =>
      memories.length === 0
        ? isNarrowed
          ? "No memory is of this kind.\n"
          : none
        : renderMemoryList(memories, look.columns)
    )
  })
).pipe(Command.withAlias("ls"), Command.withDescription("List memories, newest first"))

const search = Command.make(
  "search",
  {
    query: Argument.String("query").pipe(Argument.withDescription("Words to look for"), Argument.variadic({ min: 1 })),
    ...scopeFlags,
    json,
    limit: limitFlag(5)
  },
  Effect.fn("memory search")(function* (flags) {
    const store = yield* MemoryStore
    const { places, projectRoot } = yield* memoryPlaces(flags)
    const query = flags.query.join(" ")
    const found = yield* Effect.forEach(places, (place) =>
      Effect.gen(function* () {
        const hits = yield* store.search(place, query, within(flags.limit))
        const memories = yield* withStatus(
          place,
          projectRoot,
          hits.map(({ memory }) => memory)
        )
        return hits.flatMap((hit, at) => {
          const memory = memories[at]
          return memory === undefined ? [] : [{ ...hit, memory, excerpt: excerptOf(hit.memory.text, hit.matched) }]
        })
      })
    )
    // Scores of different memories do not compare; what they hold of the question does.
    const results = (places.length === 1 ? found.flat() : found.flat().sort((a, b) => b.coverage - a.coverage)).slice(
      0,
      within(flags.limit)
    )
    yield* report(flags.json, { query, results }, (_, look) =>
      results.length === 0 ? `Nothing found for "${plain(query)}".\n` : renderHits(results, query, look.style)
    )
  })
).pipe(Command.withDescription("Search the memories of a project"))

const id = Argument.String("memory").pipe(Argument.withDescription("Its id, or the beginning of it"))

const show = Command.make(
  "show",
  { id, ...scopeFlags, json },
  Effect.fn("memory show")(function* (flags) {
    const { places, projectRoot } = yield* memoryPlaces(flags)
    const { place, memory } = yield* findMemory(places, flags.id)
    const [shown] = yield* withStatus(place, projectRoot, [memory])
    if (shown === undefined) return
    yield* report(flags.json, shown, (_, look) => renderMemory(shown, look.style))
  })
).pipe(Command.withDescription("Show one memory with where it comes from"))

const forget = Command.make(
  "forget",
  {
    ids: Argument.String("memory").pipe(
      Argument.withDescription("Ids, or the beginnings of them"),
      Argument.variadic({ min: 0 })
    ),
    session: optionalString("session", "All memories of this session, by its id or the beginning of it", "ID"),
    ...scopeFlags,
    yes,
    json
  },
  Effect.fn("memory forget")(function* (flags) {
    const store = yield* MemoryStore
    const { places } = yield* memoryPlaces(flags)
    if (flags.ids.length === 0 && flags.session === undefined) return yield* new NothingToForget()
    const named = yield* Effect.forEach(flags.ids, (given) => findMemory(places, given))
    const sessionId = flags.session === undefined ? undefined : yield* rememberedSession(places, flags.session)
    const ofSession =
      sessionId === undefined
        ? []
        : yield* Effect.forEach(places, (place) =>
            Effect.map(store.list(place, 1_000_000, { sessionId }), (memories) =>
              memories.map((memory) => ({ place, memory }))
            )
          )
    const chosen = [...new Map([...named, ...ofSession.flat()].map((one) => [one.memory.id, one])).values()]
    if (chosen.length > 0) {
      if (!flags.yes) {
        yield* note(
          chosen.map(({ memory }) => `${memory.id}  ${plain(memory.text.replace(/\s+/g, " ").slice(0, 60))}\n`).join("")
        )
      }
      yield* confirm({
        question: `Forget ${counted(chosen.length, "memory", "memories")} for good?`,
        action: "Forgetting",
        yes: flags.yes
      })
    }
    for (const place of places) {
      const ids = chosen.filter((one) => one.place === place).map(({ memory }) => memory.id)
      // First what says the same: a kill after it leaves memories that are there to be forgotten.
      if (ids.length > 0) yield* forgetCandidates(place, ids)
      yield* store.forget(place, ids)
    }
    const data = { forgotten: chosen.map(({ memory }) => memory.id) }
    yield* report(flags.json, data, () =>
      data.forgotten.length === 0
        ? "There was nothing to forget.\n"
        : data.forgotten.map((one) => `Forgot ${one}\n`).join("")
    )
  })
).pipe(Command.withDescription("Delete memories from the store and its index; asks first"))

const statsOf = (name: "stats" | "rebuild", description: string) =>
  Command.make(
    name,
    { ...scopeFlags, json },
    Effect.fn(`memory ${name}`)(function* (flags) {
      const store = yield* MemoryStore
      const { places } = yield* memoryPlaces(flags)
      const all: Array<{ provider: string; path: string; stats: Effect.Success<ReturnType<typeof store.stats>> }> = []
      for (const place of places) {
        if (!(yield* store.exists(place))) continue
        const stats = yield* name === "stats" ? store.stats(place) : store.rebuild(place)
        all.push({ provider: place.provider, path: place.directory, stats })
      }
      yield* report(flags.json, { memories: all }, () => (all.length === 0 ? none : renderStats(all)))
    })
  ).pipe(Command.withDescription(description))

const adopt = Command.make(
  "adopt",
  { ...scopeFlags, yes, json },
  Effect.fn("memory adopt")(function* (flags) {
    const store = yield* MemoryStore
    const { places } = yield* memoryPlaces(flags)
    const foreign: Array<MemoryPlace> = []
    for (const place of places) {
      const owned = yield* store.exists(place).pipe(
        Effect.as(true),
        Effect.catchTag("MemoryNotOwned", (error) => (error.reason === "unsigned" ? Effect.succeed(false) : error))
      )
      if (!owned) foreign.push(place)
    }
    if (foreign.length > 0) {
      if (!flags.yes) yield* note(foreign.map((place) => `${plain(place.directory)}\n`).join(""))
      yield* confirm({
        question: "Take these memories for your own? What another key signed stays unread.",
        action: "Adopting",
        yes: flags.yes
      })
      for (const place of foreign) yield* store.adopt(place)
    }
    const data = { adopted: foreign.map((place) => place.directory) }
    yield* report(flags.json, data, () =>
      foreign.length === 0
        ? "There is nothing to adopt.\n"
        : data.adopted.map((one) => `Adopted ${plain(one)}\n`).join("")
    )
  })
).pipe(Command.withDescription("Take over memories of yours that were moved or copied from elsewhere"))

const rangeOf = Effect.fn("rangeOf")(function* (given: string) {
  const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given.trim())
  if (found === null) return yield* new EventsInvalid({ given })
  const first = Number(found[1])
  const last = Number(found[2] ?? found[1])
  return first <= last ? ([first, last] as const) : yield* new EventsInvalid({ given })
})

const promote = Command.make(
  "promote",
  {
    session: Argument.String("session").pipe(Argument.withDescription("Its id, the beginning of it, or its directory")),
    events: optionalString("events", "Only these events, by their numbers: 3-17", "RANGE"),
    exclude: repeatable("exclude", "Leave out an event or a range; may be repeated", "RANGE"),
    fields: optionalString("fields", `What is taken: ${promotionFields.join(", ")}; usually all but results`, "LIST"),
    preview: Flag.Boolean("preview").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Show what would be remembered, and stop")
    ),
    ...scopeFlags,
    sessionRoot,
    yes,
    json
  },
  Effect.fn("memory promote")(function* (flags) {
    const store = yield* MemoryStore
    const scope = yield* scopeOf(flags)
    const found = yield* findSession(scope, flags.session)
    const range = flags.events === undefined ? undefined : yield* rangeOf(flags.events)
    const excluded = yield* Effect.forEach(flags.exclude, rangeOf)
    const exclude = new Set(
      excluded.flatMap(([first, last]) =>
        Array.from({ length: Math.min(last - first + 1, 1_000_000) }, (_, at) => first + at)
      )
    )
    const named = flags.fields?.split(",").map((field) => field.trim()) ?? usualFields
    const unknown = named.find((field) => !promotionFields.some((one) => one === field))
    if (unknown !== undefined) return yield* new FieldUnknown({ given: unknown })
    const fields = new Set(promotionFields.filter((field) => named.includes(field)))
    const { drafts, skipped } = yield* promotionOf(found, { range, exclude, fields })
    const place = yield* memoryPlace(scope.projectRoot, found.manifest.provider)
    yield* withProjectRedactor(
      scope.projectRoot,
      Effect.gen(function* () {
        const redactor = yield* Redactor
        const shown = yield* Effect.forEach(drafts, (draft) =>
          Effect.map(redactor.redact(draft.text, "text"), ({ value }) => ({
            events: rangesOf(draft.events ?? []),
            bytes: Buffer.byteLength(String(value)),
            text: String(value)
          }))
        )
        const about = { session_id: found.manifest.session_id, skipped_events: skipped }
        const preview = () =>
          shown
            .map(
              ({ events, text }) =>
                `Events ${events}\n${text
                  .split("\n")
                  .map((line) => `  ${plain(line)}\n`)
                  .join("")}`
            )
            .join("\n")
        if (flags.preview || drafts.length === 0) {
          return yield* report(flags.json, { ...about, preview: true, memories: shown }, () =>
            drafts.length === 0 ? "Nothing in these events can be remembered.\n" : preview()
          )
        }
        if (!flags.yes) yield* note(`${preview()}\n`)
        yield* confirm({
          question: `Remember ${counted(drafts.length, "memory", "memories")} of ${plain(about.session_id)}?`,
          action: "Promoting",
          yes: flags.yes
        })
        const { added, known } = yield* store.add(place, drafts)
        yield* report(flags.json, { ...about, preview: false, added, known }, () =>
          [
            `${counted(added.length, "memory", "memories")} of ${plain(about.session_id)} added`,
            known.length === 0 ? "" : `, ${known.length} were there already`,
            `; ${counted(skipped, "event")} left out.\n`,
            ...added.map((one) => `  ${one}\n`)
          ].join("")
        )
      })
    )
  })
).pipe(Command.withDescription("Make memories of a recorded session; shows them first"))

export const memoryCommand = Command.make("memory").pipe(
  Command.withDescription("Look at, search, make and forget what a project remembers"),
  Command.withSubcommands([
    list,
    search,
    show,
    forget,
    statsOf("stats", "Count the memories and what they take"),
    statsOf("rebuild", "Make the search index anew from the stored memories"),
    promote,
    adopt
  ])
)
