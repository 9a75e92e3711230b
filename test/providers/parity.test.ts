import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { startRecording } from "../../src/control/switches.ts"
import type { ArchivedEvent, EventKind } from "../../src/domain/event.ts"
import { type Provider, providers } from "../../src/domain/provider.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { commonToolName, type ToolKind, toolNames } from "../../src/domain/toolNames.ts"
import { adapterFor } from "../../src/providers/registry.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { machineOf, manifestOf, newUser, strictEvents, type TestUser } from "../support/recording.ts"
import { fixtures as antigravityFixtures, payload as antigravityPayload } from "./antigravity/fixtures.ts"
import { payload as claudePayload, payloads as claudePayloads } from "./claude/fixtures.ts"
import { sequence as codexSequence, rolloutLines } from "./codex/fixtures.ts"
import { payload as geminiPayload } from "./gemini/fixtures.ts"

type Json = Record<string, unknown>

/**
 * One task for every agent: a prompt; a file is read, a command works, a command fails, a file is edited; an answer. Each agent tells it in the
 * payloads and lines that were captured of it, or reported where nothing is.
 */
const steps = [
  { kind: "read", fails: false },
  { kind: "shell", fails: false },
  { kind: "shell", fails: true },
  { kind: "edit", fails: false }
] as const satisfies ReadonlyArray<{ kind: ToolKind; fails: boolean }>

/** One call of a hook, and what the agent has written to its own files by then. */
interface Moment {
  readonly payload: Json
  readonly event?: string
  readonly before?: () => void
}

interface Told {
  readonly sessionId: string
  readonly moments: ReadonlyArray<Moment>
}

/** Later than the recording began, whenever this runs: what is older in a transcript belongs to another session. */
const later = (text: string): string => text.replace(/20\d\d-(\d\d-\d\dT)/g, "2999-$1")

const claude = (user: TestUser): Told => {
  const common = {
    session_id: "0b",
    transcript_path: path.join(user.directory, "none.jsonl"),
    cwd: user.project,
    prompt_id: "p"
  }
  const calls = steps.flatMap(({ kind, fails }, index): ReadonlyArray<Moment> => {
    const [tool_name] = toolNames[kind].claude ?? []
    const [, captured] = claudePayloads.find(([, payload]) => payload.tool_name === tool_name) ?? []
    const call = { ...common, tool_use_id: `toolu_${index}`, tool_name, tool_input: captured?.tool_input }
    return [
      { payload: { ...claudePayload("PreToolUse-1"), ...call } },
      { payload: { ...claudePayload(fails ? "PostToolUseFailure-1" : "PostToolUse-2"), ...call } }
    ]
  })
  return {
    sessionId: "0b",
    moments: [
      { payload: { ...claudePayload("SessionStart-1"), ...common, source: "startup" } },
      { payload: { ...claudePayload("UserPromptSubmit-1"), ...common } },
      ...calls,
      { payload: { ...claudePayload("Stop-1"), ...common } },
      { payload: { ...common, hook_event_name: "SessionEnd", reason: "other" } }
    ]
  }
}

/** The captured session has no step of reading: Codex reads with its shell, so its first command is told twice, by two ids. */
const codex = (user: TestUser): Told => {
  const captured = codexSequence("tools")
  const rollout = path.basename(String(captured[0]?.payload.transcript_path))
  const lines = rolloutLines(rollout)
  const [firstCall, lastOfCall] = [11, 16]
  const asRead = (text: string) => text.replaceAll("call_fake000004", "call_read").replaceAll("fake000003", "read")
  const inserted = lines.slice(firstCall, lastOfCall).map(asRead)
  const all = [...lines.slice(0, firstCall), ...inserted, ...lines.slice(firstCall)]
  const file = path.join(user.directory, rollout)
  const at = (moment: (typeof captured)[number], extra: number, change = (text: string) => text): Moment => ({
    payload: {
      ...JSON.parse(change(JSON.stringify(moment.payload))),
      cwd: user.project,
      transcript_path: file
    },
    before: () => fs.writeFileSync(file, later(all.slice(0, moment.lines + extra).join("")))
  })
  const isTool = ({ payload }: (typeof captured)[number]) => String(payload.hook_event_name).endsWith("ToolUse")
  const firstTool = captured.findIndex(isTool)
  return {
    sessionId: String(captured[0]?.payload.session_id),
    moments: [
      ...captured.slice(0, firstTool).map((moment) => at(moment, 0)),
      ...captured.slice(firstTool, firstTool + 2).map((moment) => at(moment, 0, asRead)),
      ...captured.slice(firstTool).map((moment) => at(moment, inserted.length))
    ]
  }
}

