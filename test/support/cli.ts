import * as NodeServices from "@effect/platform-node/NodeServices"
import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { reportedFailures } from "../../src/cli/errors.ts"
import { program } from "../../src/cli/program.ts"
import { FileChanges } from "../../src/platform/FileChanges.ts"
import { Git, type WorkTree } from "../../src/platform/Git.ts"
import type { Host } from "../../src/platform/Host.ts"
import { LoopbackServer } from "../../src/platform/LoopbackServer.ts"
import { Screen } from "../../src/platform/Screen.ts"
import type { Sqlite } from "../../src/platform/Sqlite.ts"
import { Stdin } from "../../src/platform/Stdin.ts"
import { Worktrees } from "../../src/platform/Worktrees.ts"
import { IsolatedAgent, PlaceError } from "../../src/replay/IsolatedAgent.ts"
import { ReplayOrchestrator } from "../../src/replay/ReplayOrchestrator.ts"
import { documentOf, misfits } from "./documents.ts"
import { machineOf, type TestUser } from "./recording.ts"

/** What a command printed, and how it ended. */
export interface CommandRun {
  readonly out: string
  readonly err: string
  readonly exit: Exit.Exit<void, unknown>
  /** The tag of the error with which it failed. */
  readonly failure: string | undefined
}

/** Everything that a command prints with `--json` is what its schema says, whatever a test looks at (docs/json). */
const checkDocument = (args: ReadonlyArray<string>, out: string): void => {
  const document = args.includes("--json") && !args.includes("--help") && out !== "" ? documentOf(args) : undefined
  // Without --out or --endpoint an export prints itself, and with --lines `redact` its values.
  if (document === undefined || (document.command === "sessions export" && !/^\{\n/.test(out))) return
  if (document.command === "redact" && args.includes("--lines")) return
  const faults = misfits(document, out)
  if (faults.length > 0)
    throw new Error(`lint-ai ${args.join(" ")} does not fit its schema:\n${faults.join("\n")}\n${out}`)
}

/** With `--json` there is one document, also of a command that fails: its own, or the failure that main.ts prints where that was none. */
const checkOneDocument = (args: ReadonlyArray<string>, out: string, failure: string | undefined): void => {
  if (!args.includes("--json") || args.includes("--help") || failure === undefined || failure === "ShowHelp") return
  if ((out !== "") !== reportedFailures.has(failure)) {
    const printed = out === "" ? "no document" : "two documents"
    throw new Error(
      `lint-ai ${args.join(" ")} prints ${printed} when it fails with ${failure} (cli/errors.ts, reportedFailures).`
    )
  }
}

/** Runs a command in this process, as the user would in the project's directory. `answers` are typed when it asks; without any nobody is there. */
export const runCommand = (
  user: TestUser,
  args: ReadonlyArray<string>,
  options: {
    readonly answers?: ReadonlyArray<string>
    readonly columns?: number
    readonly host?: Parameters<typeof Host.layerTest>[0]
    readonly workTree?: WorkTree
    readonly sqlite?: Layer.Layer<Sqlite>
    readonly stdin?: string | Layer.Layer<Stdin>
    /** Instead of one that keeps what is written until the command ends. */
    readonly screen?: Layer.Layer<Screen>
    /** Stands for every agent; without one there is none to run. */
    readonly agent?: Layer.Layer<IsolatedAgent, never, SessionArchive>
    /** Stands for all replays. */
    readonly replays?: Layer.Layer<ReplayOrchestrator>
  } = {}
): Effect.Effect<CommandRun> => {
  const written = { out: [] as string[], err: [] as string[] }
  const base = Layer.mergeAll(
    machineOf(user, {
      ...(options.host === undefined ? undefined : { host: options.host }),
      ...(options.sqlite === undefined ? undefined : { sqlite: options.sqlite })
    }),
    options.screen ?? Screen.layerTest(written, options.answers ?? [], options.columns ?? 80),
    Git.layerTest(options.workTree),
    FileChanges.layer,
    LoopbackServer.layer,
    typeof options.stdin === "object" ? options.stdin : Stdin.layerTest(Buffer.from(options.stdin ?? "")),
    Worktrees.layer,
    NodeServices.layer
  )
  const layers = (options.replays ?? ReplayOrchestrator.layer).pipe(
    Layer.provideMerge(options.agent ?? noAgent),
    Layer.provideMerge(base)
  )
  return Command.runWith(program, { version: "0.0.0" })(args).pipe(
    Effect.provide(layers),
    Effect.exit,
    Effect.tap((exit) =>
      Effect.sync(() => {
        const out = written.out.join("")
        checkDocument(args, out)
        checkOneDocument(args, out, Exit.isSuccess(exit) ? undefined : tagOf(exit))
      })
    ),
    Effect.map((exit) => ({
      out: written.out.join(""),
      err: written.err.join(""),
      exit,
      failure: Exit.isSuccess(exit) ? undefined : tagOf(exit)
    }))
  )
}

const noAgent = IsolatedAgent.layerTest({
  place: ({ arm }) => Effect.fail(new PlaceError({ arm: arm.name, reason: "this test has no agent" }))
})

const tagOf = (exit: Exit.Exit<unknown, unknown>): string => {
  const error = Exit.isFailure(exit) ? exit.cause.reasons.find((reason) => "error" in reason) : undefined
  return error !== undefined && "error" in error ? String((error.error as { readonly _tag?: unknown })._tag) : "Defect"
}
