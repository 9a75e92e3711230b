import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { processFreeFigures } from "../../bench/processFreeFigures.mjs"
import { eventKinds } from "../../src/domain/event.ts"
import { antigravityHooks } from "../../src/providers/antigravity/hooks.ts"
import { claudeHooks } from "../../src/providers/claude/hooks.ts"
import { codexHooks } from "../../src/providers/codex/hooks.ts"
import { geminiHooks } from "../../src/providers/gemini/hooks.ts"
import { root } from "./documents.ts"

const textOf = (name: string) => fs.readFileSync(path.join(root, "docs", name), "utf8")

/** A part of a document, from its heading to the next. */
const section = (text: string, heading: string): string =>
  text.split(/^## /m).find((part) => part.startsWith(heading)) ?? ""

describe("docs/hooks.md", () => {
  for (const [agent, hooks] of Object.entries({
    "Claude Code": claudeHooks,
    Codex: codexHooks,
    "Gemini CLI": geminiHooks,
    "Antigravity CLI": antigravityHooks
  })) {
    it(`names every hook of ${agent}`, () => {
      const text = section(textOf("hooks.md"), agent)
      assert.deepStrictEqual(
        Object.keys(hooks).filter((hook) => !new RegExp(`\\b${hook}\\b`).test(text)),
        []
      )
    })
  }

  it("has the figures of hooks that start no process as they were measured last", () => {
    const report = JSON.parse(fs.readFileSync(path.join(root, "bench", "process-free.json"), "utf8"))
    assert.include(textOf("hooks.md"), `<!-- figures -->\n\n${processFreeFigures(report)}\n\n<!-- /figures -->`)
  })
})

describe("docs/archive.md", () => {
  it("names every kind of event", () => {
    const text = textOf("archive.md")
    assert.deepStrictEqual(
      eventKinds.filter((kind) => !text.includes(`\`${kind}\``)),
      []
    )
  })
})

describe("docs/settings.md", () => {
  it("names every variable that the program reads", () => {
    const src = path.join(root, "src")
    const names = fs
      .readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => fs.readFileSync(path.join(src, name), "utf8").match(/\bLINT_AI_[A-Z_]+/g) ?? [])
    // The build's own names, which it replaces.
    const variables = new Set(names.filter((name) => !/^LINT_AI_(COMMIT|DATE|TARGET)$/.test(name)))
    const text = textOf("settings.md")
    assert.deepStrictEqual(
      [...variables].filter((name) => !text.includes(`\`${name}\``)),
      []
    )
  })
})
