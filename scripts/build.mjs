// Builds what is shipped: dist/main.mjs (what people start), dist/hook.cjs and its programs (lint-ai on Node), dist/program.mjs and its chunks (lint-ai on
// Deno), dist/lint-ai (everything, compiled).
//
//   node scripts/build.mjs                builds
//   node scripts/build.mjs --when-stale   builds unless dist was built from the sources as they are
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { buildDate, commitOf } from "./buildStamp.mjs"
import { compile, executableName, hostTarget, makeOrder } from "./compile.mjs"
import { lateFunctions } from "./lateFunctions.mjs"
import { latePatterns } from "./latePatterns.mjs"
import { licensesOf, notesPackages } from "./licenses.mjs"
import { embeddedPageAssets } from "./pageAssets.mjs"
import { plainModules } from "./plainModules.mjs"

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, "dist")

/** What a build depends on, as paths from the root. */
const inputs = [
  "src",
  "scripts/build.mjs",
  "scripts/buildStamp.mjs",
  "scripts/bytecodeOrder.mjs",
  "scripts/compile.mjs",
  "scripts/lateFunctions.mjs",
  "scripts/latePatterns.mjs",
  "scripts/launcher.cjs",
  "scripts/licenses.mjs",
  "scripts/main.mjs",
  "scripts/pageAssets.mjs",
  "scripts/plainModules.mjs",
  "package.json",
  "package-lock.json"
]
/** The module that Deno runs, and that is compiled: it loads what a call needs. */
export const modulesEntry = "program.mjs"
/** Holds the digest of the inputs that a dist was built from. */
const stampName = "built-from"

/**
 * Builds into a directory of its own and puts that in the place of `dist`, so that whoever uses dist meanwhile, or builds it too, never finds half of one.
 *
 * @returns the absolute path of dist
 */
export const build = async () => {
  const digest = inputsDigest()
  const staging = path.join(root, ".cache", `build-${process.pid}`)
  fs.rmSync(staging, { recursive: true, force: true })
  fs.mkdirSync(staging, { recursive: true })
  try {
    await bundleAll(staging)
    fs.writeFileSync(path.join(staging, stampName), `${digest}\n`)
    swap(staging)
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
  }
  return dist
}

/**
 * Writes the whole program into a directory. `plugins` are for a program that is not shipped: one for tests, say.
 *
 * @param {string} directory
 * @param {ReadonlyArray<import("rolldown").Plugin>} [plugins]
 */
export const bundleAll = async (directory, plugins = []) => {
  await bundleForRuntimes(directory, plugins)
  compileForThisMachine(directory)
}

/**
 * Writes what runs on Node and Deno, and is compiled.
 *
 * @param {string} directory
 * @param {ReadonlyArray<import("rolldown").Plugin>} [plugins]
 */
export const bundleForRuntimes = async (directory, plugins = []) => {
  /** @type {Set<string>} */
  const packages = new Set()
  const noting = [...plugins, notesPackages(packages)]
  const lean = path.join(directory, "lean")
  const agents = fs.readdirSync(path.join(root, "src", "providers"), { withFileTypes: true })
  const hooks = ["main", ...agents.filter((one) => one.isDirectory()).map(({ name }) => name)]
  const entries = [
    ...(await bundleLean(
      path.join(lean, "hook"),
      hooks.map((name) => `src/hook/${name}.ts`),
      noting
    )),
    ...(await bundleLean(path.join(lean, "statusline"), ["src/statusline/main.ts"], noting))
  ]
  const whole = await wholeInput(noting)
  await bundleModules(directory, whole, new Map(entries))
  fs.rmSync(lean, { recursive: true })
  writeLauncher(directory, await bundleHook(directory, noting), await bundleCli(directory, whole))
  fs.copyFileSync(path.join(root, "scripts", "main.mjs"), path.join(directory, "main.mjs"))
  fs.chmodSync(path.join(directory, "main.mjs"), 0o755)
  fs.writeFileSync(path.join(directory, "THIRD_PARTY_LICENSES"), licensesOf(packages))
}

