import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { counted } from "../../domain/counted.ts"
import type { DraftEvent } from "../../domain/event.ts"
import type { Tokens } from "../../domain/usage.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { definedEnv } from "../../providers/agentProcess.ts"
import { codexAdapter } from "../../providers/codex/adapter.ts"
import { type RunningServer, startAppServer } from "../../providers/codex/appServer.ts"
import { codexCli } from "../../providers/codex/cli.ts"
import { codexInstaller } from "../../providers/codex/install.ts"
import { projectTrust } from "../../providers/codex/installStatus.ts"
import { type ListedHook, listHooks, trustHooks, trustProject, untrusted } from "../../providers/codex/trust.ts"
import { watchUsage } from "../../providers/codex/watch.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import type { Delivery } from "../../providers/ProviderAdapter.ts"
import { ProviderCli } from "../../providers/ProviderCli.ts"
import { Recorder } from "../../recorder/Recorder.ts"
import { recorderVersion } from "../../recorder/version.ts"
import { confirm } from "../confirm.ts"
import { Cancelled, NoCodexServer, NotInstalled } from "../errors.ts"
import { json, optionalString, projectArgument, yes } from "../options.ts"
import { projectOf } from "../project.ts"
import { harmlessJson, plain } from "../render/text.ts"
import { note, report } from "../report.ts"

/** A conversation with the user's own Codex, in the user's own environment. */
const appServer = Effect.fn("appServer")(function* (cwd: string, running?: RunningServer) {
  const host = yield* Host
  const program = yield* Effect.flatMap(ProviderCli, ({ find }) => find).pipe(Effect.provide(codexCli))
  return yield* startAppServer({ program, cwd, env: definedEnv(host.env), clientVersion: recorderVersion, running })
})

const trust = Command.make(
  "trust",
  {
    path: projectArgument,
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Show what is not trusted and change nothing")
    ),
    yes,
    json
  },
  Effect.fn("codex trust")(function* (flags) {
    const project = yield* projectOf(flags.path)
    const installed = yield* codexInstaller.status({ project, program: yield* hookProgram })
    const files = installed.files.filter((file) => file.hooks.length > 0)
    if (files.length === 0) return yield* new NotInstalled({ provider: "codex", project })
    const tell = (text: string) => (flags.json ? Effect.void : note(text))

    const { root, isTrusted } = yield* projectTrust(project)
    const asksForProject = !isTrusted && files.some((file) => file.scope === "project")
    const server = yield* appServer(project)
    if (asksForProject) {
      yield* tell(
        `Codex does not trust ${plain(root)}, and until it does it reads nothing of lint-ai there.\nTrusting it makes Codex read the hooks, MCP servers and settings of that project, also those that others put there.\n`
      )
      if (!flags.dryRun) {
        yield* confirm({ question: "Trust the project?", action: "Trusting a project", yes: flags.yes })
        yield* trustProject(server, root)
      }
    }
    const before = yield* listHooks(server, project)
    const wanting = untrusted(before)
    if (wanting.length > 0) {
      yield* tell(
        `Codex does not run these hooks of lint-ai, because you have not trusted them:\n${renderHooks(wanting)}`
      )
      if (!flags.dryRun) {
        yield* confirm({ question: "Trust them?", action: "Trusting hooks", yes: flags.yes }).pipe(
          Effect.mapError((error) =>
            error._tag === "Cancelled" && asksForProject
              ? new Cancelled({ done: `Codex trusts ${root} now, and not the hooks.` })
              : error
          )
        )
        yield* trustHooks(server, wanting)
      }
    }
    const after = flags.dryRun ? before : yield* listHooks(server, project)
    const data = {
      project,
      root,
      project_trusted: isTrusted || (asksForProject && !flags.dryRun),
      trusted_now: flags.dryRun ? [] : wanting.map((hook) => hook.key),
      hooks: after.hooks.map(({ event, source, command, trust, key }) => ({ event, source, command, trust, key })),
      warnings: after.warnings,
      dry_run: flags.dryRun
    }
    yield* report(flags.json, data, () => {
      const left = untrusted(after).length
      const runs = after.hooks.length - left
      return [
        ...after.warnings.map((warning) => `Codex says: ${plain(warning)}`),
        flags.dryRun && asksForProject
          ? `Codex runs no hooks of ${plain(project)}: ${files.map((file) => `${counted(file.hooks.length, "hook")} of lint-ai in ${plain(file.path)}`).join(", ")}.`
          : `Codex runs ${counted(runs, "hook")} of lint-ai here${left === 0 ? "" : `, and skips ${left}`}.`,
        flags.dryRun && (asksForProject || left > 0) ? "Nothing was changed (--dry-run)." : "",
        ""
      ]
        .filter((line, at, all) => line !== "" || at === all.length - 1)
        .join("\n")
    })
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Show which hooks of lint-ai Codex does not trust, ask, and have Codex trust them as they are"
  )
)

