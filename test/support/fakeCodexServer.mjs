#!/usr/bin/env node
// Stands for `codex app-server`: lists the hooks of the hooks.json that FAKE_CODEX_HOOKS names, all untrusted until they are trusted, and writes each
// edit that it is told to FAKE_CODEX_EDITS as one line.
import * as fs from "node:fs"
import * as readline from "node:readline"

const { FAKE_CODEX_HOOKS: file = "", FAKE_CODEX_EDITS: edits = "" } = process.env
if (process.argv[2] !== "app-server") {
  process.stdout.write("codex-cli 0.171.0\n")
  process.exit(0)
}

const trusted = new Set()
let projectTrusted = false

const hooks = () =>
  Object.entries(JSON.parse(fs.readFileSync(file, "utf8")).hooks).map(([eventName, groups]) => {
    const key = `${file}:${eventName}:0:0`
    const trustStatus = trusted.has(key) ? "trusted" : "untrusted"
    const command = groups[0].hooks[0].command
    return { key, eventName, command, sourcePath: file, currentHash: `sha256:${eventName}`, trustStatus }
  })

/** @type {Record<string, (params: { edits: Array<{ keyPath: string, value: object }> }) => object>} */
const answers = {
  initialize: () => ({ userAgent: "fake" }),
  "hooks/list": () => ({ data: [{ hooks: projectTrusted ? hooks() : [], warnings: [] }] }),
  "config/batchWrite": (params) => {
    for (const edit of params.edits) {
      fs.appendFileSync(edits, `${JSON.stringify(edit)}\n`)
      if (edit.keyPath === "projects") projectTrusted = true
      if (edit.keyPath === "hooks.state") for (const key of Object.keys(edit.value)) trusted.add(key)
    }
    return {}
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ id, result: answers[method]?.(params) ?? {} })}\n`)
})
