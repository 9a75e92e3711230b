// `npm run deno -- <arguments>`: the platform package's own binary. The `deno` package would link it in a postinstall script, which may be blocked.
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import * as path from "node:path"

const require = createRequire(import.meta.url)
const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
const directory = path.dirname(require.resolve(`@deno/${platform}/package.json`))
const binary = path.join(directory, process.platform === "win32" ? "deno.exe" : "deno")
const { status, error } = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" })
if (error !== undefined) console.error(error.message)
process.exitCode = status ?? 1
