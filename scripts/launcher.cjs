// dist/hook.cjs: lint-ai on Node, where there is no compiled binary. Agents start it for a hook, `node hook.cjs hook <agent> [event]`, and for
// `statusline <agent>` and `mcp serve <agent>`; main.mjs, which people start, loads it.
//
// Runs one of the two programs beside it from V8's code cache, which a first run writes: compiling is a third of what a hook costs on Node, and of what
// a command does. Nothing depends on the cache. The name of its file holds the program's (which is named after its content), the version of Node and its
// flags, so an upgrade never meets an older one; it is replaced in one step, so runs at the same time do not meet half of one; where it cannot be
// written, every run compiles.
"use strict"

const fs = require("node:fs")
const path = require("node:path")
const vm = require("node:vm")
const crypto = require("node:crypto")

/**
 * @typedef {object} Program
 * @property {string} name its file, which ends with ".cjs" and holds a function of what a CommonJS module is given
 * @property {number} growth how often a run looks whether it has compiled what the cache does not hold, as the first run cannot have met everything
 */

/**
 * The names are set by the build. To look takes milliseconds, at the exit: a hook's runs are alike and many, a person's are few and differ.
 *
 * @satisfies {Record<string, Program>}
 */
const programs = {
  hook: { name: "hook-program.cjs", growth: 1 / 16 },
  cli: { name: "cli-program.cjs", growth: 1 / 4 }
}

const args = process.argv.slice(2)

/** See src/calledAs.ts, which knows more: a person who asks for help is the CLI's. */
const isStep =
  /(?:^|^--.+-)(?:hook|statusline)$/.test(args[0] ?? "") && !args.some((arg) => arg === "--help" || arg === "-h")

/**
 * An agent must not notice that its recorder is broken: exit code 0, nothing on stdout, and stdin read to its end.
 *
 * @param {unknown} error
 */
const giveUp = (error) => {
  const leave = () => process.exit(0)
  const { code, name } = /** @type {NodeJS.ErrnoException} */ (error instanceof Error ? error : new Error())
  process.stderr.write(`lint-ai: the hook did not run (${code ?? name})\n`)
  process.stdin.on("end", leave).on("error", leave).resume()
  setTimeout(leave, 300)
}

/** Of the first 32 bytes of a cache file: V8 runs damaged code without looking, so the SHA-256 of the rest stands there. */
const digestLength = 32
/** @param {string | Uint8Array} bytes */
const digestOf = (bytes) => crypto.createHash("sha256").update(bytes).digest()

/** @param {string} programName */
const cacheFile = (programName) => {
  try {
    return path.join(cacheDirectory(), cacheName(programName))
  } catch {
    // No home directory: no cache.
    return undefined
  }
}

const none = () => {
  throw new Error("there is no home directory")
}

const cacheDirectory = () => {
  const { env, platform } = process
  /** @param {string | undefined} value */
  const absolute = (value) => (value !== undefined && path.isAbsolute(value) ? value : undefined)
  // A relative one is none, and the cache would be written to wherever the agent works.
  const home = () => absolute(env.HOME) ?? absolute(require("node:os").homedir()) ?? none()
  const usual =
    absolute(env.XDG_CACHE_HOME) ??
    (platform === "win32" ? absolute(env.LOCALAPPDATA) : undefined) ??
    path.join(home(), ...(platform === "darwin" ? ["Library", "Caches"] : [".cache"]))
  return path.join(usual, "lint-ai")
}

/**
 * V8 refuses the code of other flags: each set of them has its own file, or two would overwrite each other for ever.
 *
 * @param {string} programName
 */
const cacheName = (programName) => {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim()
  const mark = flags === "" ? "" : `-${digestOf(flags).toString("hex", 0, 4)}`
  return `${programName.slice(0, -".cjs".length)}-${process.version}-${process.arch}${mark}.cache`
}

/**
 * The cached code; undefined when there is none that this user wrote and nothing has damaged.
 *
 * @param {string} file
 */
const readCache = (file) => {
  let descriptor
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const { uid, mode } = fs.fstatSync(descriptor)
    // It is code: whoever could write it could do anything.
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return undefined
    const bytes = fs.readFileSync(descriptor)
    const code = bytes.subarray(digestLength)
    return digestOf(code).equals(bytes.subarray(0, digestLength)) ? code : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

/**
 * @param {string} file
 * @param {Buffer} code
 */
const writeCache = (file, code) => {
  const directory = path.dirname(file)
  const mine = `${file}.${process.pid}.tmp`
  try {
    fs.writeFileSync(mine, Buffer.concat([digestOf(code), code]), { mode: 0o600, flag: "wx" })
    fs.renameSync(mine, file)
  } catch {
    fs.rmSync(mine, { force: true })
  }
  removeOld(directory)
}

/**
 * Caches of versions that are gone. One that is still in use is written again.
 *
 * @param {string} directory
 */
const removeOld = (directory) => {
  const monthAgo = Date.now() - 30 * 24 * 60 * 60 * 1000
  for (const name of fs.readdirSync(directory)) {
    const file = path.join(directory, name)
    if (/^(?:hook|cli)-/.test(name) && fs.statSync(file).mtimeMs < monthAgo) fs.rmSync(file, { force: true })
  }
}

/** @param {Program} program */
const run = ({ name, growth }) => {
  const program = path.join(__dirname, name)
  // The build leaves nothing but ASCII in it, and this is the fastest way to read that.
  const source = fs.readFileSync(program, "latin1")
  const file = cacheFile(name)
  const cached = file === undefined ? undefined : readCache(file)
  const script = new vm.Script(source, { filename: program, cachedData: cached })
  const known = cached === undefined || script.cachedDataRejected ? 0 : cached.length
  if (file !== undefined && (known === 0 || Math.random() < growth)) {
    // At the exit, when the agent or the person has the answer and every function that the run needed is compiled.
    process.on("exit", () => {
      try {
        // Only a hook makes it: who has installed none, or has just had everything removed, wants nothing of lint-ai's in the home directory.
        if (isStep) fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
        else if (!fs.existsSync(path.dirname(file))) return
        const code = script.createCachedData()
        if (code.length > known * 1.01) writeCache(file, code)
      } catch {
        // The next run tries again.
      }
    })
  }
  const module_ = { exports: {} }
  script.runInThisContext()(module_.exports, require, module_, program, __dirname)
}

if (isStep) {
  process.on("uncaughtException", giveUp)
  // See main.ts.
  Error.stackTraceLimit = 0
  run(programs.hook)
} else run(programs.cli)
