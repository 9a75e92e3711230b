import { assert, describe, it } from "@effect/vitest"
import { isTomlProblem, putServer, readToml, serverIn, takeServer } from "../../../src/providers/codex/configToml.ts"
import { awkwardConfigs } from "./awkwardFiles.ts"

const entry = { command: "lint-ai", args: ["mcp", "serve", "codex"] }

const put = (text: string, wanted = entry): string => {
  const result = putServer(text, wanted)
  assert.isTrue("text" in result, JSON.stringify(result))
  return "text" in result ? result.text : ""
}
const take = (text: string): string => {
  const result = takeServer(text)
  return "text" in result ? result.text : ""
}
const values = (text: string): Record<string, unknown> => {
  const read = readToml(text)
  assert.isFalse(isTomlProblem(read), text)
  return isTomlProblem(read) ? {} : read.values
}

describe.each(awkwardConfigs.map(({ name, text }) => ({ name, text: (text ?? "").replace("\uFEFF", "") })))(
  "a configuration with $name",
  ({ text }) => {
    it("keeps every byte of its own, and what it means", () => {
      const after = put(text)
      assert.isTrue(after.startsWith(text))
      assert.deepStrictEqual(serverIn(values(after)), entry)
      assert.strictEqual(put(after), after)
      assert.strictEqual(take(after).trimEnd(), text.trimEnd())
      assert.deepStrictEqual(values(take(after)), values(text))
    })

    it("may be written on by Codex after install, and loses only the server", () => {
      const later = `\n[projects."/p"]\ntrust_level = "trusted"\n`
      const after = take(put(text) + later)
      assert.deepStrictEqual(values(after), values(text + later))
      assert.notInclude(after, "lint-ai uninstall")
    })
  }
)

describe("the server in config.toml", () => {
  it("is corrected where it stands, with all that a person added", () => {
    const text = `model = "x"\n\n[mcp_servers.lint-ai] # ours\ncommand = "/old/lint-ai" # moved\nstartup_timeout_sec = 20\nargs = [\n  "mcp",\n  "serve",\n  "codex",\n]\n\n[mcp_servers.lint-ai.env]\nA = "b"\n\n[z]\n`
    const after = put(text)
    assert.strictEqual(after, text.replace('"/old/lint-ai"', '"lint-ai"'))
    assert.strictEqual(take(after), `model = "x"\n\n[z]\n`)
  })

  it("is left alone when it is written in another form that already says the same", () => {
    const text = `mcp_servers = { lint-ai = { command = "lint-ai", args = ["mcp", "serve", "codex"] } }\n`
    assert.strictEqual(put(text), text)
    assert.strictEqual(take(text), text)
  })

  it("is refused where it cannot stand", () => {
    for (const text of [
      `mcp_servers = { tiny = { command = "x" } }\n`,
      `[mcp_servers.lint-ai]\ncommand = "another"\n`,
      `mcp_servers.lint-ai = { command = "/old", args = ["mcp", "serve", "codex"] }\n`
    ])
      assert.isTrue("where" in putServer(text, entry), text)
  })

  it("is not put into a text that is no TOML, and the problem quotes nothing of it", () => {
    const result = putServer(`model = "x"\nkey = sk-secret\n`, entry)
    assert.isTrue(isTomlProblem(result))
    assert.deepStrictEqual(isTomlProblem(result) && [result.line, JSON.stringify(result).includes("sk-secret")], [
      2,
      false
    ])
  })

  it("may be started by any path", () => {
    const odd = { command: 'C:\\tools\\"x" é\u007f\n', args: ["mcp", "serve", "codex"] }
    assert.deepStrictEqual(serverIn(values(put("", odd))), odd)
  })
})
