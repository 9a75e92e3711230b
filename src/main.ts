// The hook is called for every step of an agent: it loads its own small part and never the CLI.
if (process.argv[2] === "hook") {
  const { runHook } = await import("./hook/main.ts")
  runHook()
} else {
  const { runCli } = await import("./cli/main.ts")
  runCli()
}
