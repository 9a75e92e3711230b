// Runs one program after the other as stopwatch.mjs asks, and answers how long each took from its start to its exit.
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** @typedef {{ readonly milliseconds: number } | { readonly failure: string }} Answer */

const [directory = "."] = process.argv.slice(2)
const pipe = path.join(directory, "stdin.pipe")

/**
 * @param {import("./stopwatch.mjs").Run} run
 * @returns {Promise<number>} milliseconds
 */
const timed = (run) =>
  new Promise((resolve, reject) => {
    const ends = run.stdin === "pipe" ? openPipe() : undefined
    const began = performance.now()
    const child = spawn(run.command, run.args, {
      cwd: run.cwd,
      env: run.env,
      stdio: [ends?.read ?? "pipe", "pipe", "ignore"]
    })
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      const took = performance.now() - began
      if (code === 0) resolve(took)
      else reject(new Error(`${run.command} ${run.args.join(" ")} ended with ${code ?? signal}`))
    })
    child.stdout?.resume()
    if (ends !== undefined) {
      fs.closeSync(ends.read)
      feed(fs.createWriteStream("", { fd: ends.write }), run.input)
    } else if (child.stdin !== null) feed(child.stdin, run.input)
  })

/**
 * @param {import("node:stream").Writable} stream
 * @param {Buffer} input
 */
const feed = (stream, input) => {
  // A program that does not read (node -e 0) leaves a pipe without a reader.
  stream.on("error", () => stream.destroy())
  stream.end(input)
}

/** Both ends of a pipe that blocks, as a shell makes it. What Node calls "pipe" is a socket. */
const openPipe = () => {
  // Opened for both first: then neither of the other two waits for its counterpart.
  const both = fs.openSync(pipe, fs.constants.O_RDWR)
  const read = fs.openSync(pipe, fs.constants.O_RDONLY)
  const write = fs.openSync(pipe, fs.constants.O_WRONLY)
  fs.closeSync(both)
  return { read, write }
}

/** @param {Answer} answer */
const say = (answer) => process.send?.(answer)

if (spawnSync("mkfifo", [pipe]).status !== 0) throw new Error("mkfifo, which gives a program a pipe, is not there")
process.on("message", (/** @type {import("./stopwatch.mjs").Run} */ run) => {
  timed(run).then(
    (milliseconds) => say({ milliseconds }),
    (error) => say({ failure: error instanceof Error ? error.message : String(error) })
  )
})
