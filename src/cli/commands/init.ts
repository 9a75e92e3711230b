import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { Toggles } from "../../control/Toggles.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { Screen } from "../../platform/Screen.ts"
import { installableProviders } from "../../providers/installers.ts"
import { agentVersion } from "../agentVersion.ts"
import { Cancelled, NeedsConfirmation } from "../errors.ts"
import { givenProject, json, projectPlace, yes } from "../options.ts"
import { projectToSetUp } from "../project.ts"
import { note } from "../report.ts"
import { installProvider } from "./install.ts"

/** The agents of this machine, with their versions. */
const foundAgents = Effect.fn("foundAgents")(function* () {
  // At once: an agent on Node takes a second to say its version, and one that hangs takes all the patience there is.
  const found = yield* Effect.forEach(
    installableProviders,
    (provider) => Effect.map(agentVersion(provider), (version) => ({ provider, version })),
    { concurrency: "unbounded" }
  )
  return found.filter((agent) => agent.version !== undefined)
})

/** Asks which of several agents to record; an empty answer takes the first. */
const chooseAgent = Effect.fn("chooseAgent")(function* (
  agents: ReadonlyArray<{ readonly provider: Provider; readonly version: string | undefined }>,
  yes: boolean
) {
  const [first] = agents
  const fallback = first?.provider ?? "claude"
  if (agents.length <= 1 || yes) return fallback
  const screen = yield* Screen
  if (!screen.interactive) return yield* new NeedsConfirmation({ action: "Choosing an agent" })
  const lines = agents.map((agent, index) => `  ${index + 1}  ${providerTitles[agent.provider]} ${agent.version}\n`)
  const answer = yield* screen.ask(`Which agent?\n${lines.join("")}[1] `)
  if (answer === undefined) return yield* new Cancelled({})
  return agents[Number(answer.trim() === "" ? "1" : answer) - 1]?.provider ?? (yield* new Cancelled({}))
})

export const initCommand = Command.make(
  "init",
  {
    ...projectPlace("path", "Directory of the project; else the work tree around the working directory"),
    yes,
    json
  },
  Effect.fn("init")(function* (flags) {
    const root = yield* projectToSetUp(givenProject(flags))
    const agents = yield* foundAgents()
    if (agents.length === 0 && !flags.json) {
      yield* note("No coding agent was found on your PATH; setting up for Claude Code.\n\n")
    }
    const provider = yield* chooseAgent(agents, flags.yes)
    yield* installProvider({
      provider,
      project: root,
      scope: undefined,
      settings: undefined,
      mode: "capture-only",
      sessionRoot: undefined,
      mcp: false,
      dryRun: false,
      yes: flags.yes,
      json: flags.json
    })
    const consent = yield* Effect.flatMap(Toggles, (toggles) => toggles.read(root))
    const recorded = consent._tag === "adopted" ? consent.providers : {}
    const others = agents.map((agent) => agent.provider).filter((one) => recorded[one]?.recording !== true)
    if (others.length > 0 && !flags.json) {
      const titles = others.map((one) => providerTitles[one]).join(" and ")
      const commands = others.map((one) => `  lint-ai install ${one} --session-recording capture-only\n`)
      yield* note(`\n${titles} ${others.length === 1 ? "is" : "are"} here too, and not recorded:\n${commands.join("")}`)
    }
  })
).pipe(Command.withDescription("Set a project up: shows what will be recorded, asks, installs and turns recording on"))
