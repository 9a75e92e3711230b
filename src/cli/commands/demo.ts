import * as path from "node:path"
import * as Clock from "effect/Clock"
import { Command, Flag } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Stream from "effect/Stream"
import { replaceFile } from "../../archive/atomicFile.ts"
import { renderEnablement } from "../../control/enablement.ts"
import { projectSettings } from "../../control/projectSettings.ts"
import { counted } from "../../domain/counted.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { timestampOf } from "../../domain/timestamp.ts"
import { Disk, type DiskError } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { demoSession } from "../demo/session.ts"
import { enablementView } from "../enablementView.ts"
import { styles } from "../render/text.ts"
import { print } from "../report.ts"

/** The demonstration showed that something does not work here. */
export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly problem: string }> {
  override get message(): string {
    return `The demonstration failed: ${this.problem}. Please report this with the output above.`
  }
}

interface Program {
  readonly file: string
  readonly args: ReadonlyArray<string>
}

/** Runs one program of ours to its end; what it printed on stdout. */
const run = Effect.fn("demo.run")(function* (
  program: Program,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  options: { readonly cwd: string; readonly stdin?: string }
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const handle = yield* spawner.spawn(
    ChildProcess.make(program.file, [...program.args, ...args], {
      cwd: options.cwd,
      env: { ...env },
      stdin: options.stdin === undefined ? "ignore" : Stream.make(options.stdin).pipe(Stream.encodeText),
      stderr: "inherit"
    })
  )
  const [text, code] = yield* Effect.all([handle.stdout.pipe(Stream.decodeText(), Stream.mkString), handle.exitCode], {
    concurrency: "unbounded"
  })
  if (code !== 0) return yield* new DemoFailed({ problem: `\`lint-ai ${args.join(" ")}\` ended with ${code}` })
  return text
}, Effect.scoped)

/** Files below a directory. */
const filesBelow = (directory: string): Effect.Effect<ReadonlyArray<string>, DiskError, Disk> =>
  Effect.gen(function* () {
    const disk = yield* Disk
    const found: Array<string> = []
    for (const name of yield* disk.list(directory)) {
      const file = path.join(directory, name)
      const status = yield* disk.status(file)
      if (status?.kind === "directory") found.push(...(yield* filesBelow(file)))
      else if (status?.kind === "file") found.push(file)
    }
    return found
  })

/**
 * Records a made-up session in a scratch project, through the real hook program, one process per event as an agent would, and shows what came of
 * it. Needs no agent and no network; the user's own settings, key and projects are not touched.
 */
export const demoCommand = Command.make(
  "demo",
  {
    keep: Flag.Boolean("keep").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Leave the scratch project for a look around")
    )
  },
  Effect.fn("demo")(function* (flags) {
    const disk = yield* Disk
    const host = yield* Host
    const screen = yield* Screen
    const style = styles(screen.colors)
    const base = path.join(host.temporary, `lint-ai-demo-${host.randomHex(4)}`)
    const project = path.join(base, "project")
    // What stands in it is made up, secrets too: it stays for nobody who did not ask for it, also after Ctrl-C.
    yield* Effect.acquireRelease(disk.makeDirectory(project), (_, exit) =>
      flags.keep && Exit.isSuccess(exit) ? Effect.void : Effect.ignore(disk.removeTree(base))
    )
    const scratch = yield* disk.realPath(project)
    const hook = yield* hookProgram
    const self: Program = host.compiled
      ? { file: host.executable, args: [] }
      : { file: host.executable, args: host.runtime === "deno" ? ["run", "-A", host.entry] : [host.entry] }
    const env = {
      PATH: host.env.PATH ?? "",
      HOME: base,
      TMPDIR: host.temporary,
      // Temporary files may be kept in a repository, which is not to be taken for the project.
      LINT_AI_PROJECT_DIR: scratch,
      COLUMNS: String(screen.columns),
      LINT_AI_CONFIG_DIR: path.join(base, "config"),
      LINT_AI_STATE_DIR: path.join(base, "state")
    }
    const say = (text: string) => print(`${text}\n`)
    const show = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      yield* say(`\n${style.bold(`$ lint-ai ${args.join(" ")}`)}`)
      yield* print(yield* run(self, args, env, { cwd: scratch }))
    })

    const view = yield* enablementView({
      provider: "claude",
      mode: "capture-only",
      project: scratch,
      sessionRoot: undefined,
      settings: yield* projectSettings(scratch)
    })
    yield* say(`${style.bold("1. What a person sees before anything is recorded")}\n`)
    yield* say(renderEnablement(view, screen.columns))
    // The scratch project is the demonstration's own: nobody is asked, wherever temporary files are kept.
    yield* run(self, ["record", "start", "claude", "--yes"], env, { cwd: scratch })

    const transcriptPath = path.join(base, "transcript.jsonl")
    const session = demoSession({
      sessionId: "5f0d7c1e-demo-session",
      project: scratch,
      transcriptPath,
      nowIso: timestampOf((yield* Clock.currentTimeMillis) + 1_000)
    })
    yield* replaceFile(transcriptPath, Buffer.from(session.transcript))
    yield* say(
      style.bold(`2. A session of ${session.deliveries.length} hook events, each through its own process of the hook`)
    )
    for (const delivery of session.deliveries) {
      const stdin = `${JSON.stringify(delivery)}\n`
      const answer = yield* run(
        hook,
        ["hook", "claude"],
        { ...env, CLAUDE_PROJECT_DIR: scratch },
        { cwd: scratch, stdin }
      )
      if (answer !== "") return yield* new DemoFailed({ problem: "a hook said something to the agent" })
    }
    yield* say(`\n${style.bold("3. What came of it")}`)
    yield* show("sessions", "inspect")
    yield* show("sessions", "verify")
    yield* show("sessions", "export", "--format", "markdown", "--out", path.join(base, "session.md"))

    const files = yield* filesBelow(base)
    const leaks: Array<string> = []
    for (const file of files) {
      const text = (yield* disk.readFile(file)).toString("utf8")
      if (session.secrets.some((secret) => text.includes(secret))) leaks.push(file)
    }
    yield* say(
      `\n${style.bold("4. Are the planted secrets anywhere?")}\n\n${session.secrets.length} were planted; ${counted(files.length, "file")} written by lint-ai searched; ${leaks.length === 0 ? style.green("none found") : style.red(`found in ${leaks.join(", ")}`)}.`
    )
    if (leaks.length > 0) return yield* new DemoFailed({ problem: "a planted secret reached the disk" })
    if (flags.keep) {
      yield* say(
        [
          `\nThe scratch project stays in ${scratch}`,
          "To look at it, with the key that it was recorded with:\n",
          `  cd ${shellWord(scratch)}`,
          `  export LINT_AI_CONFIG_DIR=${shellWord(env.LINT_AI_CONFIG_DIR)} LINT_AI_STATE_DIR=${shellWord(env.LINT_AI_STATE_DIR)}`,
          "  lint-ai sessions view"
        ].join("\n")
      )
    }
    yield* say(
      [
        "",
        style.bold("For a project of your own"),
        "",
        "  cd your-project",
        "  lint-ai init              see what will be recorded, agree, and work with your agent as always",
        "  lint-ai sessions list     what was recorded",
        "  lint-ai sessions view     the newest of it in the browser",
        "  lint-ai record stop       turn it off again"
      ].join("\n")
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Record a made-up session in a scratch project and show what comes of it"))
