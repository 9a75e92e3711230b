// Runs one program as an agent runs its hook, and takes the time from its start to its exit.
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/**
 * @typedef {object} Run
 * @property {string} command
 * @property {ReadonlyArray<string>} args
 * @property {string} cwd
 * @property {Readonly<Record<string, string>>} env
 * @property {Buffer} input
 * @property {"pipe" | "socket"} stdin agents in Node give their hooks a socket, other agents and shells a pipe
 */

/**
 * @param {string} directory where its named pipe may be made
 * @returns {(run: Run) => Promise<number>} milliseconds; fails when the program does not exit 0. One run at a time.
 */
export const stopwatch = (directory) => {
  const pipe = path.join(directory, "stdin.pipe")
  if (spawnSync("mkfifo", [pipe]).status !== 0) throw new Error("mkfifo, which gives a program a pipe, is not there")
  return (run) =>
    new Promise((resolve, reject) => {
      const ends = run.stdin === "pipe" ? openPipe(pipe) : undefined
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
}

/**
 * @param {import("node:stream").Writable} stream
 * @param {Buffer} input
 */
const feed = (stream, input) => {
  // A program that does not read (node -e 0) leaves a pipe without a reader.
  stream.on("error", () => stream.destroy())
  stream.end(input)
}

/**
 * Both ends of a pipe that blocks, as a shell makes it. What Node calls "pipe" is a socket.
 *
 * @param {string} file a named pipe
 */
const openPipe = (file) => {
  // Opened for both first: then neither of the other two waits for its counterpart.
  const both = fs.openSync(file, fs.constants.O_RDWR)
  const read = fs.openSync(file, fs.constants.O_RDONLY)
  const write = fs.openSync(file, fs.constants.O_WRONLY)
  fs.closeSync(both)
  return { read, write }
}
