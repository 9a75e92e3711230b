import { Completions } from "effect/cli"
import { onByDefault } from "./options.ts"

export const shells = ["bash", "zsh", "fish", "powershell"] as const
export type Shell = (typeof shells)[number]

/** Stands where sessions are completed, until the script asks for them itself. A word that nobody types. */
const sessionsMark = "lint-ai-sessions-here"
/** What a script asks: the names of sessions, a line each. */
const askForSessions = "lint-ai session-names 2>/dev/null"

type Described = Completions.CommandDescriptor

const adapted = (command: Described): Described => ({
  ...command,
  description: firstSentence(command.description),
  arguments: command.arguments.map((argument) =>
    argument.name === "session" ? { ...argument, type: { _tag: "Choice", values: [sessionsMark] } } : argument
  ),
  flags: command.flags.map((flag) => ({
    ...flag,
    description: firstSentence(flag.description),
    ...(flag.name === "follow" || flag.name === "session"
      ? { type: { _tag: "Choice", values: [sessionsMark] } as const }
      : undefined),
    ...(flag.type._tag === "Boolean" && !onByDefault.has(flag.name) ? { negation: false as const } : undefined),
    ...(flag.name === "project" || flag.name === "session-root"
      ? { type: { _tag: "Path", pathType: "directory" } as const }
      : undefined),
    ...(flag.name === "out" ? { type: { _tag: "Path", pathType: "file" } as const } : undefined)
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
