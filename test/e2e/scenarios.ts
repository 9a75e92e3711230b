import type { Reply, Scenario } from "../support/fakeMessagesApi.ts"

type Tool = NonNullable<Reply["tools"]>[number]

export const bash = (command: string): Tool => ({ name: "Bash", input: { command, description: "A command" } })

const agent = (background: boolean): Tool => ({
  name: "Agent",
  input: {
    description: "Look around",
    prompt: "scenario:scout Look around.",
    subagent_type: "general-purpose",
    run_in_background: background
  }
})

/** What the model says in the sessions of the tests. A prompt chooses one by its name. */
export const scenarios = {
  hello: [{ text: "Hello." }],
  commands: [
    { text: "One that works.", tools: [bash("echo fine")] },
    { text: "One that fails.", tools: [bash("echo wrong >&2; exit 3")] },
    { text: "Ran both." }
  ],
  denied: [
    { text: "I write.", tools: [{ name: "Write", input: { file_path: "out.txt", content: "x" } }] },
    { text: "I may not." }
  ],
  parallel: [
    {
      text: "Two at once.",
      tools: [
        { name: "Read", input: { file_path: "one.txt" } },
        { name: "Read", input: { file_path: "two.txt" } }
      ]
    },
    { text: "Read both." }
  ],
  agent: [{ text: "I send somebody.", tools: [agent(false)] }, { text: "Somebody came back." }],
  background: [{ text: "I send somebody.", tools: [agent(true)] }, { text: "Somebody is on the way." }],
  scout: [{ text: "I look.", tools: [bash("echo seen")] }, { text: "There is nothing." }],
  tasks: [
    {
      text: "I plan.",
      tools: [{ name: "TaskCreate", input: { subject: "First", description: "Do it", activeForm: "Doing it" } }]
    },
    { text: "I finish.", tools: [{ name: "TaskUpdate", input: { taskId: "1", status: "completed" } }] },
    { text: "Planned and finished." }
  ],
  question: [{ text: "I ask.", tools: [{ name: "mcp__asker__ask", input: {} }] }, { text: "No answer." }],
  refused: [{ error: { status: 400, type: "invalid_request_error", message: "This was on purpose." } }],
  unknownKey: [{ error: { status: 401, type: "authentication_error", message: "This was on purpose." } }],
  overloaded: [
    { error: { status: 529, type: "overloaded_error", message: "This was on purpose.", times: 2 }, text: "At last." }
  ],
  stalls: [{ text: "An answer that never comes to its end.", stalls: true }]
} as const satisfies Readonly<Record<string, Scenario>>
