import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

/**
 * A program that is run as an agent runs its hook.
 *
 * @typedef {object} Run
 * @property {string} command
 * @property {ReadonlyArray<string>} args
 * @property {string} cwd
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {Buffer} input
 * @property {"pipe" | "socket"} stdin agents in Node give their hooks a socket, other agents and shells a pipe
 */

/**
 * Times programs from their start to their exit. They are started by a small process of its own: starting a program copies the tables of the memory
 * of whoever starts it, which takes a benchmark that has loaded a bundler several milliseconds more, and would count for what is measured.
 *
 * @param {string} directory where a named pipe may be made
 * @returns {(run: Run) => Promise<number>} milliseconds; fails when the program does not exit 0. One run at a time.
 */
export const stopwatch = (directory) => {
  const starter = fork(fileURLToPath(new URL("./stopwatchProcess.mjs", import.meta.url)), [directory], {
    serialization: "advanced"
  })
  return (run) =>
    new Promise((resolve, reject) => {
      /** @param {number | null} code */
      const ended = (code) => reject(new Error(`what starts the programs ended with ${code}`))
      starter.once("exit", ended)
      starter.once("message", (/** @type {import("./stopwatchProcess.mjs").Answer} */ answer) => {
        starter.off("exit", ended)
        if ("milliseconds" in answer) resolve(answer.milliseconds)
        else reject(new Error(answer.failure))
        // Neither side keeps the other from ending between two runs.
        starter.channel?.unref()
      })
      starter.channel?.ref()
      starter.send(run)
      starter.unref()
    })
}
