import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Scenario, startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { assertSound, filesOfLintAi } from "./agreement.ts"
import { readArchive } from "./archive.ts"
import { claudeVersions, installClaude, makeSandbox, runClaude } from "./claude.ts"
import { lintAi, recordProject } from "./lintAi.ts"
import { bash } from "./scenarios.ts"

/** As random as the letters of a key, the same in every run, and written in no file of this repository. */
const letters = (place: string, length: number): string =>
  createHash("sha512").update(place).digest("base64").replaceAll(/[+/=]/g, "").slice(0, length)

interface Planted {
  /** What stands in the session. */
  readonly text: string
  /** The part of it that must be stored nowhere. */
  readonly secret: string
}

const token = (place: string): Planted => {
  const secret = letters(place, 36)
  return { text: `gh${"p"}_${secret}`, secret }
}

const around = (before: string, secret: string, after = ""): Planted => ({ text: before + secret + after, secret })

const privateKey = (): Planted => {
  const frame = (word: string) => ["-----", word, " PRIVATE", " KEY", "-----"].join("")
  return around(`${frame("BEGIN")}\n`, letters("file", 64), `\n${letters("second line", 40)}\n${frame("END")}`)
}

/** One secret for each place in which a session can have one, so that a leak says where it is. */
const plant = () =>
  ({
    prompt: token("prompt"),
    command: around("Authorization: Bearer ", letters("command", 48)),
    output: around("DB_PASSWORD=", letters("output", 24)),
    file: privateKey(),
    error: token("error"),
    denied: token("denied"),
    errand: token("errand"),
    report: token("report"),
    answer: around("postgres://admin:", letters("answer", 20), "@db.example.com/live")
  }) as const satisfies Readonly<Record<string, Planted>>

const scenariosWith = (planted: ReturnType<typeof plant>): Readonly<Record<string, Scenario>> => ({
  secrets: [
    {
      text: "I look around.",
      tools: [
        bash(`printf '%s' '${planted.command.text}' | wc -c; cat .env`),
        { name: "Read", input: { file_path: "key.pem" } }
      ]
    },
    { text: "I try.", tools: [bash("cat refused.txt >&2; exit 3")] },
    { text: "I write.", tools: [{ name: "Write", input: { file_path: "token.txt", content: planted.denied.text } }] },
    {
      text: "I send somebody.",
      tools: [
        {
          name: "Agent",
          input: {
            description: "An errand",
            prompt: `scenario:errand Use ${planted.errand.text} for it.`,
            subagent_type: "general-purpose",
            run_in_background: false
          }
        }
      ]
    },
    { text: `The database is ${planted.answer.text}.` }
  ],
  errand: [{ text: `It is done, with ${planted.report.text}.` }]
})

describe.each(claudeVersions)("a session of Claude Code %s with secrets in it", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live("is stored and shown without any of them", () =>
    Effect.gen(function* () {
      const planted = plant()
      const api = yield* startFakeMessagesApi(scenariosWith(planted))
      const sandbox = yield* makeSandbox(api)
      const user = { api, sandbox, lintAi: yield* recordProject(sandbox, claude) }
      fs.writeFileSync(path.join(sandbox.project, ".env"), `${planted.output.text}\n`)
      fs.writeFileSync(path.join(sandbox.project, "key.pem"), `${planted.file.text}\n`)
      fs.writeFileSync(path.join(sandbox.project, "refused.txt"), `remote: ${planted.error.text} was refused\n`)
      yield* runClaude(claude, sandbox, { prompt: `scenario:secrets Log in with ${planted.prompt.text}, please.` })
      const archive = readArchive(sandbox.project)
      yield* assertSound(user, archive, "completed")

      // Every secret was in the session: the model was sent all of them, or sent them itself.
      const conversation = JSON.stringify(api.received) + JSON.stringify(scenariosWith(planted))
      for (const [place, { secret }] of Object.entries(planted)) assert.include(conversation, secret, place)

      const id = archive.manifest.session_id
      const shown = yield* Effect.forEach(
        [
          ["sessions", "list"],
          ["sessions", "list", "--json"],
          ["sessions", "inspect", id],
          ["sessions", "inspect", id, "--json"],
          ["sessions", "verify", id],
          ["sessions", "export", id, "--format", "jsonl"],
          ["sessions", "export", id, "--format", "markdown"],
          ["sessions", "recover", id],
          ["status"],
          ["record", "stop", "claude"]
        ],
        (args) =>
          Effect.map(lintAi(sandbox, user.lintAi, ...args), (end) => ({
            file: args.join(" "),
            text: `${end.stdout}${end.stderr}`
          }))
      )
      for (const { file, text } of [...filesOfLintAi(user), ...shown]) {
        for (const [place, { secret }] of Object.entries(planted)) {
          assert.notInclude(text, secret, `the secret of ${place} is in ${file}`)
        }
      }

      // The words around them stay.
      const markdown = shown.find(({ file }) => file.endsWith("markdown"))?.text ?? ""
      assert.match(markdown, /Log in with \[REDACTED:[a-z-]+\], please\./)
      assert.match(markdown, /remote: \[REDACTED:[a-z-]+\] was refused/)
      assert.match(markdown, /It is done, with \[REDACTED:[a-z-]+\]\./)
    })
  )
})
