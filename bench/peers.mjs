// Other tools whose hooks npm has, made ready to be run beside ours. Versions are pinned, so that the tables of two days can be compared.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} line what its installer registers for PostToolUse, for a shell
 * @property {Readonly<Record<string, string>>} [env]
 * @property {string} [note]
 * @property {Background} [background]
 *
 * What runs beside the hooks of a peer.
 *
 * @typedef {object} Background
 * @property {(home: string) => Promise<void>} [start]
 * @property {(home: string) => Promise<void>} end
 */

/**
 * Installs the peers, unless they are there.
 *
 * @param {string} place a directory for their packages
 * @param {string} bun a directory with bun, which claude-mem runs on
 * @returns {{ readonly peers: ReadonlyArray<Peer>, readonly missing: ReadonlyArray<string> }} those that are ready, and why the others are not
 */
export const peersIn = (place, bun) => {
  /** @type {Array<Peer>} */
  const peers = []
  /** @type {Array<string>} */
  const missing = []
  for (const [name, make] of /** @type {const} */ ([
    ["cavemem 0.2.1", cavemem],
    ["memorix 1.0.7", memorix],
    ["claude-mem 13.25.3", claudeMem]
  ])) {
    try {
      peers.push({ name, ...make(place, bun) })
    } catch (error) {
      missing.push(`${name} is not in the table: ${error instanceof Error ? error.message : error}.`)
    }
  }
  return { peers, missing }
}

/** @param {string} place */
const cavemem = (place) => {
  const program = path.join(installed(place, "cavemem@0.2.1"), "dist", "index.js")
  return {
    line: `"${process.execPath}" "${program}" hook run post-tool-use`,
    background: {
      // Its first hook has started a worker that would stay.
      end: async (/** @type {string} */ home) => {
        spawnSync(process.execPath, [program, "stop"], { env: { HOME: home, PATH: process.env.PATH } })
      }
    }
  }
}

/** @param {string} place */
const memorix = (place) => {
  const program = path.join(installed(place, "memorix@1.0.7"), "dist", "cli", "index.js")
  return { line: `"${process.execPath}" "${program}" hook --agent claude-code` }
}

/** Not the one that a user's own worker has. */
const workerPort = "37917"

/**
 * Its plugin brings nearly all that hooks and worker need; the many parsers that it would install besides are for searching in code.
 *
 * @param {string} place
 * @param {string} bun
 */
const claudeMem = (place, bun) => {
  const directory = path.join(place, "claude-mem")
  const plugin = path.join(directory, "package", "plugin")
  if (!fs.existsSync(plugin)) {
    fs.mkdirSync(directory, { recursive: true })
    add(directory, ["zod@4.4.3", "shell-quote@1.9.0"])
    succeed("npm", ["pack", "--silent", "claude-mem@13.25.3"], directory)
    // Last, because what it makes is what says that all is there.
    succeed("tar", ["xzf", "claude-mem-13.25.3.tgz"], directory)
  }
  const { hooks } = JSON.parse(fs.readFileSync(path.join(plugin, "hooks", "hooks.json"), "utf8"))
  const own = { CLAUDE_PLUGIN_ROOT: plugin, CLAUDE_MEM_WORKER_PORT: workerPort, PATH: `${bun}:${process.env.PATH}` }
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let worker
  return {
    line: hooks.PostToolUse[0].hooks[0].command,
    env: own,
    note: "claude-mem's hook hands its work to a worker process, which runs beside it here and is not counted; Claude Code does not wait for this hook.",
    background: {
      start: async (/** @type {string} */ home) => {
        const program = path.join(plugin, "scripts", "worker-service.cjs")
        worker = spawn(path.join(bun, "bun"), [program, "--daemon"], { env: { ...own, HOME: home }, stdio: "ignore" })
        await answering(`http://127.0.0.1:${workerPort}/api/health`)
      },
      end: async () => {
        if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return
        worker.kill()
        await once(worker, "exit")
      }
    }
  }
}

/**
 * A package with what it depends on. Native parts are compiled here, for their ready-made binaries are on no registry.
 *
 * @param {string} place
 * @param {string} name with its version
 * @returns its directory
 */
const installed = (place, name) => {
  const [own = ""] = name.split("@")
  const directory = path.join(place, own)
  const native = path.join(directory, "node_modules", "better-sqlite3")
  const package_ = path.join(directory, "node_modules", own)
  if (!fs.existsSync(package_)) {
    fs.mkdirSync(directory, { recursive: true })
    add(directory, [name])
  }
  if (fs.existsSync(native) && !fs.existsSync(path.join(native, "build", "Release", "better_sqlite3.node"))) {
    const node = path.dirname(path.dirname(fs.realpathSync(process.execPath)))
    if (!fs.existsSync(path.join(node, "include", "node", "node.h"))) {
      throw new Error("better-sqlite3, which it needs, cannot be compiled without the headers of this Node")
    }
    succeed("npm", ["rebuild", "better-sqlite3", "--build-from-source", `--nodedir=${node}`], directory)
  }
  return package_
}

/**
 * @param {string} directory
 * @param {ReadonlyArray<string>} packages
 */
const add = (directory, packages) => {
  fs.writeFileSync(path.join(directory, "package.json"), '{"private":true}\n')
  succeed("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], directory)
}

/**
 * @param {string} command
 * @param {ReadonlyArray<string>} args
 * @param {string} cwd
 */
const succeed = (command, args, cwd) => {
  const { status, signal, error } = spawnSync(command, args, { cwd, timeout: 600_000 })
  if (status !== 0)
    throw new Error(`\`${command} ${args.join(" ")}\` ended with ${status ?? signal ?? error?.message} here`)
}

/** @param {string} url */
const answering = async (url) => {
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      await fetch(url)
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error("the worker of claude-mem did not answer within half a minute")
}
