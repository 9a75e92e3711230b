/**
 * The session of the demonstration: what Claude Code would send to its hooks, made up, with secrets in the places where they leak in practice.
 * Nothing here is a secret as it stands: each is put together when the demonstration runs.
 */
export interface DemoSession {
  /** Hook payloads in the order of their delivery. */
  readonly deliveries: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The agent's own transcript, for token counts. */
  readonly transcript: string
  /** Texts that must be found nowhere afterwards. */
  readonly secrets: ReadonlyArray<string>
}

/** Letters and digits that look random and are the same for the same seed. */
const scramble = (seed: number, length: number): string => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  let state = seed
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return alphabet[(state >>> 8) % alphabet.length]
  }).join("")
}

export const demoSession = (options: {
  readonly sessionId: string
  readonly project: string
  readonly transcriptPath: string
  readonly nowIso: string
}): DemoSession => {
  const githubToken = `ghp_${scramble(7, 36)}`
  const cloudKey = scramble(11, 40)
  const databasePassword = `${scramble(13, 9)}!${scramble(17, 6)}`
  const privateKey = [
    `-----BEGIN ${"RSA"} PRIVATE KEY-----`,
    ...[19, 23, 29].map((seed) => scramble(seed, 64)),
    `-----END ${"RSA"} PRIVATE KEY-----`
  ].join("\n")
  const bearer = `Authorization: Bearer ${scramble(31, 48)}`

  const common = { session_id: options.sessionId, transcript_path: options.transcriptPath, cwd: options.project }
  const turn = (prompt_id: string) => ({ ...common, prompt_id, permission_mode: "default" })
  const first = turn("prompt-1")
  const second = turn("prompt-2")
  const call = (
    base: Readonly<Record<string, unknown>>,
    tool_use_id: string,
    tool_name: string,
    tool_input: Readonly<Record<string, unknown>>
  ) => ({
    before: { ...base, hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id },
    after: (tool_response: unknown, duration_ms: number) => ({
      ...base,
      hook_event_name: "PostToolUse",
      tool_name,
      tool_input,
      tool_response,
      tool_use_id,
      duration_ms
    }),
    failed: (error: string, duration_ms: number) => ({
      ...base,
      hook_event_name: "PostToolUseFailure",
      tool_name,
      tool_input,
      tool_use_id,
      error,
      is_interrupt: false,
      duration_ms
    }),
    reported: (tool_response: unknown) => ({
      ...base,
      hook_event_name: "PostToolBatch",
      tool_calls: [{ tool_name, tool_input, tool_use_id, tool_response }]
    })
  })

  const read = call(first, "toolu_1", "Read", { file_path: `${options.project}/.env` })
  const test = call(first, "toolu_2", "Bash", { command: "npm test", description: "Run the tests" })
  const push = call(first, "toolu_3", "Bash", { command: `git push https://x:${githubToken}@example.com/app.git` })
  const agent = call(first, "toolu_4", "Agent", {
    description: "Find the connection string",
    prompt: "Where does the application read its database URL?",
    subagent_type: "Explore",
    run_in_background: false
  })
  const inner = call({ ...first, agent_id: "agent-1", agent_type: "Explore" }, "toolu_5", "Grep", {
    pattern: "DATABASE_URL"
  })
  const fix = call(second, "toolu_6", "Edit", {
    file_path: `${options.project}/src/login.ts`,
    old_string: "if (attempts > 3)",
    new_string: "if (attempts >= 3)"
  })
  // The calls take no longer than the hooks between their ends, so that the timeline is a possible one.
  const deliveries = [
    { ...common, hook_event_name: "SessionStart", source: "startup", model: "demo-model" },
    {
      ...first,
      hook_event_name: "UserPromptSubmit",
      prompt: `The login test fails since yesterday. My token is ${githubToken} if you need to look at CI.`
    },
    read.before,
    read.after(
      `DATABASE_URL=postgres://app:${databasePassword}@db.example.com/app\nAWS_SECRET_ACCESS_KEY=${cloudKey}\nPORT=8080\n`,
      6
    ),
    test.before,
    test.failed("Exit code 1\nexpected 401, got 200 in login.test.ts:12", 40),
    push.before,
    push.reported("Permission to use Bash has been denied."),
    agent.before,
    { ...first, hook_event_name: "SubagentStart", agent_id: "agent-1", agent_type: "Explore" },
    inner.before,
    inner.after({ matches: [`config.ts:4: curl -H "${bearer}" https://example.com`] }, 18),
    {
      ...first,
      hook_event_name: "SubagentStop",
      agent_id: "agent-1",
      agent_type: "Explore",
      stop_hook_active: false,
      last_assistant_message: "It is read in config.ts, line 4."
    },
    agent.after({ status: "completed", content: [{ type: "text", text: "It is read in config.ts, line 4." }] }, 150),
    {
      ...first,
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "The limit is off by one: the third attempt is let in."
    },
    { ...first, hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "" },
    {
      ...first,
      hook_event_name: "PostCompact",
      trigger: "manual",
      compact_summary: "Login test fails: attempts > 3 should be >= 3."
    },
    { ...first, hook_event_name: "SessionEnd", reason: "prompt_input_exit" },
    { ...common, hook_event_name: "SessionStart", source: "resume", model: "demo-model" },
    { ...second, hook_event_name: "UserPromptSubmit", prompt: `Fix it. The deploy key, for later:\n${privateKey}` },
    fix.before,
    fix.after({ filePath: `${options.project}/src/login.ts`, success: true }, 31),
    {
      ...second,
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "Fixed: three attempts, then locked."
    },
    { ...second, hook_event_name: "SessionEnd", reason: "prompt_input_exit" }
  ]
  const answer = (id: string, output_tokens: number) =>
    JSON.stringify({
      type: "assistant",
      uuid: id,
      timestamp: options.nowIso,
      sessionId: options.sessionId,
      message: {
        id,
        role: "assistant",
        model: "demo-model",
        stop_reason: "end_turn",
        content: [{ type: "text", text: "..." }],
        usage: { input_tokens: 1200, output_tokens, cache_creation_input_tokens: 300, cache_read_input_tokens: 9000 }
      }
    })
  return {
    deliveries,
    transcript: `${[answer("msg_demo_1", 180), answer("msg_demo_2", 64)].join("\n")}\n`,
    secrets: [githubToken, cloudKey, databasePassword, scramble(23, 64), scramble(31, 48)]
  }
}
