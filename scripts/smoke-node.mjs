// Runs the npm package, without its binary, on every supported line of Node: `npm run smoke:node [-- 20.19.0 22 ...]`.
// The Nodes are npm packages that hold the official binaries; they are fetched once, into .cache/nodes.
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { root } from "./build.mjs"
import { release } from "./release.mjs"

/** The oldest Node that is supported, and the newest known of each line. */
const versions = ["20.19.0", "20.20.2", "22.23.5", "24.22.3", "26.12.1"]

/**
 * @param {string} version
 * @returns the absolute path of that Node's executable
 */
const nodeOf = (version) => {
  const directory = path.join(root, ".cache", "nodes", version)
  const executable = path.join(directory, "package", "bin", "node")
  if (fs.existsSync(executable)) return executable
  const name = `node-${process.platform}-${process.arch}@${version}`
  const mine = `${directory}.${process.pid}`
  fs.mkdirSync(mine, { recursive: true })
  const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", mine, name], { encoding: "utf8" })
  const [tarball] = fs.readdirSync(mine)
  if (packed.status !== 0 || tarball === undefined) throw new Error(`npm could not fetch ${name}: ${packed.stderr}`)
  spawnSync("tar", ["-xzf", tarball], { cwd: mine })
  fs.rmSync(path.join(mine, tarball))
  fs.renameSync(mine, directory)
  return executable
}

/** The package as npm unpacks it, within the checkout: so the optional libsql is found, which Node 20 needs for memory. */
const unpackedPackage = async () => {
  const out = path.join(root, ".cache", `smoke-${process.pid}`)
  const [tarball = ""] = await release({ out, targets: [] })
  const unpacked = spawnSync("tar", ["-xzf", tarball], { cwd: out })
  assert.equal(unpacked.status, 0)
  return { out, shim: path.join(out, "package", "dist", "lint-ai.cjs") }
}

/**
 * What a user does in the first hour, on one Node.
 *
 * @param {string} node
 * @param {string} shim
 */
const smoke = (node, shim) => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-smoke-")))
  const home = path.join(directory, "home")
  const project = path.join(directory, "project")
  try {
    for (const made of [home, project]) fs.mkdirSync(made)
    const env = { HOME: home, PATH: `${path.dirname(node)}:/usr/bin:/bin`, LANG: "C.UTF-8" }
    /**
     * @param {string} command
     * @param {ReadonlyArray<string>} args
     * @param {string} [input]
     */
    const run = (command, args, input = "") => {
      const { status, stdout, stderr } = spawnSync(command, args, {
        cwd: project,
        env: { ...env, CLAUDE_PROJECT_DIR: project },
        input,
        encoding: "utf8"
      })
      assert.equal(status, 0, `${args.join(" ")} ended with ${status}: ${stdout}${stderr}`)
      assert.equal(stderr, "", `${args.join(" ")} said ${stderr}`)
      return stdout
    }
    /** @param {...string} args */
    const lintAi = (...args) => run(node, [shim, ...args])

    assert.match(lintAi("--version"), /^lint-ai \S+ \(.*bundle on node /)
    assert.match(lintAi("demo"), /none found/)
    lintAi("install", "claude", "--session-recording", "assist", "--yes")
    const settings = JSON.parse(fs.readFileSync(path.join(project, ".claude", "settings.local.json"), "utf8"))
    /** @type {string} */
    const hook = settings.hooks.UserPromptSubmit[0].hooks[0].command
    assert.ok(hook.startsWith(`${node} `), `the hook is not run by this Node: ${hook}`)
    // The first compiles and writes the code cache, the second runs from it; in the third the memory has something to say.
    for (const [turn, prompt] of ["use tabs in the parser", "and spaces in the writer"].entries()) {
      const payload = { session_id: "smoke", cwd: project, prompt_id: `p${turn}`, prompt }
      run("sh", ["-c", hook], JSON.stringify({ ...payload, hook_event_name: "UserPromptSubmit" }))
    }
    const [session] = JSON.parse(lintAi("sessions", "list", "--json")).sessions
    assert.equal(session.event_count, 2)
    lintAi("sessions", "verify")
    lintAi("sessions", "view", "--no-open", "--out", path.join(directory, "session.html"))
    assert.match(fs.readFileSync(path.join(directory, "session.html"), "utf8"), /use tabs in the parser/)
    lintAi("memory", "promote", "smoke", "--yes")
    assert.match(lintAi("memory", "search", "parser"), /parser/)
    const next = { session_id: "next", cwd: project, prompt_id: "p9", prompt: "tabs or spaces in the parser?" }
    const told = run("sh", ["-c", hook], JSON.stringify({ ...next, hook_event_name: "UserPromptSubmit" }))
    assert.match(told, /use tabs in the parser/, "the memory was not told to the agent")
    lintAi("mcp", "verify", "claude")
    lintAi("doctor")
    lintAi("uninstall", "--purge", "--yes")
    assert.deepEqual(fs.readdirSync(project), [])
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

const asked = process.argv.slice(2)
const chosen = asked.length === 0 ? versions : versions.filter((one) => asked.some((word) => one.startsWith(word)))
const { out, shim } = await unpackedPackage()
try {
  for (const version of chosen) {
    const node = nodeOf(version)
    const began = performance.now()
    smoke(node, shim)
    console.log(`Node ${version.padEnd(8)} works (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  }
} finally {
  fs.rmSync(out, { recursive: true, force: true })
}
