// Entry of the bundle that stands in where there is no compiled binary: `node dist/hook.cjs hook <agent> [event]`.
import { runHook } from "./main.ts"

runHook(process.argv.slice(3))
