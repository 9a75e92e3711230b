import type * as Effect from "effect/Effect"
import type { Arm } from "../domain/arm.ts"
import type { Provider } from "../domain/provider.ts"
import type { Disk, DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import type { SettingsHome } from "./settingsHome.ts"

/** A fresh settings home that is to be filled. */
export interface IsolationRequest {
  readonly arm: Arm
  /** The project that is worked on, as the user's settings name it. */
  readonly projectRoot: string
  /** The agent's working directory. */
  readonly workspace: string
  /** The settings home; empty. */
  readonly settingsRoot: string
  /** The user's own settings home, which may not be there. Only read. */
  readonly userSettings: string
  /** Directories of the place, for temporary files and as a home. */
  readonly temporary: string
  readonly home: string
  readonly agentVersion: string
}

/** How an agent is started in its settings home. */
export interface Isolated {
  /** What is in its environment besides what passes. */
  readonly env: Readonly<Record<string, string>>
  /** Names of more variables that pass, because the user's settings name them. */
  readonly passes: ReadonlyArray<string>
  readonly programArgs: ReadonlyArray<string>
  /** Before the arguments of the arm. */
  readonly args: ReadonlyArray<string>
  /** Where an install finds the user's files of the agent when neither a variable nor the home directory tells. */
  readonly installHome?: string
  /** Sentences for a person: what of the user's settings is in use, what cannot be switched off. */
  readonly notes: ReadonlyArray<string>
}

/** What is an agent's own in running it apart from its user and its project. */
export interface ProviderIsolation {
  readonly provider: Provider
  readonly settings: SettingsHome
  /** Whether a variable of the user's environment reaches the agent: its login, how its service is reached. What all programs need passes anyway. */
  readonly passes: (name: string, env: Readonly<Record<string, string | undefined>>) => boolean
  /** Variables that hold a login. */
  readonly loginVariables: ReadonlyArray<string>
  /** Fills the settings home. The hooks of lint-ai are put in afterwards. */
  readonly prepare: (request: IsolationRequest) => Effect.Effect<Isolated, DiskError, Disk | Host>
  /** What there is to do when the hooks are in. */
  readonly afterHooks?: (request: IsolationRequest) => Effect.Effect<void, DiskError, Disk | Host>
  /** What a session that was recorded with such permissions is replayed with, by the agent's own word for them. */
  readonly permissions: (recorded: string | undefined) => {
    readonly args: ReadonlyArray<string>
    readonly notes: ReadonlyArray<string>
  }
  /** Whether the version goes on with a conversation that another process began. */
  readonly resumes: (agentVersion: string) => boolean
  /** Flags for the limits that the agent holds itself. */
  readonly limits: (limits: {
    readonly turns?: number | undefined
    readonly usd?: number | undefined
  }) => ReadonlyArray<string>
  /** What the costs cover that the agent tells when it goes on with a conversation. */
  readonly costs: (agentVersion: string) => "run" | "conversation"
}
