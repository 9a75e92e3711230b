// Entry of dist/hook-*.cjs, which scripts/launcher.cjs runs for what agents start at every step or redraw, where there is no compiled binary.
import { calledAs } from "../calledAs.ts"
import { runStatusline } from "../statusline/main.ts"
import { startHook } from "./start.ts"

const { program, args } = calledAs(process.argv.slice(2))
if (program === "statusline") runStatusline(args)
else startHook(args)
