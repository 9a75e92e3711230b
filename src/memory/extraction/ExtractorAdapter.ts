import type { AgentAnswer } from "../../providers/ProviderCli.ts"
import type { SettingsHome } from "../../providers/settingsHome.ts"
import type { Candidate, ExtractorHost, FailureReason } from "./contract.ts"

/** How the transcript is handed to one agent. */
export interface AgentCall {
  readonly programArgs?: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
}

/** What the agent's reply comes to. An exit code other than 0 never gets here. */
export type Reading =
  | { readonly candidates: ReadonlyArray<Candidate> }
  | { readonly reason: Extract<FailureReason, "extractor-failed" | "malformed-output">; readonly error: string }

/** Everything that extraction needs to know of one agent. It knows no other's. */
export interface ExtractorAdapter {
  readonly host: ExtractorHost
  /** The agent's program. */
  readonly runtime: string
  readonly settings: SettingsHome
  /** What else is in the agent's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Arguments of a run that tells what the program can do; absent where every version can do what is needed. */
  readonly probe?: ReadonlyArray<string>
  /**
   * @param schemaFile where `candidateSchema` stands
   * @param abilities what the probe printed
   */
  readonly call: (schemaFile: string, abilities: string) => AgentCall
  readonly read: (answer: AgentAnswer, abilities: string) => Reading
}
