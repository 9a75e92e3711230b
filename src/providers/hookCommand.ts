import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { shellWord } from "../domain/shellWord.ts"

/** What an agent starts for a hook: the compiled binary, or a runtime with the bundle as its first argument. Never `npx`. */
export interface HookProgram {
  /** Absolute path. */
  readonly file: string
  /** What comes before `hook <provider>`. */
  readonly args: ReadonlyArray<string>
}

/** The path of lint-ai cannot stand in the settings of an agent. */
export class HookProgramUnusable extends Data.TaggedError("HookProgramUnusable")<{
  readonly word: string
  readonly reason: "relative" | "unquotable"
}> {
  override get message(): string {
    return this.reason === "relative"
      ? `A hook needs the absolute path of lint-ai, not "${this.word}": agents start hooks in any directory.`
      : `"${this.word}" cannot be quoted for every shell that Windows agents use. Put lint-ai into a directory without $, %, ! and \` in its name.`
  }
}

/**
 * The command line that runs lint-ai on this machine, with what it is called with.
 *
 * Agents hand it to a shell. On POSIX systems every word that needs it is in single quotes, inside of which nothing is special but the
 * quote itself. On Windows that shell is cmd or Git's bash: forward slashes and double quotes mean the same to both, and words that one
 * of them would expand are refused. (PowerShell would want an `&` before a quoted program.)
 */
