import { assert, describe, it } from "@effect/vitest"
import { lintSource } from "@secretlint/core"
import { creator } from "@secretlint/secretlint-rule-preset-recommend"
import { unlimited } from "../../src/platform/Deadline.ts"
import { redactValue } from "../../src/redaction/redactValue.ts"
import { drawCorpus } from "./corpus/corpus.ts"

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const lint = async (content: string) => {
  const { messages } = await lintSource({
    source: { filePath: "corpus.txt", content, ext: ".txt", contentType: "text" },
    options: { config: { rules: [{ id: "preset", rule: creator }] } }
  })
  return messages
}

describe("an independent scanner", () => {
  it("finds secrets in what goes in, and none in what comes out", async () => {
    const rows = drawCorpus("another scanner", { perToken: 1, perTemplate: 1, perInnocent: 0 })
    const before = rows.map((row) => shown(row.value)).join("\n\n")
    const after = rows.map((row) => shown(redactValue(row.value, "", { deadline: unlimited }).value)).join("\n\n")
    assert.isAbove((await lint(before)).length, 20)
    assert.deepStrictEqual(
      (await lint(after)).map(({ ruleId, message, range }) => [
        ruleId,
        message,
        after.slice(Math.max(0, range[0] - 40), range[1] + 20)
      ]),
      []
    )
  })
})
