import * as fs from "node:fs"
import * as path from "node:path"
import { run } from "../support/program.ts"

const source = path.join(import.meta.dirname, "../../scripts/npm-shim.cjs")

/** Lays out node_modules as npm does, with bundles and binaries that say who they are; gives the path of the shim. */
export const shimWith = (directory: string, binaries: Readonly<Record<string, string>>, mode = 0o755): string => {
  const modules = path.join(directory, "node_modules")
  const dist = path.join(modules, "lint-ai", "dist")
  fs.mkdirSync(dist, { recursive: true })
  const shim = path.join(dist, "lint-ai.cjs")
  fs.copyFileSync(source, shim)
  const say = (who: string) => `console.log([${JSON.stringify(who)}, ...process.argv.slice(2)].join(" "))\n`
  fs.writeFileSync(path.join(dist, "main.mjs"), say("modules"))
  fs.writeFileSync(path.join(dist, "hook.cjs"), say("bundle"))
  for (const [name, text] of Object.entries(binaries)) {
    const bin = path.join(modules, name, "bin")
    fs.mkdirSync(bin, { recursive: true })
    fs.writeFileSync(path.join(modules, name, "package.json"), JSON.stringify({ name, version: "0.0.0" }))
    fs.writeFileSync(path.join(bin, "lint-ai"), text, { mode })
  }
  return shim
}

export const runShim = (
  shim: string,
  args: ReadonlyArray<string>,
  options: { readonly stdin?: string; readonly env?: object; readonly node?: ReadonlyArray<string> } = {}
) =>
  run({
    command: process.execPath,
    args: [...(options.node ?? []), shim, ...args],
    cwd: path.dirname(shim),
    env: { PATH: process.env.PATH ?? "", ...options.env },
    ...(options.stdin === undefined ? undefined : { stdin: { text: options.stdin } })
  })