export const commandLine = (
  program: HookProgram,
  args: ReadonlyArray<string>,
  platform: NodeJS.Platform
): Effect.Effect<string, HookProgramUnusable> => {
  const words = [program.file, ...program.args]
  const quote = platform === "win32" ? quoteForWindows : shellWord
  if (!(platform === "win32" ? isAbsolute(program.file) : program.file.startsWith("/"))) {
    return Effect.fail(new HookProgramUnusable({ word: program.file, reason: "relative" }))
  }
  const unquotable = platform === "win32" ? words.find((word) => /[$%!`"\r\n]/.test(word)) : undefined
  if (unquotable !== undefined) return Effect.fail(new HookProgramUnusable({ word: unquotable, reason: "unquotable" }))
  return Effect.succeed([...words.map(quote), ...args].join(" "))
}

/** The command line of a hook on this machine. */
export const hookCommand = (
  program: HookProgram,
  provider: Provider,
  platform: NodeJS.Platform,
  /** Name of the hook event, for an agent that does not say it in the payload. */
  event?: string
): Effect.Effect<string, HookProgramUnusable> => commandLine(program, call(provider, event), platform)

const call = (provider: Provider, event: string | undefined): ReadonlyArray<string> =>
  event === undefined ? ["hook", provider] : ["hook", provider, event]

/** Text around a command line that makes it harmless where the agent would take a failure for an answer. */
export interface Guard {
  readonly before: string
  readonly after: string
}

/**
 * For an agent that takes an exit code of 2 for a refusal, and words on stdout of a failed hook for nothing: whatever stands at the program's
 * path (another version that complains, a text that no shell understands) gives exit code 0. The same in sh, bash and cmd.
 */
export const exitGuard: Guard = { before: "", after: " || exit 0" }

/**
 * For an agent that runs `bash -c` and takes text with an exit code above 1 for a refusal: a program that is missing, crashes or complains
 * gives exit code 0. The shell stays, to see to that; it ends the program when the agent's patience ends, for the agent waits until
 * nobody holds the output open; and it tells the pid of the agent, which is not the parent of the program. What is started in the
 * background would read nothing without `<&0`.
 */
export const shellGuard: Guard = {
  before: "LINT_AI_AGENT_PID=$PPID ",
  after: ` <&0 2>/dev/null & trap "kill -9 $!" TERM; wait $!; exit 0`
}

/**
 * For an agent that runs `bash -c`, takes an exit code of 2 for a refusal and plain text for words to its model: only a JSON object is passed
 * on, and only of a program that ended well. The agent itself ends the whole group when its patience ends.
 */
export const answerGuard: Guard = {
  before: "out=$(LINT_AI_AGENT_PID=$PPID ",
  after: ` 2>/dev/null) && case $out in "{"*) printf %s "$out";; esac; exit 0`
}

/** shellGuard for an agent that runs PowerShell, which ends a whole tree of processes. Written from its documentation, not tried. */
export const powershellGuard: Guard = { before: "& ", after: " 2>$null; exit 0" }

/** For a hook that gates an action and must say so: without lint-ai the answer is the same as with it. */
export const gateGuard = (answer: string): Guard => ({ before: "", after: ` 2>/dev/null || echo '${answer}'` })

export const guarded = (guard: Guard, command: string): string => guard.before + command + guard.after

const guards: ReadonlyArray<Guard> = [
  exitGuard,
  shellGuard,
  answerGuard,
  powershellGuard,
  gateGuard('{"decision":"allow"}')
]

/** A command line out of its guard; as it is when it has none. */
const unguarded = (command: string): string => {
  const guard = guards.find(
    ({ before, after }) =>
      command.length > before.length + after.length && command.startsWith(before) && command.endsWith(after)
  )
  return guard === undefined ? command : command.slice(guard.before.length, -guard.after.length)
}

/** A word in PowerShell: inside single quotes only the quote itself is special. */
export const quoteForPowerShell = (word: string): string => `'${word.replaceAll("'", "''")}'`

/**
 * The command line for a file that colleagues share: no path of this machine in it, and nothing happens where lint-ai is not installed.
 * `if` without a branch taken has exit code 0.
 */
export const sharedHookCommand = (provider: Provider, event?: string): string =>
  `if command -v lint-ai >/dev/null 2>&1; then ${guarded(exitGuard, bareHookCommand(provider, event))}; fi`

/** The program by name, for a guard that takes care of its absence. */
export const bareHookCommand = (provider: Provider, event?: string): string =>
  ["lint-ai", ...call(provider, event)].join(" ")

/** What a command line in some settings file says, when it runs a hook of lint-ai. */
export interface KnownCommand {
  /**
   * `path`: a program by absolute path, as install writes it. `shared`: the form for shared files. `custom`: a person has put
   * something around it (an environment, another program, a redirection), which install leaves alone.
   */
  readonly form: "path" | "shared" | "custom"
  /** The words before `hook`: the program and its arguments. */
  readonly program: ReadonlyArray<string>
}

/**
 * Recognises our own command lines by their shape `... hook <provider>`, so that those of a binary which has moved, or whose record is
 * lost, are found too. Other tools have a `hook` command as well: something before it must be named after lint-ai or be its bundle.
 */
export const readHookCommand = (command: string, provider: Provider): KnownCommand | undefined => {
  const inner = unguarded(command)
  const words = wordsOf(inner)
  const at = words.findIndex((word, index) => word === "hook" && words[index + 1]?.replace(/;$/, "") === provider)
  const program = words.slice(0, Math.max(at, 0))
  if (!program.some(isLintAi)) return undefined
  const event = words[at + 2]?.replace(/;$/, "")
  const named = event !== undefined && /^[A-Z]\w*$/.test(event) ? event : undefined
  if (inner === sharedHookCommand(provider, named)) return { form: "shared", program: ["lint-ai"] }
  if (inner !== command && inner === bareHookCommand(provider, named)) return { form: "shared", program: ["lint-ai"] }
  const bare = at + (named === undefined ? 2 : 3) === words.length && isAbsolute(program[0] ?? "")
  return { form: bare ? "path" : "custom", program }
}

/** `lint-ai`, `lint-ai.exe` or `lint-ai-linux-x64` as a part of a path, or a bundle in a directory that may be called anything. */
const isLintAi = (word: string): boolean =>
  word.split(/[\\/]/).some((part) => /^lint-ai(?![a-z])/i.test(part)) ||
  /(^|[\\/])dist[\\/](main|hook)\.[cm]?js$/.test(word)

const quoteForWindows = (word: string): string => {
  // Some programs hand out paths that begin with \\?\, which shells do not understand.
  const usual = word.replace(/^\\\\\?\\UNC\\/, "\\\\").replace(/^\\\\\?\\/, "")
  const slashes = usual.replaceAll("\\", "/")
  return /^[A-Za-z0-9_./:@-]+$/.test(slashes) ? slashes : `"${slashes}"`
}

/** Of any platform: settings files travel between machines. */
const isAbsolute = (file: string): boolean => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(file)

/**
 * Splits a command line into words as a shell does, without any expansion. A backslash before a letter or digit stays, as in a
 * Windows path that somebody wrote without thinking of bash.
 */
const wordsOf = (command: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const parts = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)/g
  let word: string | undefined
  for (const [, single, double, escaped, bare, space] of command.matchAll(parts)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    const piece = single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? (escaped === undefined ? bare : unescaped(escaped))
    word = (word ?? "") + (piece ?? "")
  }
  return word === undefined ? words : [...words, word]
}

const unescaped = (character: string): string => (/[A-Za-z0-9_.]/.test(character) ? `\\${character}` : character)
