#!/usr/bin/env node
// Stands in for Claude Code in the examples of the documents: delivers a session to the hooks that are registered in the working directory, each by a
// shell and in order, as the real one does.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"

if (process.argv.includes("--version")) {
  console.log("2.1.332 (Claude Code)")
  process.exit(0)
}
/** @param {string} file */
const read = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {})
const settings = [".claude/settings.json", ".claude/settings.local.json"].map(read)
const { deliveries } = JSON.parse(fs.readFileSync(process.env.EXAMPLE_SESSION ?? "", "utf8"))
for (const delivery of deliveries) {
  for (const { hooks = {} } of settings) {
    for (const { hooks: handlers } of hooks[delivery.hook_event_name] ?? []) {
      for (const { command } of handlers) {
        const { stderr } = spawnSync("sh", ["-c", command], {
          input: JSON.stringify(delivery),
          encoding: "utf8",
          env: { ...process.env, CLAUDE_PROJECT_DIR: process.cwd() }
        })
        process.stderr.write(stderr)
      }
    }
  }
}
console.log("Done.")
