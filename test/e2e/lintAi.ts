import * as fs from "node:fs"
import * as path from "node:path"
import { inject } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Finished, type RanTooLong, run } from "../support/program.ts"
import type { Sandbox } from "./claude.ts"

/** A compiled binary of the sandbox's own, which a test may break. */
export const placeLintAi = (sandbox: Sandbox): string => {
  const built = path.join(inject("builtProgram"), "lint-ai")
  const binary = path.join(sandbox.root, "lint-ai")
  fs.linkSync(built, binary)
  return binary
}

/** Runs lint-ai as the user of the sandbox, in the project. */
export const lintAi = (
  sandbox: Sandbox,
  binary: string,
  ...args: ReadonlyArray<string>
): Effect.Effect<Finished, RanTooLong> => run({ command: binary, args, cwd: sandbox.project, env: sandbox.env })

/** Runs lint-ai with `--json` and gives the document that it prints. */
export const lintAiJson = (sandbox: Sandbox, binary: string, ...args: ReadonlyArray<string>) =>
  Effect.map(lintAi(sandbox, binary, ...args, "--json"), (end) => {
    if (end.exitCode !== 0)
      throw new Error(`lint-ai ${args.join(" ")} gave ${end.exitCode}: ${end.stdout}${end.stderr}`)
    return JSON.parse(end.stdout)
  })

/** Turns recording on in the project, as a user does. */
export const recordProject = (sandbox: Sandbox, claude: string) =>
  Effect.gen(function* () {
    // Install asks the agent for its version, to register no more than it knows.
    fs.symlinkSync(claude, path.join(sandbox.bin, "claude"))
    const binary = placeLintAi(sandbox)
    const end = yield* lintAi(
      sandbox,
      binary,
      ...["install", "claude", sandbox.project, "--yes", "--session-recording", "capture-only"]
    )
    if (end.exitCode !== 0) throw new Error(`install gave ${end.exitCode}: ${end.stdout}${end.stderr}`)
    return binary
  })
