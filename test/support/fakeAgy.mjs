// Stands for Antigravity CLI, as public reports describe it: `agy -p PROMPT --output-format stream-json [--conversation ID] --gemini_dir=DIR`.
// It keeps its conversations below the directory, runs the hooks that are registered there, answers each prompt with its number, and notes in
// FAKE_AGY_LOG what it was asked and what the hooks had it tell its model.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const args = process.argv.slice(2)
if (args[0] === "--version") {
  console.log("agy 1.4.12")
  process.exit(0)
}
/** @param {string} flag */
const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
const directory = args.find((arg) => arg.startsWith("--gemini_dir="))?.slice("--gemini_dir=".length) ?? ""
const prompt = after("-p") ?? ""
const asked = after("--conversation")
const conversations = path.join(directory, "antigravity-cli", "brain")
// An unknown one begins a new conversation without a word.
const id =
  asked !== undefined && fs.existsSync(path.join(conversations, asked)) ? asked : `c${process.pid}-${Date.now()}`
const logs = path.join(conversations, id, ".system_generated", "logs")
fs.mkdirSync(logs, { recursive: true })
const transcript = path.join(logs, "transcript_full.jsonl")
const rows = fs.existsSync(transcript) ? fs.readFileSync(transcript, "utf8").trim().split("\n").length : 0
/**
 * @param {number} number
 * @param {object} fields
 */
const row = (number, fields) =>
  fs.appendFileSync(
    transcript,
    `${JSON.stringify({ step_index: number, status: "DONE", created_at: new Date().toISOString(), ...fields })}\n`
  )

const registered = JSON.parse(fs.readFileSync(path.join(directory, "config", "hooks.json"), "utf8"))["lint-ai"]
const common = {
  artifactDirectoryPath: path.join(conversations, id),
  conversationId: id,
  modelName: "Fake",
  transcriptPath: transcript,
  workspacePaths: [process.cwd()]
}
/** @type {Array<string>} */
const injected = []
/**
 * @param {string} event
 * @param {object} payload
 */
const hook = (event, payload) => {
  for (const handler of registered[event] ?? []) {
    const run = spawnSync("sh", ["-c", handler.command], {
      cwd: path.join(directory, "config"),
      encoding: "utf8",
      env: { ...process.env, ANTIGRAVITY_CONVERSATION_ID: id },
      input: JSON.stringify({ ...common, ...payload })
    })
    for (const step of JSON.parse(run.stdout || "{}").injectSteps ?? []) injected.push(step.ephemeralMessage)
  }
}

row(rows, { source: "USER_EXPLICIT", type: "USER_INPUT", content: `<USER_REQUEST>\n${prompt}\n</USER_REQUEST>` })
if (rows === 0) hook("SessionStart", {})
hook("PreInvocation", { invocationNum: 0, initialNumSteps: rows + 1 })
const answer = `${process.env.FAKE_AGY_ANSWER ?? "Answer"} after ${rows} steps.`
row(rows + 1, { source: "MODEL", type: "PLANNER_RESPONSE", content: answer })
hook("Stop", { executionNum: rows, terminationReason: "NO_TOOL_CALL", fullyIdle: true, error: "" })
const log = process.env.FAKE_AGY_LOG ?? path.join(path.dirname(process.argv[1] ?? ""), "log.jsonl")
fs.appendFileSync(log, `${JSON.stringify({ prompt, asked, id, cwd: process.cwd(), args, injected })}\n`)
console.log(JSON.stringify({ event: "init", conversation_id: id, init: { cwd: process.cwd() } }))
console.log(JSON.stringify({ event: "result", result: { conversation_id: id, status: "SUCCESS", response: answer } }))
