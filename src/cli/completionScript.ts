import { Completions } from "effect/cli"
import { onByDefault } from "./options.ts"

export const shells = ["bash", "zsh", "fish", "powershell"] as const
export type Shell = (typeof shells)[number]

/** Stands where sessions are completed, until the script asks for them itself. A word that nobody types. */
const sessionsMark = "lint-ai-sessions-here"
/** What a script asks: the names of sessions, a line each. */
const askForSessions = "lint-ai session-names 2>/dev/null"

/** What takes a path. The same name means the same in every command. */
const directory = { _tag: "Path", pathType: "directory" } as const
const fileOrDirectory = { _tag: "Path", pathType: "either" } as const
const pathFlags = new Map<string, typeof directory | typeof fileOrDirectory>([
  ...["project", "session-root", "memory", "base", "root", "runs", "vault"].map((name) => [name, directory] as const),
  ...["settings", "out", "html", "scenario", "patch", "against-transcript", "key-file", "sign-key-file", "socket"].map(
    (name) => [name, fileOrDirectory] as const
  )
])
const pathArguments = new Map<string, typeof directory | typeof fileOrDirectory>([
  ["project", directory],
  ...["path", "file", "dir|file", "file|root", "runs"].map((name) => [name, fileOrDirectory] as const)
])

const sessionNames = { _tag: "Choice", values: [sessionsMark] } as const

type Described = Completions.CommandDescriptor

const adapted = (command: Described): Described => ({
  ...command,
  description: firstSentence(command.description),
  arguments: command.arguments.map((argument) => ({
    ...argument,
    type: argument.name === "session" ? sessionNames : (pathArguments.get(argument.name) ?? argument.type)
  })),
  flags: command.flags.map((flag) => ({
    ...flag,
    description: firstSentence(flag.description),
    type: flag.name === "follow" || flag.name === "session" ? sessionNames : (pathFlags.get(flag.name) ?? flag.type),
    ...(flag.type._tag === "Boolean" && !onByDefault.has(flag.name) ? { negation: false as const } : undefined)
  })),
  subcommands: command.subcommands.map(adapted)
})

/** A shell shows one line. */
const firstSentence = (text: string | undefined): string | undefined => text?.split(/(?<=\.) |; /)[0]

/**
 * The script with which a shell completes lint-ai: commands, flags and their values stand in it, and the sessions of the project around the working
 * directory are asked for when they are wanted (not in PowerShell).
 */
export const completionScript = (shell: Shell, program: Parameters<typeof Completions.fromCommand>[0]): string => {
  const described = adapted(Completions.fromCommand(program))
  const script = Completions.generate("lint-ai", shell, described).replaceAll(
    `lint-ai --completions ${shell}`,
    `lint-ai completions ${shell}`
  )
  switch (shell) {
    case "bash":
      return script.replaceAll(`'${sessionsMark}'`, `$(${askForSessions})`)
    case "zsh":
      return script
        .replaceAll(`(${sessionsMark})`, "_lint_ai_session_names")
        .replace(
          "_lint_ai() {",
          `_lint_ai_session_names() {\n  local -a names\n  names=(\${(f)"$(${askForSessions})"})\n  compadd -a names\n}\n\n_lint_ai() {`
        )
    case "fish":
      return script.replaceAll(`'${sessionsMark}'`, `'(${askForSessions})'`)
    case "powershell":
      return script.replaceAll(`@('${sessionsMark}')`, "@()")
  }
}
