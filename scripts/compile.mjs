// Compiles program.mjs into one binary, for this platform or another one. Nothing is downloaded but npm packages that package-lock.json names.
import { spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { writeBytecodeOrder } from "./bytecodeOrder.mjs"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)

/**
 * A platform that a binary is made for.
 *
 * @typedef {object} Target
 * @property {string} bun the name of its package, in the scope of bun
 * @property {string} bunTarget what bun calls it
 * @property {string} os
 * @property {string} cpu
 * @property {string} [libc]
 */

/**
 * By the name that lint-ai gives them, which is that of Node's `process.platform` and `process.arch`, and `-musl` where libc is musl.
 *
 * @type {Readonly<Record<string, Target>>}
 */
export const targets = {
  "darwin-arm64": { bun: "bun-darwin-aarch64", bunTarget: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
  "darwin-x64": { bun: "bun-darwin-x64", bunTarget: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  "linux-arm64": { bun: "bun-linux-aarch64", bunTarget: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc" },
  "linux-arm64-musl": {
    bun: "bun-linux-aarch64-musl",
    bunTarget: "bun-linux-arm64-musl",
    os: "linux",
    cpu: "arm64",
    libc: "musl"
  },
  "linux-x64": { bun: "bun-linux-x64", bunTarget: "bun-linux-x64", os: "linux", cpu: "x64", libc: "glibc" },
  "linux-x64-musl": {
    bun: "bun-linux-x64-musl",
    bunTarget: "bun-linux-x64-musl",
    os: "linux",
    cpu: "x64",
    libc: "musl"
  },
  "win32-x64": { bun: "bun-windows-x64", bunTarget: "bun-windows-x64", os: "win32", cpu: "x64" }
}

/** @param {string} target */
export const executableName = (target) => (target.startsWith("win32-") ? "lint-ai.exe" : "lint-ai")

/** @param {string} target */
export const targetOf = (target) => {
  const known = targets[target]
  if (known === undefined) throw new Error(`${target} is none of ${Object.keys(targets).join(", ")}`)
  return known
}

/** The target that this machine runs, whose bun npm has installed here; undefined when there is none. */
export const hostTarget = () =>
  [`${process.platform}-${process.arch}`, `${process.platform}-${process.arch}-musl`].find((target) => {
    const known = targets[target]
    const binary = known === undefined ? undefined : installedBun(known)
    return binary !== undefined && spawnSync(binary, ["--version"]).status === 0
  })

/**
 * @typedef {object} Compilation
 * @property {string} entry the bundle
 * @property {string} outfile the binary
 * @property {string} target one of `targets`
 * @property {string | undefined} [order] a file of `makeOrder`
 */

/** @param {Compilation} compilation */
export const compile = (compilation) => {
  runBun(compilation)
  inOnePiece(compilation.outfile)
}

/** @param {Compilation} compilation */
const runBun = ({ entry, outfile, target, order }) => {
  const known = targetOf(target)
  const host = hostTarget()
  const bun = host === undefined ? undefined : installedBun(targetOf(host))
  if (bun === undefined) throw new Error("there is no bun for this platform in node_modules to compile with")
  const { NODE_EXTRA_CA_CERTS: _unused, ...env } = process.env
  const result = spawnSync(
    bun,
    [
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--format=esm",
      "--splitting",
      // A hook is over before compiled code pays: at the usual thresholds the compiler's threads take a third of its time.
      "--compile-jit-policy=256",
      // A project's .env and bunfig.toml are the agent's business, never the recorder's.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      ...(order === undefined ? [] : [`--bytecode-order=${order}`]),
      `--target=${known.bunTarget}`,
      // Otherwise bun downloads one.
      `--compile-executable-path=${installedBun(known) ?? fetchedBun(known)}`,
      "--define",
      `LINT_AI_TARGET=${JSON.stringify(target)}`,
      path.basename(entry),
      "--outfile",
      outfile
    ],
    // What is compiled names its files from here: so the bytes do not depend on where the checkout is.
    { cwd: path.dirname(entry), env, stdio: ["ignore", "ignore", "inherit"] }
  )
  if (result.status !== 0) throw new Error(`bun could not compile ${outfile}`)
}

/**
 * Finds out in what order a hook needs the parts of a bundle; the same for every target.
 *
 * @param {string} entry the bundle
 * @param {string} file where to write it
 * @returns that file; undefined where there is no bun for this platform
 */
export const makeOrder = (entry, file) => {
  const target = hostTarget()
  if (target === undefined) return undefined
  const program = `${file}.${executableName(target)}`
  runBun({ entry, outfile: program, target })
  writeBytecodeOrder(program, file)
  fs.rmSync(program)
  return file
}

/**
 * Writes a file again, at once. Bun writes it in small parts, and so the system keeps it in memory: in single pages, of which a program that starts
 * needs thousands. Kept in large ones it starts in a tenth less time, until it has to be read from the disk again.
 *
 * @param {string} file
 */
const inOnePiece = (file) => {
  const written = `${file}.tmp`
  fs.writeFileSync(written, fs.readFileSync(file), { mode: fs.statSync(file).mode })
  fs.renameSync(written, file)
}

/** @param {Target} target */
const binaryName = ({ os }) => (os === "win32" ? "bun.exe" : "bun")

/**
 * The platform package's own binary: what the `bun` package would link in a postinstall script, which may be blocked.
 *
 * @param {Target} target
 */
const installedBun = (target) => {
  try {
    const directory = path.dirname(require.resolve(`@oven/${target.bun}/package.json`))
    return path.join(directory, "bin", binaryName(target))
  } catch {
    // Not installed here: the package manager takes those that fit the machine.
    return undefined
  }
}

/**
 * The bun of another platform, from npm or npm's cache, once: with the version and the digest that package-lock.json has for it.
 *
 * @param {Target} target
 */
const fetchedBun = (target) => {
  const name = `@oven/${target.bun}`
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8"))
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {}
  if (version === undefined || !integrity?.startsWith("sha512-")) {
    throw new Error(`package-lock.json has no digest of ${name}`)
  }
  const directory = path.join(root, ".cache", "bun", `${target.bun}-${version}`)
  const binary = path.join(directory, "package", "bin", binaryName(target))
  if (fs.existsSync(binary)) return binary
  const mine = `${directory}.${process.pid}`
  fs.mkdirSync(mine, { recursive: true })
  try {
    const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", mine, `${name}@${version}`], {
      encoding: "utf8",
      shell: process.platform === "win32"
    })
    const [tarball] = fs.readdirSync(mine)
    if (packed.status !== 0 || tarball === undefined) throw new Error(`npm could not fetch ${name}: ${packed.stderr}`)
    const digest = crypto
      .createHash("sha512")
      .update(fs.readFileSync(path.join(mine, tarball)))
      .digest("base64")
    if (`sha512-${digest}` !== integrity) throw new Error(`${name}@${version} is not what package-lock.json says`)
    const unpacked = spawnSync("tar", ["-xzf", tarball], { cwd: mine })
    if (unpacked.status !== 0) throw new Error(`${tarball} cannot be unpacked`)
    fs.rmSync(path.join(mine, tarball))
    // Another build may have been faster; then its copy is as good.
    if (!fs.existsSync(directory)) fs.renameSync(mine, directory)
  } finally {
    fs.rmSync(mine, { recursive: true, force: true })
  }
  return binary
}
