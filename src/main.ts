// The hook is called for every step of an agent: it loads its own small part and never the CLI.
if (process.argv[2] === "hook") {
  import("./hook/main.ts").then(({ runHook }) => runHook(process.argv.slice(3)))
} else {
  import("./cli/main.ts").then(({ runCli }) => runCli(process.argv.slice(2)))
}
