// Run by `deno task test`: lint-ai from its sources under Deno, with the permissions that the README names and no others.
import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import test from "node:test"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

const sandbox = () => {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-deno-")))
  const project = path.join(root, "project")
  const config = path.join(root, "config")
  const state = path.join(root, "state")
  for (const directory of [project, config, state]) fs.mkdirSync(directory)
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    LINT_AI_CONFIG_DIR: config,
    LINT_AI_STATE_DIR: state,
    GIT_CONFIG_GLOBAL: path.join(root, "gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
    // A permission that is missing fails instead of being asked for.
    DENO_NO_PROMPT: "1",
    NO_COLOR: "1"
  }
  fs.writeFileSync(env.GIT_CONFIG_GLOBAL, "[user]\n\tname = Test\n\temail = test@example.com\n")
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: project, env, encoding: "utf8" }).trim()
  git("init", "--quiet", "--initial-branch=trunk")
  fs.writeFileSync(path.join(project, "file.txt"), "text\n")
  git("add", ".")
  git("commit", "--quiet", "--message", "first")
  /** Runs lint-ai with permissions; what it printed. */
  const lintAi = (permissions: ReadonlyArray<string>, args: ReadonlyArray<string>, input = "") => {
    const run = spawnSync(process.execPath, ["run", ...permissions, main, ...args], {
      cwd: project,
      env: { ...env, CLAUDE_PROJECT_DIR: project },
      input,
      encoding: "utf8"
    })
    assert.equal(run.status, 0, `lint-ai ${args.join(" ")} ended with ${run.status}: ${run.stdout}${run.stderr}`)
    return run.stdout
  }
  return { root, project, config, state, git, lintAi }
}

/** The permissions of each use, as the README names them. */
const permissionsFor = (at: { readonly project: string; readonly config: string; readonly state: string }) => {
  const read = `--allow-read=${at.project},${at.config},${at.state}`
  const write = `--allow-write=${at.project}/.lint-ai,${at.config},${at.state}`
  const system = "--allow-sys=hostname,uid"
  return {
    hook: [read, write, system, "--allow-env=LINT_AI_*,XDG_*,CLAUDE_*,AI_AGENT,HOME,TMPDIR,TEMP,TMP"],
    change: [read, write, system, "--allow-env"],
    look: [read, system, "--allow-env"],
    git: [read, system, "--allow-env", "--allow-run=git"]
  }
}

const payload = (project: string) =>
  JSON.stringify({
    session_id: "11111111-1111-4111-8111-111111111111",
    transcript_path: path.join(project, "transcript.jsonl"),
    cwd: project,
    prompt_id: "cfa7c120-4449-4847-866c-566cc2a098a2",
    permission_mode: "default",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "echo hello" },
    tool_response: { stdout: "hello", stderr: "", interrupted: false, isImage: false },
    tool_use_id: "toolu_0000000000000000000001",
    duration_ms: 48
  })

test("Deno records a hook's event, lists and inspects its session, and asks Git", () => {
  const at = sandbox()
  try {
    const permissions = permissionsFor(at)
    at.lintAi(permissions.change, ["record", "start", "claude", "--json"])
    assert.equal(at.lintAi(permissions.hook, ["hook", "claude"], payload(at.project)), "")

    const { sessions } = JSON.parse(at.lintAi(permissions.change, ["sessions", "list", "--json"]))
    assert.deepEqual(
      sessions.map((session: { session_id: string; event_count: number }) => [session.session_id, session.event_count]),
      [["claude:11111111-1111-4111-8111-111111111111", 1]]
    )
    const inspection = at.lintAi(permissions.look, ["sessions", "inspect", "claude:1111", "--json"])
    assert.equal(JSON.parse(inspection).session_id, "claude:11111111-1111-4111-8111-111111111111")

    const { repository } = JSON.parse(at.lintAi(permissions.git, ["status", "--json"]))
    assert.equal(repository.branch, "trunk")
    assert.equal(repository.revision, at.git("rev-parse", "HEAD"))
    assert.equal(repository.dirty, false)
    // Without the permission nothing is known of it, and nothing is said.
    assert.equal(JSON.parse(at.lintAi(permissions.look, ["status", "--json"])).repository, null)
    const { memories } = JSON.parse(at.lintAi(permissions.change, ["memory", "list", "--json"]))
    assert.deepEqual(memories, [])
  } finally {
    fs.rmSync(at.root, { recursive: true, force: true })
  }
})
