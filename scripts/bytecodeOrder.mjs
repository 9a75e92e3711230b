// The program of every agent's step is also the whole of lint-ai, and what a hook needs of its bytecode lies scattered over it. Bun can lay it out in the
// order in which a run needed it: a hook then meets fewer pages, and takes 2 % less time.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** What a tool printed: lines as a hook sees them every day, some with names that are looked at twice. */
const printed = [
  "PASS  test/session.test.ts (12 tests) 48 ms",
  "2026-03-14T09:12:07.113Z WARN [worker-3] session token cache: 14 entries, id=5f3a9c1",
  "  const handler = await readConfig(path, { retries: 3, name: 'queue' })",
  "src/token/parse.ts:120:14: error: key of the index is not a value",
  '{"level":"info","msg":"build done","took":1204,"ok":true}',
  " 97%  build/render.js  1346 KiB  {8} [built]"
].join("\n")

/**
 * Runs the hook of a compiled program once, as Claude Code does after a tool, in a project of its own that has recording on.
 *
 * @param {string} program its path
 * @param {string} file where the order is written; the same for the same program
 */
export const writeBytecodeOrder = (program, file) => {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-order-")))
  const [project, home] = [path.join(place, "project"), path.join(place, "home")]
  // On Windows a program does not start without the last of these.
  const env = { HOME: home, USERPROFILE: home, CLAUDE_PROJECT_DIR: project, SystemRoot: process.env.SystemRoot ?? "" }
  const run = (/** @type {ReadonlyArray<string>} */ args, more = {}, input = "") => {
    const { status, stderr } = spawnSync(program, args, { cwd: project, env: { ...env, ...more }, input })
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr}`)
  }
  try {
    fs.mkdirSync(path.join(project, ".git"), { recursive: true })
    fs.mkdirSync(home)
    run(["record", "start", "claude", "--yes"])
    const event = (/** @type {number} */ call) =>
      JSON.stringify({
        session_id: "order",
        cwd: project,
        prompt_id: "prompt",
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_input: { command: "npm test", description: "Run the tests" },
        tool_response: { stdout: printed, stderr: "", interrupted: false },
        tool_use_id: `toolu_${call}`,
        duration_ms: 48
      })
    // The first one makes the archive, which only one in hundreds does.
    run(["hook", "claude"], {}, event(1))
    run(["hook", "claude"], { BUN_BYTECODE_ORDER_OUT: file }, event(2))
    if (!fs.existsSync(file)) throw new Error(`${program} did not write in what order it needs its bytecode`)
  } finally {
    fs.rmSync(place, { recursive: true, force: true })
  }
}
