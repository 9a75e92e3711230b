import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { projectSettings } from "../../control/projectSettings.ts"
import { NotAdopted, Toggles } from "../../control/Toggles.ts"
import { type Provider, providers, providerTitles } from "../../domain/provider.ts"
import { type ExtractionRequest, type ExtractorHost, extractorHosts } from "../../memory/extraction/contract.ts"
import { makeExtractor } from "../../memory/extraction/extractor.ts"
import { cleanedText, extractSession, readTranscript } from "../../memory/extraction/extractSession.ts"
import { accept, findWaiting, reject, type Waiting, waitingIn } from "../../memory/extraction/review.ts"
import { readProgress } from "../../memory/extraction/staging.ts"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import { type MemoryPlace, memoryPlace } from "../../memory/memoryPlace.ts"
import { Screen } from "../../platform/Screen.ts"
import { Sqlite } from "../../platform/Sqlite.ts"
import { claudeCli } from "../../providers/claude/cli.ts"
import { codexCli } from "../../providers/codex/cli.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { confirm } from "../confirm.ts"
import { ExtractionFailed, HostNeeded, NotBoth, NothingChosen } from "../errors.ts"
import { json, oneSession, optionalString, project, providerFlag, sessionScope, yes } from "../options.ts"
import { projectOf } from "../project.ts"
import { renderCandidate, renderCandidates, renderExtraction } from "../render/extraction.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

const clis = { claude: claudeCli, codex: codexCli } as const satisfies Record<ExtractorHost, unknown>

const memory = MemoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer))

/** The redactor with the rules that hold in the project, and a refusal where the project, or the one that holds its memory, is not the user's. */
const redactorOf = Effect.fn("redactorOf")(function* (projectRoot: string, places: ReadonlyArray<MemoryPlace>) {
  const toggles = yield* Toggles
  for (const root of new Set([projectRoot, ...places.map((place) => place.root)])) {
    const consent = yield* toggles.read(root)
    if (consent._tag === "inert") return yield* new NotAdopted({ projectRoot: root, reason: consent.reason })
  }
  const settings = yield* projectSettings(projectRoot)
  return Redactor.layerWith(settings.redaction)
})

const hostFor = (given: ExtractorHost | undefined, provider: Provider) => {
  const host = given ?? extractorHosts.find((one) => one === provider)
  return host === undefined ? Effect.fail(new HostNeeded({ provider })) : Effect.succeed(host)
}

const waitingOf = Effect.fn("waitingOf")(function* (given: string | undefined, provider: Provider | undefined) {
  const projectRoot = yield* projectOf(given)
  const places = yield* Effect.forEach(provider === undefined ? providers : [provider], (one) =>
    memoryPlace(projectRoot, one)
  )
  const redactor = yield* redactorOf(projectRoot, places)
  return { redactor, waiting: yield* waitingIn(places) }
})

const decisions = {
  accept: {
    done: "Accepted",
    doing: "Accepting",
    run: (one: Waiting) => Effect.map(accept(one), (memory_id) => ({ id: one.candidate.id, memory_id }))
  },
  reject: {
    done: "Rejected",
    doing: "Rejecting",
    run: (one: Waiting) => Effect.as(reject(one), { id: one.candidate.id })
  }
} as const

const decisionCommand = (name: keyof typeof decisions, description: string) =>
  Command.make(
    name,
    {
      candidates: Argument.String("candidate").pipe(
        Argument.withDescription("Its id, or the beginning of it"),
        Argument.variadic()
      ),
      all: Flag.Boolean("all").pipe(Flag.withDefault(false), Flag.withDescription("All that wait; asks first")),
      yes,
      json,
      project,
      provider: providerFlag
    },
    Effect.fn(`extract review ${name}`)(function* (flags) {
      const { waiting, redactor } = yield* waitingOf(flags.project, flags.provider)
      const { done, doing, run } = decisions[name]
      if (flags.candidates.length === 0 && !flags.all) return yield* new NothingChosen()
      if (flags.candidates.length > 0 && flags.all) return yield* new NotBoth({ one: "candidates", other: "--all" })
      const chosen = flags.all
        ? waiting
        : yield* Effect.forEach(flags.candidates, (given) => findWaiting(waiting, given))
      if (flags.all && chosen.length > 0) {
        yield* confirm({
          question: `${name === "accept" ? "Accept" : "Reject"} all ${chosen.length}?`,
          action: `${doing} all`,
          yes: flags.yes
        })
      }
      const distinct = [...new Map(chosen.map((one) => [one.candidate.id, one])).values()]
      const decided = yield* Effect.forEach(distinct, run).pipe(Effect.provide(Layer.merge(memory, redactor)))
      yield* report(flags.json, { [`${name}ed`]: decided }, () =>
        decided.length === 0
          ? "No candidates wait for a decision.\n"
          : distinct.map(({ candidate }) => `${done} ${candidate.id}  ${plain(candidate.title)}\n`).join("")
      )
    })
  ).pipe(Command.withDescription(description))

