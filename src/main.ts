import { calledAs } from "./calledAs.ts"
import { startHook } from "./hook/start.ts"

const { program, args } = calledAs(process.argv.slice(2))

if (program === "hook") {
  // Nobody sees where a hook's errors come from, and to note that down at each of them, and to try at the start how well it works, takes its time.
  Error.stackTraceLimit = 0
  startHook(args)
} else if (program === "statusline") {
  import("./statusline/main.ts").then(({ runStatusline }) => runStatusline(args))
} else if (program === "mcp") {
  import("./mcp/main.ts").then(({ runMcpServer }) => runMcpServer(args))
} else {
  import("./cli/main.ts").then(({ runCli }) => runCli(args))
}
