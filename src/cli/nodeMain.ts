// Entry of dist/cli-*.cjs, which scripts/launcher.cjs runs for all that is no hook and no status line, where there is no compiled binary.
import { calledAs } from "../calledAs.ts"

const { program, args } = calledAs(process.argv.slice(2))
if (program === "mcp") import("../mcp/main.ts").then(({ runMcpServer }) => runMcpServer(args))
else import("./main.ts").then(({ runCli }) => runCli(args))