const gemini = (user: TestUser): Told => {
  const common = { session_id: "0c", transcript_path: path.join(user.directory, "none.jsonl"), cwd: user.project }
  const calls: Readonly<Record<string, readonly [string, string]>> = {
    "read false": ["BeforeTool-2", "AfterTool-2"],
    "shell false": ["BeforeTool-1", "AfterTool-1"],
    // The call before a failing command was captured with another command.
    "shell true": ["BeforeTool-1", "AfterTool-3"],
    "edit false": ["BeforeTool-4", "AfterTool-6"]
  }
  let seconds = 10
  const moment = (name: string, fields: Json = {}): Moment => ({
    payload: geminiPayload(name, { ...common, ...fields, timestamp: `2026-11-30T03:36:${++seconds}.000Z` })
  })
  return {
    sessionId: "0c",
    moments: [
      moment("SessionStart-1"),
      moment("BeforeAgent-1"),
      ...steps.flatMap(({ kind, fails }) => {
        const [before = "", after = ""] = calls[`${kind} ${fails}`] ?? []
        return [moment(before, { tool_input: geminiPayload(after).tool_input }), moment(after)]
      }),
      moment("AfterAgent-1"),
      moment("SessionEnd-3"),
      moment("SessionEnd-3"),
      moment("SessionEnd-3")
    ]
  }
}

const antigravity = (user: TestUser): Told => {
  const rows = fs
    .readFileSync(path.join(antigravityFixtures, "transcript_full.reconstructed.jsonl"), "utf8")
    .split("\n")
  const [prompt, planned, , answer] = rows.map((row) => (row === "" ? {} : JSON.parse(row)))
  const results: Readonly<Record<string, string>> = { read: "VIEW_FILE", shell: "RUN_COMMAND", edit: "CODE_ACTION" }
  const name = (kind: ToolKind) => toolNames[kind].antigravity?.[0] ?? ""
  const turn = steps.flatMap(({ kind, fails }, index) => [
    { ...planned, step_index: 2 * index + 2, tool_calls: [{ name: name(kind), args: {} }] },
    {
      ...planned,
      step_index: 2 * index + 3,
      type: results[kind],
      tool_calls: undefined,
      content: fails ? "oops" : "fine"
    }
  ])
  const written = [prompt, ...turn, { ...answer, step_index: 2 * steps.length + 2 }]
  const transcriptPath = path.join(user.directory, "transcript_full.jsonl")
  const moment = (sample: string, fields: Json = {}, lines = written.length): Moment => ({
    event: sample.split("-")[0] ?? "",
    payload: antigravityPayload(sample, { workspacePaths: [user.project], transcriptPath, ...fields }),
    before: () =>
      fs.writeFileSync(
        transcriptPath,
        later(
          written
            .slice(0, lines)
            .map((row) => `${JSON.stringify(row)}\n`)
            .join("")
        )
      )
  })
  return {
    sessionId: String(antigravityPayload("Stop-1").conversationId),
    moments: [
      moment("SessionStart-1", {}, 1),
      moment("PreInvocation-1", {}, 1),
      ...steps.flatMap(({ kind, fails }, index) => [
        moment(
          "PostToolUse-1",
          {
            stepIdx: 2 * index + 3,
            toolCall: { name: name(kind), args: {} },
            error: fails ? "exit status 3" : ""
          },
          2 * index + 3
        )
      ]),
      moment("Stop-1")
    ]
  }
}

const tellers: Readonly<Record<Provider, (user: TestUser) => Told>> = { claude, codex, gemini, antigravity }