/**
 * Builds when dist is not what the sources as they are give.
 *
 * @returns the absolute path of dist
 */
export const buildWhenStale = async () => (isFresh() ? dist : build())

const isFresh = () => {
  try {
    return fs.readFileSync(path.join(dist, stampName), "utf8").trim() === inputsDigest()
  } catch {
    return false
  }
}

/**
 * By content, because a checkout changes times and a copy keeps them.
 *
 * @param {ReadonlyArray<string>} [more] further inputs, as paths from the root
 */
export const inputsDigest = (more = []) => {
  const hash = crypto.createHash("sha256")
  for (const input of [...inputs, ...more]) {
    const start = path.join(root, input)
    const files = fs.statSync(start).isDirectory()
      ? fs.readdirSync(start, { recursive: true, encoding: "utf8" }).map((name) => path.join(start, name))
      : [start]
    for (const file of files.sort()) {
      if (!fs.statSync(file).isFile()) continue
      const bytes = fs.readFileSync(file)
      hash.update(`${path.relative(root, file)}\n${bytes.length}\n`).update(bytes)
    }
  }
  return hash.digest("hex")
}

/** @param {string} staging */
const swap = (staging) => {
  const old = `${staging}-old`
  for (let attempt = 0; ; attempt++) {
    if (fs.existsSync(dist)) fs.renameSync(dist, old)
    try {
      fs.renameSync(staging, dist)
      break
    } catch (error) {
      // Another build was faster in between: then there is one to put away again.
      if (attempt === 3) throw error
    } finally {
      fs.rmSync(old, { recursive: true, force: true })
    }
  }
}

/**
 * @param {import("rolldown").InputOptions} input
 * @param {import("rolldown").OutputOptions} output
 */
const bundle = async (input, output) => {
  const build = await rolldown({
    platform: "node",
    transform: { target: "node20" },
    logLevel: "warn",
    ...input,
    plugins: [input.plugins, plainModules(), latePatterns(), lateFunctions()]
  })
  const { output: written } = await build.write({ minify: true, ...output })
  await build.close()
  return written
}

const leanSchema = path.join(root, "src", "hook", "leanSchema.ts")
/** The hook is bundled with small stand-ins for two modules of effect: see there. */
export const leanResolve = {
  alias: {
    "./encoding/Hex.js": path.join(root, "src", "hook", "leanHex.ts"),
    "effect/Schema": leanSchema,
    "effect/SchemaIssue": leanSchema,
    "effect/SchemaTransformation": leanSchema
  }
}

/** Bundles as the hook needs it. No one asks in what asynchronous context it runs: effect would load a module of Node's to keep that. */
const leanInput = {
  resolve: leanResolve,
  transform: { target: "node20", define: { "globalThis.process.getBuiltinModule": "undefined" } }
}

/** What the hook may load: each other module costs milliseconds at every step of an agent. */
const leanImports = new Set(["node:buffer", "node:fs", "node:path"])

/** What a hook loads with memory on only. Small modules that its late chunks share may be in the first one. */
const memoryModules = new Set(
  ["hookMemory", "MemoryStore", "MemoryIndex", "indexFile", "rank", "terms", "words"].map((name) =>
    path.join("src", "memory", `${name}.ts`)
  )
)

/**
 * The modules that are loaded with a chunk, whatever happens then.
 *
 * @param {import("rolldown").OutputChunk} entry
 * @param {ReadonlyArray<import("rolldown").OutputChunk>} chunks
 */
const loadedWith = (entry, chunks) => {
  const loaded = new Set([entry.fileName])
  for (const name of loaded) {
    for (const next of chunks.find((chunk) => chunk.fileName === name)?.imports ?? []) loaded.add(next)
  }
  return new Set(chunks.filter((chunk) => loaded.has(chunk.fileName)).flatMap((chunk) => chunk.moduleIds))
}

/**
 * @param {ReadonlyArray<string>} inputs
 * @param {import("rolldown").OutputOptions} output
 * @param {ReadonlyArray<import("rolldown").Plugin>} plugins
 * @returns the chunk of each input, and the modules that are loaded with it
 */
