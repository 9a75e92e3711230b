import { assert, describe, it } from "@effect/vitest"
import { providers } from "../../src/domain/provider.ts"
import { commonToolName, toolNames } from "../../src/domain/toolNames.ts"

describe("the names of tools", () => {
  it("give each tool of an agent one kind", () => {
    for (const provider of providers) {
      const names = Object.values(toolNames).flatMap((row) => row[provider] ?? [])
      assert.strictEqual(new Set(names).size, names.length, provider)
    }
  })

  it("are the same word for tools that do the same", () => {
    const same = { claude: "Bash", codex: "exec_command", gemini: "run_shell_command", antigravity: "run_command" }
    for (const provider of providers) assert.strictEqual(commonToolName(provider, same[provider]), "shell")
    assert.strictEqual(commonToolName("codex", "apply_patch"), commonToolName("gemini", "replace"))
  })

  it("are the same word for a tool of an MCP server, however an agent writes it", () => {
    const tool = "mcp:lint_ai:record_session"
    assert.strictEqual(commonToolName("claude", "mcp__lint-ai__record_session"), tool)
    assert.strictEqual(commonToolName("codex", "mcp__lint_ai__record_session"), tool)
    assert.strictEqual(commonToolName("gemini", "mcp_lint-ai_record_session"), tool)
  })

  it("stay as they came where nothing is known of them", () => {
    assert.strictEqual(commonToolName("gemini", "Bash"), "Bash")
    assert.strictEqual(commonToolName("claude", "constructor"), "constructor")
    assert.strictEqual(commonToolName("antigravity", "mcp__a__b"), "mcp__a__b")
  })
})
