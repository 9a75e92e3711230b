// Runs hook-program.cjs from V8's code cache, which a first run writes: compiling is a third of what a hook costs on Node.
// The cache is only ever a copy: one that is stale, damaged or of another Node is refused by V8 and written again.
const fs = require("node:fs")
const os = require("node:os")
const path = require("node:path")
const vm = require("node:vm")

const program = path.join(__dirname, "hook-program.cjs")
const source = fs.readFileSync(program, "utf8")
const home = process.env.XDG_CACHE_HOME || path.join(process.env.HOME || os.homedir(), ".cache")
const directory = path.join(home, "lint-ai")
const cache = path.join(
  directory,
  `hook-${process.version}-${source.length}-${Math.trunc(fs.statSync(program).mtimeMs)}.cache`
)
let cachedData
try {
  cachedData = fs.readFileSync(cache)
} catch {
  // The first run.
}
const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename: program,
  cachedData
})
if (cachedData === undefined || script.cachedDataRejected) {
  // At the exit, so that the functions that a run compiles are in it.
  process.on("exit", () => {
    const mine = `${cache}.${process.pid}`
    try {
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      fs.writeFileSync(mine, script.createCachedData(), { mode: 0o600 })
      fs.renameSync(mine, cache)
    } catch {
      fs.rmSync(mine, { force: true })
    }
  })
}
const module_ = { exports: {} }
script.runInThisContext()(module_.exports, require, module_, program, __dirname)
