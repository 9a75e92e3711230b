#!/usr/bin/env node
// dist/main.mjs: `lint-ai` where there is no compiled binary. On Node it runs from V8's code cache (launcher.cjs); Deno and Bun take the modules as they
// are, and Deno has such a cache of its own.
import { createRequire } from "node:module"

if (process.versions.deno === undefined && process.versions.bun === undefined)
  createRequire(import.meta.url)("./hook.cjs")
// @ts-expect-error it stands beside this file in dist only
else await import("./program.mjs")