const bundleWithLeanSchema = async (inputs, output, plugins) => {
  const sources = inputs.map((input) => path.join(root, input))
  const written = await bundle({ input: sources, ...leanInput, plugins: [...plugins] }, output)
  const chunks = written.filter((one) => one.type === "chunk")
  const entries = sources.map((source) => {
    const entry = chunks.find((one) => one.isEntry && one.facadeModuleId === source)
    if (entry === undefined) throw new Error(`${source} gave no bundle`)
    return { entry, modules: loadedWith(entry, chunks) }
  })
  const own = new Set(chunks.map((chunk) => chunk.fileName))
  const foreign = chunks.flatMap((chunk) => chunk.imports).filter((name) => !leanImports.has(name) && !own.has(name))
  if (foreign.length > 0)
    throw new Error(`the hook would load ${foreign.join(", ")}: see src/platform/digest.ts for another way`)
  const asynchronous = chunks.filter(({ code }) => code.includes("node:async_hooks"))
  if (asynchronous.length > 0) throw new Error("the hook would load node:async_hooks: see leanInput")
  const replaced = chunks
    .flatMap((one) => one.moduleIds)
    .filter((id) => /effect\/dist\/(Schema|encoding\/Hex)\.js$/.test(id))
  if (replaced.length > 0) throw new Error(`the hook would load ${replaced.join(", ")}: see leanResolve`)
  const early = entries
    .flatMap(({ modules }) => [...modules])
    .filter((id) => memoryModules.has(path.relative(root, id)))
  // In one file everything is there, and what is imported late is only run late.
  if (output.codeSplitting !== false && early.length > 0) {
    throw new Error(`the hook would load ${early.join(", ")} with memory off`)
  }
  return entries
}

/**
 * The hooks, or the status line, which program.mjs loads: a module of each, what they have in common, and what only a hook with memory on loads.
 *
 * @param {string} directory
 * @param {ReadonlyArray<string>} inputs
 * @param {ReadonlyArray<import("rolldown").Plugin>} plugins
 * @returns {Promise<ReadonlyArray<readonly [string, string]>>} the bundle of each source
 */
const bundleLean = async (directory, inputs, plugins) => {
  /** @type {import("rolldown").OutputOptions} */
  const output = {
    dir: directory,
    format: "esm",
    entryFileNames: ({ name }) => `${path.basename(directory)}${name === "main" ? "" : `-${name}`}.mjs`,
    minify: false
  }
  // Left to itself the bundler makes a chunk of each set of entries that have something in common, and each takes its time to load: so one look
  // first at what is in common, and then one chunk for it.
  const alone = await bundleWithLeanSchema(inputs, output, plugins)
  const isCommon = (/** @type {string} */ id) => alone.filter(({ modules }) => modules.has(id)).length > 1
  const groups = [{ name: "common", test: isCommon }]
  fs.rmSync(directory, { recursive: true })
  const entries = await bundleWithLeanSchema(inputs, { ...output, codeSplitting: { groups } }, plugins)
  return entries.map(({ entry }, at) => [path.join(root, inputs[at] ?? ""), path.join(directory, entry.fileName)])
}

/**
 * How the whole program is bundled.
 *
 * @param {ReadonlyArray<import("rolldown").Plugin>} plugins
 */
const wholeInput = async (plugins) => ({
  // The UMD builds that some packages name as their main file cannot be bundled.
  resolve: { mainFields: ["module", "main"] },
  transform: {
    target: "node20",
    define: { LINT_AI_COMMIT: JSON.stringify(commitOf(inputs)), LINT_AI_DATE: JSON.stringify(buildDate()) }
  },
  plugins: [await embeddedPageAssets(), ...plugins]
})

/**
 * The modules that Deno runs, and that are compiled.
 *
 * @param {string} directory
 * @param {Awaited<ReturnType<typeof wholeInput>>} whole
 * @param {ReadonlyMap<string, string>} lean bundles of sources, which stand in their place
 */
