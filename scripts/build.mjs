// Builds what is shipped: dist/main.mjs and its chunks (the CLI on Node), dist/hook.cjs (the hook on Node), dist/lint-ai (everything, compiled).
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, "dist")

const bundle = async (input, output) => {
  const build = await rolldown({
    input: path.join(root, input),
    platform: "node",
    transform: { target: "node20" },
    logLevel: "warn"
  })
  await build.write({ dir: dist, minify: true, ...output })
  await build.close()
}

/** The platform package's own binary: what the `bun` package would link in a postinstall script, which may be blocked. */
const bun = () => {
  const require = createRequire(import.meta.url)
  const names = {
    "linux-x64": ["linux-x64"],
    "linux-arm64": ["linux-aarch64"],
    "darwin-x64": ["darwin-x64"],
    "darwin-arm64": ["darwin-aarch64"],
    "win32-x64": ["windows-x64"]
  }
  const suffixes = names[`${process.platform}-${process.arch}`] ?? []
  for (const suffix of suffixes) {
    for (const variant of ["", "-musl", "-baseline"]) {
      try {
        const directory = path.dirname(require.resolve(`@oven/bun-${suffix}${variant}/package.json`))
        const binary = path.join(directory, "bin", process.platform === "win32" ? "bun.exe" : "bun")
        if (spawnSync(binary, ["--version"]).status === 0) return binary
      } catch {
        // Not installed here: the package manager takes those that fit the machine.
      }
    }
  }
  return undefined
}

const compile = () => {
  const binary = bun()
  if (binary === undefined) {
    console.error("No bun for this platform: dist/lint-ai is not built; the Node bundle does the same, slower.")
    return
  }
  const { NODE_EXTRA_CA_CERTS: _unused, ...env } = process.env
  const result = spawnSync(
    binary,
    [
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--format=esm",
      "--splitting",
      // A project's .env and bunfig.toml are the agent's business, never the recorder's.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      path.join(root, "src/main.ts"),
      "--outfile",
      path.join(dist, "lint-ai")
    ],
    { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] }
  )
  if (result.status !== 0) throw new Error("bun could not compile dist/lint-ai")
}

fs.rmSync(dist, { recursive: true, force: true })
await bundle("src/main.ts", {
  format: "esm",
  entryFileNames: "main.mjs",
  chunkFileNames: "[name]-[hash].mjs",
  banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : "")
})
await bundle("src/hook/nodeMain.ts", { format: "cjs", entryFileNames: "hook-program.cjs", codeSplitting: false })
fs.copyFileSync(path.join(root, "scripts/hook-launcher.cjs"), path.join(dist, "hook.cjs"))
fs.chmodSync(path.join(dist, "main.mjs"), 0o755)
compile()
for (const name of fs.readdirSync(dist).sort()) {
  console.log(`${name.padEnd(28)} ${(fs.statSync(path.join(dist, name)).size / 1024).toFixed(0).padStart(8)} KiB`)
}
