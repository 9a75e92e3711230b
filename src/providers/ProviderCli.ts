import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Provider, providerTitles } from "../domain/provider.ts"

/** One prompt for an agent, run to its end without a person. */
export interface AgentRun {
  readonly prompt: string
  /** Working directory of the agent. */
  readonly cwd: string
  /** The whole environment of the agent: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The provider's id of a session to go on with; absent for a new one. */
  readonly resume?: string | undefined
  readonly model?: string | undefined
  /** Arguments of the agent's own, before the prompt. */
  readonly args?: ReadonlyArray<string> | undefined
  /** Arguments of the program itself, which stand before its subcommand where it has one. */
  readonly programArgs?: ReadonlyArray<string> | undefined
  /**
   * What the prompt is about, of any size: given on stdin, while the prompt becomes an argument and must be short. Claude Code and Codex take
   * one; the others refuse the run.
   */
  readonly input?: string | undefined
  /** After it the agent and every process of its group are ended. */
  readonly timeout: Duration.Input
}

export interface AgentAnswer {
  /** The provider's id of the session; undefined when the agent did not say one. */
  readonly sessionId: string | undefined
  /** What the agent answered last; undefined when it did not answer. */
  readonly text: string | undefined
  /** What the agent says that went wrong. */
  readonly errors: ReadonlyArray<string>
  /** US dollars, where the agent tells. */
  readonly costUsd?: number | undefined
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The agent's program is not there. */
export class AgentMissing extends Data.TaggedError("AgentMissing")<{
  readonly provider: Provider
  readonly program: string
}> {
  override get message(): string {
    return `${providerTitles[this.provider]} was not found: there is no ${this.program} on the PATH. Install it, or put its directory on the PATH.`
  }
}

/** The agent could not be started, or broke off the conversation. `reason` is the system's word for it. */
export class AgentUnusable extends Data.TaggedError("AgentUnusable")<{
  readonly provider: Provider
  readonly program: string
  readonly reason: string
}> {
  override get message(): string {
    return `${providerTitles[this.provider]} (${this.program}) cannot be used: ${this.reason}.`
  }
}

/** The agent's program has no way to be given something beside its prompt, or lint-ai knows of none. */
export const withoutInput = (provider: Provider, program: string): AgentUnusable =>
  new AgentUnusable({ provider, program, reason: "lint-ai knows no way to give it a text beside its prompt" })

/** The agent took longer than it was given. It and all its children were ended. */
export class AgentTooSlow extends Data.TaggedError("AgentTooSlow")<{
  readonly provider: Provider
  readonly program: string
  readonly limitMs: number
}> {
  override get message(): string {
    return `${providerTitles[this.provider]} (${this.program}) did not end within ${this.limitMs} ms and was ended.`
  }
}

/** Runs one agent CLI. Each provider has a layer of it; a test has another. */
export class ProviderCli extends Context.Service<
  ProviderCli,
  {
    readonly provider: Provider
    /** Absolute path of the agent's program. */
    readonly find: Effect.Effect<string, AgentMissing>
    /** The version that the agent names itself, without its name: `0.171.0`. */
    readonly version: Effect.Effect<string, AgentMissing | AgentUnusable | AgentTooSlow>
    /** Runs one prompt. An exit code other than 0 is an answer, not an error. */
    readonly run: (run: AgentRun) => Effect.Effect<AgentAnswer, AgentMissing | AgentUnusable | AgentTooSlow>
  }
>()("lint-ai/providers/ProviderCli") {
  /**
   * Answers as told, for tests.
   *
   * @param answer what a run gives besides an exit code of 0 and empty outputs
   */
  static readonly layerTest = (
    provider: Provider,
    answer: (run: AgentRun) => Effect.Effect<Partial<AgentAnswer>, AgentMissing | AgentUnusable | AgentTooSlow>,
    version = "0.0.0"
  ) =>
    Layer.succeed(ProviderCli, {
      provider,
      find: Effect.succeed(`/usr/bin/${provider}`),
      version: Effect.succeed(version),
      run: (run) =>
        Effect.map(answer(run), (given) => ({
          sessionId: run.resume ?? "test-session",
          text: undefined,
          errors: [],
          exitCode: 0,
          stdout: "",
          stderr: "",
          ...given
        }))
    })
}
