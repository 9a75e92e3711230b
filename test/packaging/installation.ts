import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { demoSession } from "../../src/cli/demo/session.ts"
import { type Finished, run } from "../support/program.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const version: string = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "../../package.json"), "utf8")
).version

/** The tarball of a package in the release. */
export const tarball = (name: string): string => path.join(inject("release"), `${name}-${version}.tgz`)

/** The name of the package with this machine's binary. */
export const binaryPackage = (): string => `lint-ai-${inject("hostTarget")}`

/** A person with an empty home, a place for npm's global packages, and a project. */
export interface Person {
  readonly directory: string
  readonly home: string
  readonly prefix: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
}

export const newPerson = Effect.map(temporaryDirectory, (directory): Person => {
  const [home, prefix, project] = ["home", "prefix", "project"].map((name) => path.join(directory, name)) as [
    string,
    string,
    string
  ]
  for (const made of [home, prefix, project]) fs.mkdirSync(made)
  const env = { HOME: home, PATH: `${path.join(prefix, "bin")}:${process.env.PATH ?? ""}`, LANG: "C.UTF-8" }
  return { directory, home, prefix, project, env }
})

/** Runs a program as the person does, in the project unless another directory is named; fails when it does not end with `code`. */
export const as = (
  person: Person,
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly stdin?: string; readonly code?: number; readonly env?: object } = {}
): Effect.Effect<Finished> =>
  run(
    {
      command,
      args,
      cwd: options.cwd ?? person.project,
      env: { ...person.env, ...options.env },
      ...(options.stdin === undefined ? undefined : { stdin: { text: options.stdin } })
    },
    "4 minutes"
  ).pipe(
    Effect.orDie,
    Effect.tap((end) =>
      end.exitCode === (options.code ?? 0)
        ? Effect.void
        : Effect.die(
            new Error(
              `${command} ${args.join(" ")} ended with ${end.exitCode ?? end.signal}:\n${end.stdout}${end.stderr}`
            )
          )
    )
  )

export const npm = (person: Person, args: ReadonlyArray<string>) =>
  as(person, "npm", [...args, "--global", "--offline", "--prefix", person.prefix, "--no-audit", "--no-fund"], {
    cwd: person.home
  })

/** `npm install -g` of tarballs, without a network and with nothing in npm's cache. */
export const installGlobally = (person: Person, ...tarballs: ReadonlyArray<string>) =>
  npm(person, ["install", ...tarballs])

/** What `lint-ai` on the PATH prints. */
export const lintAi = (person: Person, args: ReadonlyArray<string>, code = 0) =>
  Effect.map(as(person, "lint-ai", args, { code }), (end) => end.stdout)

export const claudeSettings = (person: Person): string => path.join(person.project, ".claude", "settings.local.json")

/** The commands of a hook event that are registered for Claude Code. */
export const hookCommands = (person: Person, event: string): ReadonlyArray<string> => {
  const settings = JSON.parse(fs.readFileSync(claudeSettings(person), "utf8"))
  return settings.hooks[event].flatMap((group: { hooks: ReadonlyArray<{ command: string }> }) =>
    group.hooks.map((hook) => hook.command)
  )
}

/** The session of `lint-ai demo`, delivered by the commands that stand in the settings, as Claude Code does it: by a shell, elsewhere on the disk. */
export const recordDemo = Effect.fnUntraced(function* (person: Person) {
  const transcriptPath = path.join(person.directory, "transcript.jsonl")
  const session = demoSession({
    sessionId: "5f0d7c1e-demo-session",
    project: person.project,
    transcriptPath,
    nowIso: "2026-01-02T03:04:05.000Z"
  })
  fs.writeFileSync(transcriptPath, session.transcript)
  for (const delivery of session.deliveries) {
    for (const command of hookCommands(person, String(delivery.hook_event_name))) {
      const end = yield* as(person, "sh", ["-c", command], {
        cwd: person.home,
        stdin: JSON.stringify(delivery),
        // An agent that was started from a desktop has no PATH of a shell.
        env: { PATH: "/usr/bin:/bin", CLAUDE_PROJECT_DIR: person.project }
      })
      if (end.stdout + end.stderr !== "") throw new Error(`a hook said: ${end.stdout}${end.stderr}`)
    }
  }
  return session
})

/** Every file and link below a directory, relative to it. */
export const filesBelow = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort()
