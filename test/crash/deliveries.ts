import * as fs from "node:fs"
import * as path from "node:path"
import type { Provider } from "../../src/domain/provider.ts"
import type { TestUser } from "../support/recording.ts"

/** What an agent gives its hook for one step of a session. */
export interface HookDelivery {
  /** Stands in the text of the event that the delivery becomes, and nowhere else. */
  readonly mark: string
  readonly args: ReadonlyArray<string>
  readonly payload: unknown
  /** What the agent must read on stdout when all is well, and when nothing is. */
  readonly answer: string
}

/** A session as one agent tells it. `n` tells the steps apart: a step that is made again is the same delivery again. */
export interface AgentSession {
  readonly provider: Provider
  readonly id: string
  readonly step: (n: number) => HookDelivery
  readonly end: (n: number) => HookDelivery
  /**
   * What comes after an end. The end of a session has little time, whatever the machine does meanwhile: of the transcript it reads what it can, and
   * the rest is for the next hook.
   */
  readonly late: (n: number) => ReadonlyArray<HookDelivery>
}

/** Where the agents of a user keep their transcripts. */
const transcriptOf = (user: TestUser, id: string): string => path.join(user.home, "transcripts", `${id}.jsonl`)

const sessions: Record<Provider, (user: TestUser, id: string) => AgentSession> = {
  claude: (user, id) => {
    const common = { session_id: id, transcript_path: transcriptOf(user, id), cwd: user.project }
    return {
      provider: "claude",
      id,
      step: (n) => {
        const mark = `${id}-mark-${n}-`
        const prompt = { ...common, hook_event_name: "UserPromptSubmit", prompt_id: mark, prompt: mark }
        const result = {
          ...common,
          hook_event_name: "PostToolUse",
          tool_name: "Bash",
          tool_input: { command: "true" },
          tool_response: { stdout: mark, stderr: "", interrupted: false },
          tool_use_id: `toolu_${n}`
        }
        return { mark, args: ["claude"], payload: n % 3 === 2 ? result : prompt, answer: "" }
      },
      late: (n) => [
        {
          mark: `${id}-late-${n}-`,
          args: ["claude"],
          payload: {
            ...common,
            hook_event_name: "Stop",
            prompt_id: `${id}-late-${n}-`,
            last_assistant_message: `${id}-late-${n}-`
          },
          answer: ""
        }
      ],
      // The end of a session reads what the session has used out of its transcript.
      end: (n) => {
        appendUsage(common.transcript_path, `${id}-message-${n}`)
        return {
          mark: `${id}-end-${n}-`,
          args: ["claude"],
          payload: {
            ...common,
            hook_event_name: "SessionEnd",
            prompt_id: `${id}-end-${n}-`,
            reason: `${id}-end-${n}-`
          },
          answer: ""
        }
      }
    }
  },
  codex: (user, id) => {
    const common = { session_id: id, transcript_path: transcriptOf(user, id), cwd: user.project, model: "m" }
    return {
      provider: "codex",
      id,
      late: () => [],
      step: (n) => {
        const mark = `${id}-mark-${n}-`
        return {
          mark,
          args: ["codex"],
          payload: { ...common, hook_event_name: "UserPromptSubmit", turn_id: mark, prompt: mark },
          answer: ""
        }
      },
      end: (n) => ({
        mark: `${id}-end-${n}-`,
        args: ["codex"],
        payload: { ...common, hook_event_name: "SessionEnd", reason: `${id}-end-${n}-` },
        answer: ""
      })
    }
  },
  gemini: (user, id) => {
    const common = { session_id: id, transcript_path: transcriptOf(user, id), cwd: user.project }
    const at = (n: number) => new Date(Date.UTC(2026, 10, 30) + n * 1000).toISOString()
    return {
      provider: "gemini",
      id,
      late: () => [],
      step: (n) => {
        const mark = `${id}-mark-${n}-`
        return {
          mark,
          args: ["gemini"],
          payload: { ...common, hook_event_name: "BeforeAgent", timestamp: at(n), prompt: mark },
          answer: "{}"
        }
      },
      end: (n) => ({
        mark: `${id}-end-${n}-`,
        args: ["gemini"],
        payload: { ...common, hook_event_name: "SessionEnd", timestamp: at(n), reason: `${id}-end-${n}-` },
        answer: "{}"
      })
    }
  },
  antigravity: (user, id) => {
    const common = { conversationId: id, workspacePaths: [user.project], transcriptPath: transcriptOf(user, id) }
    return {
      provider: "antigravity",
      id,
      late: () => [],
      step: (n) => {
        const mark = `${id}-mark-${n}-`
        return {
          mark,
          args: ["antigravity", "PostToolUse"],
          payload: {
            ...common,
            stepIdx: n,
            toolCall: { name: "run_command", args: { CommandLine: mark } },
            error: ""
          },
          answer: "{}"
        }
      },
      end: (n) => ({
        mark: `${id}-end-${n}-`,
        args: ["antigravity", "Stop"],
        payload: { ...common, executionNum: n, terminationReason: `${id}-end-${n}-`, error: "", fullyIdle: true },
        answer: "{}"
      })
    }
  }
}

export const agentSession = (user: TestUser, provider: Provider, id: string): AgentSession =>
  sessions[provider](user, id)

/** Tokens that each message of a transcript has used. */
export const tokensOfMessage = 7

/** One more answer in a transcript of Claude Code; a line that is there is not written again. */
const appendUsage = (file: string, id: string): void => {
  const line = JSON.stringify({
    type: "assistant",
    // Later than any recording of the test began.
    timestamp: "2099-01-01T00:00:00.000Z",
    message: {
      id,
      model: "claude-opus-5-5",
      stop_reason: "end_turn",
      usage: { input_tokens: 0, output_tokens: tokensOfMessage }
    }
  })
  fs.mkdirSync(path.dirname(file), { recursive: true })
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8").includes(`"${id}"`)) return
  fs.appendFileSync(file, `${line}\n`)
}

/** How many answers a transcript holds. */
export const transcriptLines = (user: TestUser, id: string): number => {
  const file = transcriptOf(user, id)
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").length - 1 : 0
}
