import { Argument, Flag } from "effect/cli"
import * as Option from "effect/Option"
import { type Provider, providers } from "../domain/provider.ts"

/** Flags and arguments that several commands share, so that they are called the same everywhere. */
const some = <A>(flag: Flag.Flag<A>) => flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))

/** An unset variable of a shell leaves an empty text, which as a path would mean the working directory. */
const isGiven = (value: string): boolean => value !== ""
const expected = (): string => "a text that is not empty"

const aroundHere = "Directory of the project; else the one around the working directory"

export const json = Flag.Boolean("json").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Print one JSON document instead of text")
)
export const yes = Flag.Boolean("yes").pipe(
  Flag.withDefault(false),
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask")
)
export const project = some(
  Flag.String("project").pipe(Flag.filter(isGiven, expected), Flag.withDescription(aroundHere), Flag.withMetavar("DIR"))
)
export const sessionRoot = some(
  Flag.String("session-root").pipe(
    Flag.filter(isGiven, expected),
    Flag.withDescription("Directory that holds the archives, instead of the usual one in the project"),
    Flag.withMetavar("DIR")
  )
)
export const providerFlag = some(Flag.Literals("provider", providers).pipe(Flag.withDescription("Only this agent")))
/** Which archives a command looks at. */
export const sessionScope = { project, provider: providerFlag, sessionRoot }
export const optionalString = (name: string, description: string, metavar: string) =>
  some(
    Flag.String(name).pipe(Flag.filter(isGiven, expected), Flag.withDescription(description), Flag.withMetavar(metavar))
  )

/** A flag that may be given several times, or not at all. The help calls a flag without a default needed. */
export const repeatable = (name: string, description: string, metavar: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.atLeast(1),
    Flag.withDefault([] as ReadonlyArray<string>)
  )

/** A flag whose value is a whole number, and not less than `least`: nothing is shown, done or waited for a negative number of times. */
export const wholeNumber = (name: string, least: number) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= least,
      () => `a whole number from ${least} on`
    ),
    Flag.withMetavar("N")
  )

/** Where a report goes instead of stdout; `-` is stdout, as `-` is stdin where something is read. */
export const outFile = optionalString(
  "out",
  "Write to this file, which must not exist, instead of stdout (-)",
  "FILE"
).pipe(Flag.map((file) => (file === "-" ? undefined : file)))

/** The words of a choice as a person lists them. The help shows those of flags by itself. */
export const choiceOf = (words: ReadonlyArray<string>): string =>
  `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`

export const agentWords = `The coding agent: ${choiceOf(providers)}`
export const providerArgument = Argument.Literals("agent", providers).pipe(Argument.withDescription(agentWords))
/** The agent of a command that is about Claude Code where none is named. */
export const agent = Argument.Literals("agent", providers).pipe(
  Argument.withDefault("claude" as Provider),
  Argument.withDescription(`${agentWords}; else claude`)
)
export const optionalArgument = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.filter(isGiven, expected),
    Argument.withDescription(description),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  )
export const oneSession = optionalArgument("session", "Its id, the beginning of it, or its directory; else the newest")

/** The project as an argument alone. */
export const projectArgument = optionalArgument("path", aroundHere)

/** The project as an argument or as --project, whichever comes to a hand first. `name` is what the help calls the argument. */
export const projectPlace = (name = "path", description = aroundHere) => ({
  path: optionalArgument(name, description),
  project
})

/** What was said of the project, in either form; the argument holds where both were given. */
export const givenProject = (flags: {
  readonly path: string | undefined
  readonly project: string | undefined
}): string | undefined => flags.path ?? flags.project

/** Flags that are on unless somebody says no; of the others nobody needs the form that turns them off. */
export const onByDefault: ReadonlySet<string> = new Set(["open"])
