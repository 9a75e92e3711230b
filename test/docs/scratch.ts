import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { demoSession } from "../../src/cli/demo/session.ts"
import { type Finished, run } from "../support/program.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"
import { type Example, examplesIn } from "./markdown.ts"

/** Where the examples of a document are run: a project under Git, `lint-ai` and `claude` on the PATH, nobody's settings. */
export interface Scratch {
  readonly directory: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
}

const write = (file: string, text: string, mode = 0o644) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text, { mode })
}

export const newScratch = Effect.map(temporaryDirectory, (directory): Scratch => {
  const [bin, home, project] = ["bin", "home", "shop"].map((name) => path.join(directory, name)) as [
    string,
    string,
    string
  ]
  for (const made of [bin, home, project]) fs.mkdirSync(made)
  fs.symlinkSync(path.join(inject("builtProgram"), "lint-ai"), path.join(bin, "lint-ai"))
  fs.symlinkSync(process.execPath, path.join(bin, "node"))
  fs.copyFileSync(path.join(import.meta.dirname, "fakeClaude.mjs"), path.join(bin, "claude"))
  fs.chmodSync(path.join(bin, "claude"), 0o755)
  const transcriptPath = path.join(directory, "transcript.jsonl")
  const session = demoSession({
    sessionId: "5f0d7c1e-8a52-4b7f-9c34-2d1f60b7a9e3",
    project,
    transcriptPath,
    nowIso: "2026-01-02T03:04:05.000Z"
  })
  write(transcriptPath, session.transcript)
  const sessionFile = path.join(directory, "session.json")
  write(sessionFile, JSON.stringify({ deliveries: session.deliveries }))
  write(
    path.join(home, ".gitconfig"),
    "[user]\n\tname = Example\n\temail = example@example.com\n[init]\n\tdefaultBranch = main\n"
  )
  const env = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    COLUMNS: "100",
    EXAMPLE_SESSION: sessionFile,
    TMPDIR: directory
  }
  write(path.join(project, "README.md"), "# Shop\n")
  for (const args of [
    ["init", "--quiet"],
    ["add", "."],
    ["commit", "--quiet", "--message", "First"]
  ]) {
    execFileSync("git", args, { cwd: project, env })
  }
  return { directory, project, env }
})

/** How one example went. */
export interface Outcome {
  readonly example: Example
  readonly printed: string
  /** Undefined when an example before it ended the shell. */
  readonly exitCode: number | undefined
}

/** Runs the examples of a block one after another in one shell, in the project. */
export const runExamples = Effect.fnUntraced(function* (scratch: Scratch, block: string) {
  const examples = examplesIn(block)
  const out = fs.mkdtempSync(path.join(scratch.directory, "printed-"))
  const script = examples.map(
    ({ command }, at) => `{\n${command}\n} >"${out}/${at}" 2>&1 </dev/null\necho $? >"${out}/${at}.code"`
  )
  const end: Finished = yield* run(
    { command: "bash", args: ["-c", script.join("\n")], cwd: scratch.project, env: scratch.env },
    "4 minutes"
  ).pipe(Effect.orDie)
  const read = (name: string) =>
    fs.existsSync(path.join(out, name)) ? fs.readFileSync(path.join(out, name), "utf8") : undefined
  return examples.map((example, at): Outcome => {
    const code = read(`${at}.code`)
    return {
      example,
      printed: `${read(String(at)) ?? ""}${end.stderr}`,
      exitCode: code === undefined ? undefined : Number(code)
    }
  })
})
