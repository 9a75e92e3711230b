// Entry of the bundle that stands in where there is no compiled binary: `node dist/hook.cjs hook <agent> [event]`, or `statusline <agent>`.
import { runStatusline } from "../statusline/main.ts"
import { startHook } from "./start.ts"

const [command, ...args] = process.argv.slice(2)
if (command === "statusline") runStatusline(args)
else startHook(args)