/** Records the task as an agent tells it, as its hooks would. */
const record = Effect.fnUntraced(function* (provider: Provider) {
  const user = yield* newUser
  const { sessionId: id, moments } = tellers[provider](user)
  const adapter = adapterFor(provider)
  if (adapter === undefined) throw new Error(`no adapter for ${provider}`)
  yield* Effect.gen(function* () {
    const recorder = yield* Recorder
    yield* startRecording(user.project, provider)
    for (const { payload, event, before } of moments) {
      before?.()
      const env = provider === "gemini" ? { GEMINI_PROJECT_DIR: user.project } : {}
      const delivery = yield* adapter.read({ payload, event, env, parentPid: 100 })
      yield* recorder.record(adapter, delivery, 1_000)
    }
  }).pipe(Effect.provide(machineOf(user, { host: { env: { ...user.env, CLAUDE_PROJECT_DIR: undefined } } })))
  const files = archiveFiles(path.join(sessionsRoot(user.project, provider), sessionDirectory(sessionId(provider, id))))
  return { events: strictEvents(files.events), capabilities: manifestOf(files.manifest).capabilities ?? {} }
})

/** Which capability says whether an agent tells of a kind at all. Usage and an agent's own events are no part of a task. */
const capabilityOf = {
  session_start: "session_start",
  user_prompt: "prompts",
  tool_call: "tool_calls",
  tool_result: "tool_results",
  tool_error: "tool_errors",
  assistant_message: "assistant_messages",
  session_end: "session_end"
} as const satisfies Partial<Record<EventKind, string>>
const isOfTask = (kind: EventKind): kind is keyof typeof capabilityOf => kind in capabilityOf

/** What happened: the kind, the tool by its common name, how it ended, and which call it ended. */
const told = (provider: Provider, events: ReadonlyArray<ArchivedEvent>): ReadonlyArray<string> => {
  const calls: Array<string | undefined> = []
  return events
    .filter((event) => isOfTask(event.kind))
    .map((event) => {
      if (event.kind !== "tool_call" && event.kind !== "tool_result" && event.kind !== "tool_error") return event.kind
      const tool = commonToolName(provider, event.payload.tool_name)
      const id = event.provider_ids?.tool_use_id
      if (event.kind === "tool_call") return `tool_call ${tool} ${calls.push(id)}`
      const outcome = event.kind === "tool_error" ? ` ${event.payload.outcome}` : ""
      return `${event.kind} ${tool} ${calls.indexOf(id) + 1}${outcome}`
    })
}

/** The kind of tool that an agent uses for a step: the shell where it has none of its own. */
const toolFor = (provider: Provider, kind: ToolKind): ToolKind =>
  toolNames[kind][provider] === undefined ? "shell" : kind

describe("the same task, told by each agent", () => {
  for (const provider of providers)
    it.live(`is the same sequence for ${provider}, but for what its capabilities leave out`, () =>
      Effect.gen(function* () {
        const { events, capabilities } = yield* record(provider)
        const whole: ReadonlyArray<readonly [keyof typeof capabilityOf, string]> = [
          ["session_start", "session_start"],
          ["user_prompt", "user_prompt"],
          ...steps.flatMap(({ kind, fails }, index) => {
            const tool = toolFor(provider, kind)
            return [
              ["tool_call", `tool_call ${tool} ${index + 1}`] as const,
              fails
                ? (["tool_error", `tool_error ${tool} ${index + 1} failed`] as const)
                : (["tool_result", `tool_result ${tool} ${index + 1}`] as const)
            ]
          }),
          ["assistant_message", "assistant_message"],
          ["session_end", "session_end"]
        ]
        assert.deepStrictEqual(
          told(provider, events),
          whole.filter(([kind]) => capabilities[capabilityOf[kind]] !== "absent").map(([, text]) => text)
        )
      }).pipe(Effect.scoped)
    )

  it("has tools of its own for reading only where the table says so", () => {
    assert.deepStrictEqual(
      providers.map((provider) => toolFor(provider, "read")),
      ["read", "shell", "read", "read"]
    )
  })
})