const renderHooks = (hooks: ReadonlyArray<ListedHook>): string => {
  const groups = new Map<string, Array<string>>()
  for (const { source, command, event, trust } of hooks) {
    const place = `  ${plain(source)}\n    ${plain(command)}`
    groups.set(place, [...(groups.get(place) ?? []), trust === "modified" ? `${event} (changed since)` : event])
  }
  return [...groups].map(([place, events]) => `${place}\n    for ${plain(events.join(", "))}\n`).join("")
}

const watch = Command.make(
  "watch",
  {
    thread: optionalString("thread", "Only this session, by Codex's id; else all that Codex has open", "ID"),
    socket: optionalString("socket", "Control socket of the app-server; else the usual one of your Codex", "PATH"),
    json: Flag.Boolean("json").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print one JSON object a line for each response of a model")
    )
  },
  Effect.fn("codex watch")(function* (flags) {
    const host = yield* Host
    const socket = flags.socket === undefined ? undefined : path.resolve(host.cwd, flags.socket)
    const server = yield* appServer(host.cwd, { socket, randomHex: host.randomHex }).pipe(
      Effect.catchTag("AgentUnusable", () => Effect.fail(new NoCodexServer({ socket: socket ?? "" })))
    )
    const told = yield* watchUsage(server, flags.thread)
    const screen = yield* Screen
    if (flags.json) yield* screen.out(`${JSON.stringify({ watching: flags.thread ?? "all" })}\n`)
    else yield* note("Watching Codex; Ctrl-C ends it. Usage is recorded where recording is on.\n")
    yield* told.pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* (delivery) {
          const outcome = yield* recordNow(delivery).pipe(
            Effect.map((recording) =>
              recording._tag === "Off" ? "not recorded: recording is off there" : outcomes[recording.result._tag]
            ),
            Effect.catch((error) => Effect.succeed(`not recorded: ${error.message}`))
          )
          for (const event of delivery.events) yield* writeLine(flags.json, delivery, event, outcome)
        })
      )
    )
    if (!flags.json) yield* note("Codex has ended the connection.\n")
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Record the token usage that a running Codex app-server tells (codex-app-server), until it ends or you do"
  )
)

/** How long a delivery waits for a session's lock before it is left in the spool. Nothing waits for this process. */
const lockWaitMs = 2_000

/** Records as a hook would, which lives for one delivery: what the manifest says of the time taken begins with it. */
const recordNow = Effect.fnUntraced(function* (delivery: Delivery) {
  const host = yield* Host
  const began = host.monotonicMs()
  const now = Layer.succeed(Host, { ...host, sinceStartMs: () => host.monotonicMs() - began })
  const recorder = Recorder.layer.pipe(Layer.provide(now))
  return yield* Effect.flatMap(Recorder, (one) => one.record(codexAdapter, delivery, lockWaitMs)).pipe(
    Effect.provide(recorder)
  )
})

const outcomes = {
  Appended: "recorded",
  Spooled: "kept in the spool",
  NotOpened: "not recorded: no archive of this session"
} as const

const writeLine = Effect.fnUntraced(function* (
  asJson: boolean,
  delivery: Delivery,
  event: DraftEvent,
  outcome: string
) {
  const screen = yield* Screen
  const { usage } = event
  const session = `codex:${delivery.sessionId ?? "unknown"}`
  yield* screen.out(
    asJson
      ? harmlessJson(`${JSON.stringify({ session_id: session, turn_id: event.turnId ?? null, usage, outcome })}\n`)
      : `${plain(session)}  ${usage === undefined ? "" : renderTokens(usage)}  ${plain(outcome)}\n`
  )
})

const renderTokens = ({ input_tokens, output_tokens, cache_read_input_tokens }: Tokens): string =>
  `input ${input_tokens ?? 0}, cached ${cache_read_input_tokens ?? 0}, output ${output_tokens ?? 0}`

export const codexCommand = Command.make("codex").pipe(
  Command.withDescription("What only Codex has: its trust in hooks, and its app-server"),
  Command.withSubcommands([trust, watch])
)
