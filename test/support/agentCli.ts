import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** An agent CLI as npm has it, at one exact version. */
export interface AgentPackage {
  readonly name: string
  readonly version: string
  readonly npmPackage: string
  /** Names of the packages that hold the program for this machine, the likeliest first, and the program's path in them. */
  readonly platformPackages: ReadonlyArray<string>
  readonly program: string
}

export class AgentNotInstalled extends Data.TaggedError("AgentNotInstalled")<{
  readonly agent: string
  readonly problem: string
}> {
  override get message(): string {
    return `${this.agent} could not be installed from npm: ${this.problem}`
  }
}

const cache = fileURLToPath(new URL("../../.cache/agents/", import.meta.url))

/**
 * The program of an agent CLI, from the cache or, the first time, from npm.
 *
 * The package is installed beside its final place and moved there in one step, so that two runs that start at once, or one that is
 * killed, never leave half an installation. Install scripts are not run: some npm versions block them, so the program is taken from the
 * package of the platform.
 *
 * @returns absolute path of the program
 */
export const installAgent = (agent: AgentPackage): Effect.Effect<string, AgentNotInstalled> =>
  Effect.tryPromise({
    try: async () => {
      const home = path.join(cache, `${agent.name}-${agent.version}`)
      if (!(await exists(home))) await installInto(agent, home)
      return await findProgram(agent, home)
    },
    catch: (cause) =>
      new AgentNotInstalled({
        agent: `${agent.npmPackage}@${agent.version}`,
        problem: cause instanceof Error ? cause.message : String(cause)
      })
  })

const installInto = async (agent: AgentPackage, home: string): Promise<void> => {
  await fs.mkdir(cache, { recursive: true })
  const aside = await fs.mkdtemp(path.join(cache, `.${agent.name}-${agent.version}-`))
  try {
    await promisify(execFile)("npm", [
      "install",
      "--prefix",
      aside,
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--save-exact",
      `${agent.npmPackage}@${agent.version}`
    ])
    // When another run was faster, its installation stays.
    await fs.rename(aside, home).catch(async (error) => {
      if (!(await exists(home))) throw error
    })
  } finally {
    await fs.rm(aside, { recursive: true, force: true })
  }
}

const findProgram = async (agent: AgentPackage, home: string): Promise<string> => {
  for (const name of agent.platformPackages) {
    const program = path.join(home, "node_modules", name, agent.program)
    if (await exists(program)) return program
  }
  throw new Error(`${home} has none of ${agent.platformPackages.join(", ")}; remove it to install again`)
}

const exists = (file: string): Promise<boolean> =>
  fs.access(file).then(
    () => true,
    () => false
  )