const review = Command.make(
  "review",
  { json, project, provider: providerFlag },
  Effect.fn("extract review")(function* (flags) {
    const screen = yield* Screen
    const { waiting, redactor } = yield* waitingOf(flags.project, flags.provider)
    const candidates = waiting.map(({ candidate }) => candidate)
    if (flags.json || !screen.interactive || waiting.length === 0) {
      return yield* report(flags.json, { candidates }, (data, look) => renderCandidates(data.candidates, look))
    }
    const counts = { accepted: 0, rejected: 0, left: 0 }
    let left = waiting
    for (const one of waiting) {
      yield* report(false, one.candidate, renderCandidate)
      const answer = (yield* screen.ask(`[a]ccept, [r]eject, [s]kip, [q]uit (${left.length} left)? `))?.trim() ?? "q"
      left = left.slice(1)
      if (/^a/i.test(answer)) {
        yield* accept(one).pipe(Effect.provide(Layer.merge(memory, redactor)))
        counts.accepted++
      } else if (/^r/i.test(answer)) {
        yield* reject(one)
        counts.rejected++
      } else if (/^q/i.test(answer)) break
    }
    counts.left = waiting.length - counts.accepted - counts.rejected
    yield* report(
      false,
      counts,
      ({ accepted, rejected }) => `${accepted} accepted, ${rejected} rejected, ${counts.left} left.\n`
    )
  })
).pipe(
  Command.withDescription("Look at what was extracted and decide: only what you accept becomes a memory"),
  Command.withSubcommands([
    decisionCommand("accept", "Store candidates as memories"),
    decisionCommand("reject", "Keep candidates out of the memory, and from being proposed again")
  ])
)

export const extractCommand = Command.make(
  "extract",
  {
    session: oneSession,
    host: Flag.Literals("host", extractorHosts).pipe(
      Flag.optional,
      Flag.map((given) => (given._tag === "Some" ? given.value : undefined)),
      Flag.withDescription("The agent that extracts; else the session's own")
    ),
    model: optionalString("model", "The agent's model; else its usual one", "NAME"),
    again: Flag.Boolean("again").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Begin with the session's first event again, whatever was extracted before")
    ),
    preview: Flag.Boolean("preview").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Show what would be sent, and send nothing")
    ),
    json,
    ...sessionScope
  },
  Effect.fn("extract")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const session = yield* findSession(scope, flags.session)
    const { session_id, provider } = session.manifest
    const host = yield* hostFor(flags.host, provider)
    const place = yield* memoryPlace(scope.projectRoot, provider)
    const redactor = yield* redactorOf(scope.projectRoot, [place])
    if (flags.preview) {
      const after = flags.again ? 0 : yield* readProgress(place, session_id)
      const { form, chunks, more, undecoded, unrecognized } = yield* readTranscript(session, after)
      const texts = yield* Effect.forEach(chunks, cleanedText).pipe(Effect.provide(redactor))
      const requests = texts.flatMap((text) => (text === undefined ? [] : [text]))
      const data = { session_id, host, form, requests, undecoded, unrecognized, more }
      return yield* report(flags.json, data, () =>
        requests.length === 0
          ? "There is nothing new to send.\n"
          : requests.map((text) => `${text.split("\n").map(plain).join("\n")}\n`).join("\n")
      )
    }
    const screen = yield* Screen
    // Said before the first request, and of nothing that is not sent.
    const warn = yield* Effect.cached(
      note(
        `This has ${providerTitles[host]} read ${plain(session_id)}, as recorded and redacted: it goes to the agent's model.\n`
      ).pipe(Effect.provideService(Screen, screen))
    )
    const extract = makeExtractor({ model: flags.model })
    const run = {
      session,
      place,
      host,
      again: flags.again,
      extract: (request: ExtractionRequest) => Effect.andThen(warn, extract(request))
    }
    const done = yield* extractSession(run).pipe(
      Effect.provide(Layer.mergeAll(memory, redactor, clis[host])),
      Effect.onInterrupt(() => note("Interrupted. What was answered before is staged: run it again to go on.\n"))
    )
    if (done.failure !== null) {
      const { ok: _, ...facts } = done.failure
      const { undecoded, unrecognized, dropped } = done
      return yield* new ExtractionFailed({
        session_id,
        ...facts,
        staged: done.staged.map(({ id }) => id),
        dropped,
        undecoded,
        unrecognized
      })
    }
    const { failure: _, ...data } = done
    yield* report(flags.json, { ok: true, ...data }, renderExtraction)
  })
).pipe(
  Command.withDescription("Have an agent propose memories from a recorded session; you decide which are kept"),
  Command.withSubcommands([review])
)
