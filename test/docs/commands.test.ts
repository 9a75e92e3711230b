import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { documentNames, documentOf, root } from "./documents.ts"
import { examplesIn } from "./markdown.ts"
import { newScratch, runExamples } from "./scratch.ts"
import { commandsOf, problemsOf } from "./usage.ts"

/** Documents whose examples begin before anything is recorded. All others find the project of the README's first steps. */
const fromTheStart = new Set(["README.md", "CONTRIBUTING.md", "docs/troubleshooting.md"])

const scripts: Readonly<Record<string, string>> = JSON.parse(
  fs.readFileSync(path.join(root, "package.json"), "utf8")
).scripts

describe("examples", () => {
  for (const name of documentNames) {
    const blocks = documentOf(name).fences.filter(({ info }) => /^(sh|bash|shell|console)\b/.test(info))
    if (blocks.length === 0) continue

    it.live(`of ${name} do what stands behind them`, () =>
      Effect.gen(function* () {
        const scratch = yield* newScratch
        if (!fromTheStart.has(name)) {
          for (const { exitCode, printed } of yield* runExamples(scratch, "lint-ai init --yes\nclaude")) {
            assert.strictEqual(exitCode, 0, printed)
          }
        }
        for (const { info, text, line } of blocks) {
          assert.include(["sh", "sh check"], info, `${name}:${line}`)
          if (info === "sh check") {
            for (const { command } of examplesIn(text)) {
              assert.deepStrictEqual(problemsOf(scratch, command), [], `${name}:${line}: ${command}`)
              const script = /\bnpm run ([\w:]+)/.exec(command)?.[1]
              if (script !== undefined) assert.property(scripts, script, `${name}:${line}`)
            }
            continue
          }
          for (const { example, printed, exitCode } of yield* runExamples(scratch, text)) {
            const where = `${name}:${line}: ${example.command}\n${printed}`
            assert.strictEqual(exitCode, example.exitCode, where)
            for (const expected of example.prints) assert.include(printed, expected, where)
          }
        }
      }).pipe(Effect.scoped)
    )
  }
})

describe("scripts of the project", () => {
  it("are all in CONTRIBUTING.md", () => {
    const text = fs.readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8")
    // npm runs prepack by itself, and the benches are told of together.
    const own = Object.keys(scripts).filter((script) => script !== "prepack" && !script.startsWith("bench:"))
    assert.deepStrictEqual(
      own.filter((script) => !new RegExp(`\\b${script}\\b(?!:)`).test(text)),
      []
    )
  })
})

describe("JSON in the documents", () => {
  for (const name of documentNames) {
    const blocks = documentOf(name).fences.filter(({ info }) => info === "json")
    if (blocks.length === 0) continue
    it(`of ${name} is JSON`, () => {
      for (const { text, line } of blocks) assert.doesNotThrow(() => JSON.parse(text), undefined, `${name}:${line}`)
    })
  }
})

describe("commands of lint-ai", () => {
  it.live("are all in the README", () =>
    Effect.gen(function* () {
      const commands = commandsOf(yield* newScratch)
      assert.isAbove(commands.length, 15)
      const readme = fs.readFileSync(path.join(root, "README.md"), "utf8")
      const table = readme.split(/^## /m).find((part) => part.startsWith("What it does")) ?? ""
      const named = new Set([...table.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => code.split(/[^\w]+/)))
      assert.deepStrictEqual(
        commands.filter((command) => !named.has(command)),
        []
      )
    }).pipe(Effect.scoped)
  )

  it("stand in fenced blocks that are tested, in every document", () => {
    const indented = documentNames.flatMap((name) => {
      const text = fs.readFileSync(path.join(root, name), "utf8")
      return text.split("\n").flatMap((line, at) => (/^ {4,}(\$ )?lint-ai /.test(line) ? [`${name}:${at + 1}`] : []))
    })
    const untold = documentNames.flatMap((name) =>
      documentOf(name)
        .fences.filter(({ info, text }) => !/^sh\b/.test(info) && /^(\$ )?lint-ai /m.test(text))
        .map(({ line }) => `${name}:${line}`)
    )
    assert.deepStrictEqual([...indented, ...untold], [])
  })
})