const bundleModules = async (directory, whole, lean) => {
  const standIns = {
    name: "lean",
    /** @type {(name: string, importer: string | undefined) => string | undefined} */
    resolveId: (name, importer) =>
      importer === undefined ? undefined : lean.get(path.resolve(path.dirname(importer), name))
  }
  const written = await bundle(
    { ...whole, input: path.join(root, "src", "main.ts"), plugins: [standIns, ...whole.plugins] },
    { dir: directory, format: "esm", entryFileNames: modulesEntry, chunkFileNames: "[name]-[hash].mjs" }
  )
  const [entry] = written.filter((one) => one.type === "chunk" && one.isEntry)
  const more = entry?.type === "chunk" ? entry.imports : ["nothing"]
  if (more.length > 0) throw new Error(`${modulesEntry} would load ${more.join(", ")} for every hook`)
}

/**
 * With one byte a character V8 reads a source in half the time. What is beyond ASCII stands in texts and patterns, where its escape says the same.
 *
 * @param {string} code
 */
export const inAscii = (code) =>
  code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * One file that the launcher runs, for one code cache: what only some runs load is compiled when it is called. Its name tells its content, and the
 * launcher names its code cache after it: so no cache ever serves another version.
 *
 * @param {string} directory
 * @param {"hook" | "cli"} name
 * @returns {import("rolldown").OutputOptions}
 */
const inOneFile = (directory, name) => ({
  dir: directory,
  format: "cjs",
  entryFileNames: `${name}-[hash].cjs`,
  codeSplitting: false
})

/**
 * @param {string} directory
 * @param {import("rolldown").OutputChunk | undefined} chunk
 * @returns the name of the program
 */
const writeProgram = (directory, chunk) => {
  if (chunk === undefined) throw new Error("a program gave no bundle")
  // What the launcher would put around it makes another text of it, and a copy of 360 KB.
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${inAscii(chunk.code)}\n})`
  fs.writeFileSync(path.join(directory, chunk.fileName), wrapped)
  return chunk.fileName
}

/**
 * @param {string} directory
 * @param {ReadonlyArray<import("rolldown").Plugin>} plugins
 */
const bundleHook = async (directory, plugins) => {
  const [program] = await bundleWithLeanSchema(["src/hook/nodeMain.ts"], inOneFile(directory, "hook"), plugins)
  return writeProgram(directory, program?.entry)
}

/**
 * @param {string} directory
 * @param {Awaited<ReturnType<typeof wholeInput>>} whole
 */
const bundleCli = async (directory, whole) => {
  const input = path.join(root, "src", "cli", "nodeMain.ts")
  const written = await bundle({ ...whole, input }, inOneFile(directory, "cli"))
  return writeProgram(
    directory,
    written.find((one) => one.type === "chunk")
  )
}

/**
 * @param {string} directory
 * @param {string} hook the names of the programs
 * @param {string} cli
 */
const writeLauncher = (directory, hook, cli) => {
  let launcher = fs.readFileSync(path.join(root, "scripts", "launcher.cjs"), "utf8")
  for (const [placeholder, name] of Object.entries({ '"hook-program.cjs"': hook, '"cli-program.cjs"': cli })) {
    if (!launcher.includes(placeholder)) throw new Error(`scripts/launcher.cjs does not name ${placeholder}`)
    launcher = launcher.replace(placeholder, JSON.stringify(name))
  }
  fs.writeFileSync(path.join(directory, "hook.cjs"), launcher)
}

/** @param {string} directory */
const compileForThisMachine = (directory) => {
  const target = hostTarget()
  if (target === undefined) {
    console.error("No bun for this platform: dist/lint-ai is not built; the Node bundle does the same, slower.")
    return
  }
  const entry = path.join(directory, modulesEntry)
  const order = makeOrder(entry, path.join(directory, "order"))
  compile({ entry, outfile: path.join(directory, executableName(target)), target, order })
  fs.rmSync(path.join(directory, "order"))
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  await (process.argv.includes("--when-stale") ? buildWhenStale() : build())
  for (const name of fs.readdirSync(dist).sort()) {
    console.log(`${name.padEnd(28)} ${(fs.statSync(path.join(dist, name)).size / 1024).toFixed(0).padStart(8)} KiB`)
  }
}
