#!/usr/bin/env node
// Stands in for Claude Code in the examples of the documents: delivers a session to the hooks that are registered, each by a shell and in order, as the
// real one does. Started by a person it delivers the example's session; with -p a turn with the prompt that it gets, and prints the result as JSON.
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"

const args = process.argv.slice(2)
if (args.includes("--version")) {
  console.log("2.1.332 (Claude Code)")
  process.exit(0)
}
/** @param {string} file */
const read = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {})
const home = process.env.CLAUDE_CONFIG_DIR ?? path.join(process.env.HOME ?? "/", ".claude")
const settings = [path.join(home, "settings.json"), ".claude/settings.json", ".claude/settings.local.json"].map(read)

/** @param {Record<string, unknown>} delivery */
const deliver = (delivery) => {
  for (const { hooks = {} } of settings) {
    for (const { hooks: handlers } of hooks[String(delivery.hook_event_name)] ?? []) {
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

if (args.includes("-p")) {
  const resumed = args.indexOf("--resume")
  const session_id = resumed < 0 ? randomUUID() : args[resumed + 1]
  const common = { session_id, cwd: process.cwd(), permission_mode: "default", prompt_id: randomUUID() }
  deliver({
    ...common,
    hook_event_name: "SessionStart",
    source: resumed < 0 ? "startup" : "resume",
    model: "demo-model"
  })
  deliver({ ...common, hook_event_name: "UserPromptSubmit", prompt: fs.readFileSync(0, "utf8") })
  deliver({ ...common, hook_event_name: "Stop", last_assistant_message: "Done." })
  deliver({ ...common, hook_event_name: "SessionEnd", reason: "other" })
  const result = { type: "result", subtype: "success", is_error: false, result: "Done.", session_id, total_cost_usd: 0 }
  console.log(JSON.stringify(result))
} else {
  for (const delivery of JSON.parse(fs.readFileSync(process.env.EXAMPLE_SESSION ?? "", "utf8")).deliveries)
    deliver(delivery)
  console.log("Done.")
}
