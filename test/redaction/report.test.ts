import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultPolicy } from "../../src/redaction/policy.ts"
import { inspectText, redactCommand, renderReport } from "../../src/redaction/report.ts"

const token = ["gh", "p_", "n3Kq8ZtX1vBc5LmR7wYd2PfH9sJa4GuE6iTo"].join("")
const options = { input: "notes.txt", json: false, lines: false, policy: defaultPolicy }

describe("lint-ai redact", () => {
  it("says where and by which rule, and never what", () => {
    const report = inspectText(`first\nkey ${token} here\n`, "notes.txt", defaultPolicy)
    assert.deepStrictEqual(report.findings, [{ rule: "github-pat", line: 2, column: 5, endLine: 2, endColumn: 45 }])
    assert.strictEqual(report.lines, 2)
    const shown = renderReport(report)
    assert.match(shown, /^notes\.txt:2:5-45 {2}github-pat\n1 finding by 1 rule /)
    assert.notInclude(shown, token.slice(4, 12))
  })

  it("says when there is nothing", () => {
    assert.strictEqual(renderReport(inspectText("a\nb", "-", defaultPolicy)), "stdin: nothing to redact in 2 lines.\n")
  })

  it.effect("prints one JSON document", () =>
    Effect.gen(function* () {
      const output = yield* redactCommand(`x ${token}`, { ...options, json: true })
      const report = JSON.parse(output.stdout)
      assert.strictEqual(report.ok, true)
      assert.strictEqual(report.findings[0].rule, "github-pat")
      assert.match(report.fingerprint, /^[0-9a-f]{16}$/)
      assert.notInclude(output.stdout, token.slice(4, 12))
    })
  )

  it.effect("cleans JSONL line by line", () =>
    Effect.gen(function* () {
      const input = `{"a":"${token}"}\n\n"text ${token}"\n{"n":1}\n`
      const output = yield* redactCommand(input, { ...options, lines: true })
      assert.strictEqual(output.stdout, '{"a":"[REDACTED:github-pat]"}\n\n"text [REDACTED:github-pat]"\n{"n":1}\n')
      assert.strictEqual(output.exitCode, 0)
    })
  )

  it.effect("redacts a line that is not JSON as text, and says so", () =>
    Effect.gen(function* () {
      const output = yield* redactCommand(`{"n":1}\noops ${token}\n`, { ...options, lines: true })
      assert.strictEqual(output.stdout, '{"n":1}\n"oops [REDACTED:github-pat]"\n')
      assert.strictEqual(output.stderr, "notes.txt: not JSON, redacted as text: line 2\n")
      assert.strictEqual(output.exitCode, 1)
    })
  )

  it.effect("does not let a key that stands twice through", () =>
    Effect.gen(function* () {
      const output = yield* redactCommand(`{"a":"${token}","a":1}`, { ...options, lines: true })
      assert.strictEqual(output.stdout, '{"a":1}\n')
    })
  )
})
