import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Arm } from "../../src/domain/arm.ts"
import type { Provider } from "../../src/domain/provider.ts"
import { Worktrees } from "../../src/platform/Worktrees.ts"
import {
  type AgentAnswer,
  AgentMissing,
  type AgentRun,
  type AgentTooSlow,
  type AgentUnusable,
  ProviderCli
} from "../../src/providers/ProviderCli.ts"
import { adapterFor } from "../../src/providers/registry.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { AgentClis } from "../../src/replay/agentClis.ts"
import { isolatedAgentLayer } from "../../src/replay/isolatedAgentLive.ts"
import { machineOf, type TestUser } from "./recording.ts"

/** What a run of a pretended agent gives; nothing else of it is pretended. */
export type Answering = (
  run: AgentRun
) => Effect.Effect<Partial<AgentAnswer>, AgentMissing | AgentUnusable | AgentTooSlow>

/** The live IsolatedAgent of a user, with pretended agents of this version. */
export const isolatedAgentOf = (
  user: TestUser,
  answer: Answering,
  options: {
    readonly version?: string
    readonly env?: Readonly<Record<string, string>>
    /** There is no program of it. */
    readonly missing?: true
  } = {}
) => {
  const temporary = path.join(user.directory, "tmp")
  fs.mkdirSync(temporary, { recursive: true })
  // A program as install finds it, so that its hooks are known again.
  const entry = "/opt/lint-ai/dist/main.mjs"
  const host = { temporary, entry, env: { ...user.env, PATH: "/usr/bin:/bin", ...options.env } }
  const clis = Layer.succeed(AgentClis, (provider: Provider) =>
    Effect.map(ProviderCli, (cli) =>
      options.missing === undefined
        ? cli
        : { ...cli, find: Effect.fail(new AgentMissing({ provider, program: provider })) }
    ).pipe(Effect.provide(ProviderCli.layerTest(provider, answer, options.version ?? "2.1.332"), { local: true }))
  )
  return isolatedAgentLayer.pipe(
    Layer.provide(clis),
    Layer.provideMerge(Layer.mergeAll(machineOf(user, { host }), Worktrees.layer, NodeServices.layer))
  )
}

/** An arm, with what is usual in these tests. */
export const armOf = (provider: Provider, more: Partial<Arm> = {}): Arm => ({
  name: `${provider}-off`,
  provider,
  lint_ai: false,
  native_memory: false,
  instruction_files: true,
  memory: { from: "project" },
  profile: "production",
  args: [],
  ...more
})

/** What the hooks of Claude Code in this run tell lint-ai: that a session began, was asked something, and is over. */
export const hooksOfClaude = (user: TestUser, run: AgentRun, session: string) =>
  Effect.gen(function* () {
    const adapter = adapterFor("claude")
    if (adapter === undefined) throw new Error("no adapter")
    const recorder = yield* Recorder
    const about = { session_id: session, transcript_path: "/none", cwd: run.cwd, prompt_id: `${session}-${run.prompt}` }
    const payloads = [
      { hook_event_name: "SessionStart", source: run.resume === undefined ? "startup" : "resume" },
      { hook_event_name: "UserPromptSubmit", prompt: run.prompt },
      { hook_event_name: "Stop", last_assistant_message: "Done." },
      { hook_event_name: "SessionEnd", reason: "other" }
    ]
    for (const payload of payloads) {
      const input = { payload: { ...about, ...payload }, event: undefined, env: run.env }
      yield* recorder.record(adapter, yield* adapter.read(input), 5_000)
    }
  }).pipe(
    Effect.orDie,
    Effect.provide(machineOf(user, { host: { env: run.env, home: run.env.HOME ?? "/" } }), { local: true })
  )
