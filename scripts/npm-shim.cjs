#!/usr/bin/env node
// What npm links as `lint-ai`: starts the compiled binary of this platform's package; where there is none, or it does not start, the bundle beside
// this file. Agents do not come by here: install writes the path of the binary, or of the bundle, into their settings.
"use strict"

const { spawn } = require("node:child_process")
const path = require("node:path")
const { isatty } = require("node:tty")
const { pathToFileURL } = require("node:url")

const args = process.argv.slice(2)
const isNode = process.versions.deno === undefined && process.versions.bun === undefined

/** The binaries that npm may have installed here. One for another libc does not start, and the next is tried. */
const binaries = () => {
  const platform = `${process.platform}-${process.arch}`
  const names = process.platform === "linux" ? [platform, `${platform}-musl`] : [platform]
  return names.flatMap((name) => {
    try {
      const directory = path.dirname(require.resolve(`lint-ai-${name}/package.json`))
      return [path.join(directory, "bin", process.platform === "win32" ? "lint-ai.exe" : "lint-ai")]
    } catch {
      return []
    }
  })
}

/**
 * Runs the first of the binaries that starts and ends as it does.
 *
 * @param {ReadonlyArray<string>} candidates
 */
const run = ([binary, ...others]) => {
  if (binary === undefined) return runBundle()
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child
  // Before there is anything to forward to: a signal in between would leave the binary alone.
  const stopForwarding = forwardSignals((signal) => child?.kill(signal))
  child = spawn(binary, args, { stdio: "inherit" })
  child.on("error", () => {
    stopForwarding()
    run(others)
  })
  child.on("exit", (code, signal) => {
    stopForwarding()
    // At its very start: the processor lacks an instruction that the binary uses, or its loader found a library missing. lint-ai never ends with 127.
    if (signal === "SIGILL" || code === 127) runBundle()
    else if (signal !== null) process.kill(process.pid, signal)
    else process.exitCode = code ?? 1
  })
}

/**
 * A terminal sends its interrupt to the binary too. What is sent to this process alone is passed on.
 *
 * @param {(signal: NodeJS.Signals) => void} send
 */
const forwardSignals = (send) => {
  // Not process.stdin.isTTY: to look at it makes a pipe non-blocking, for the binary as well.
  const atTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  /** @type {ReadonlyArray<NodeJS.Signals>} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  /** @param {NodeJS.Signals} signal */
  const handler = (signal) => {
    if (signal !== "SIGINT" || !atTerminal) send(signal)
  }
  for (const signal of signals) process.on(signal, handler)
  return () => {
    for (const signal of signals) process.off(signal, handler)
  }
}

const runBundle = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(
      `lint-ai needs Node 20.19 or newer, or the package of its binary; this is ${process.version}\n`
    )
    // An agent must not take a recorder that cannot run for a refusal.
    process.exitCode = args[0] === "hook" ? 0 : 1
  } else if (isNode) require(path.join(__dirname, "hook.cjs"))
  else import(pathToFileURL(path.join(__dirname, "main.mjs")).href)
}

// Deno and Bun were chosen by whoever started us with them, and what Deno permits must hold.
if (!isNode) runBundle()
else run(binaries())
