import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { candidateSchema } from "../../src/memory/extraction/contract.ts"
import { startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { type ResponseReply, startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { type Program, run } from "../support/program.ts"
import { snapshot } from "../support/recording.ts"
import { claudeVersions, installClaude, makeSandbox, runClaude } from "./claude.ts"
import { type CodexSandbox, installCodex, installLintAi, makeCodexSandbox, runCodex, trustAll } from "./codex.ts"
import { recordProject } from "./lintAi.ts"

const note = {
  kind: "decision",
  title: "Postgres for the job queue",
  body: "The job queue uses Postgres, because SQLite locked up under eight workers.",
  tags: ["database"]
} as const
const broken = { candidates: [note, { ...note, title: "Another", source: "mine" }] }

/** What the recorded session ends with: it names the scenario of whoever is given its transcript. */
const ending = (next: string) =>
  `SQLite locked up under eight workers, so the job queue uses Postgres now. scenario:${next}`

/** Only the user's settings and the project's instructions say it: no extraction may be told. */
const private_ = "words-of-nobody-else"

const hookStart = (project: string) => ({
  hook_event_name: "SessionStart",
  source: "startup",
  session_id: "next",
  cwd: project
})

/** Runs the program that a user installed, in the project. */
const program = (
  command: string,
  sandbox: { readonly project: string; readonly env: Readonly<Record<string, string>> }
) => {
  const start = (args: ReadonlyArray<string>, stdin?: Program["stdin"]) =>
    run({ command, args, cwd: sandbox.project, env: sandbox.env, ...(stdin === undefined ? {} : { stdin }) })
  return {
    json: (...args: ReadonlyArray<string>) =>
      Effect.map(start([...args, "--json"]), (end) => ({
        exitCode: end.exitCode,
        document: JSON.parse(end.stdout || "null")
      })),
    hook: (provider: string, payload: unknown) =>
      Effect.map(start(["hook", provider], { text: JSON.stringify(payload) }), (end) => end.stdout)
  }
}

/** What a stored note looks like, whoever extracted it. */
const assertAccepted = Effect.fnUntraced(function* (
  lintAi: ReturnType<typeof program>,
  project: string,
  extracted: { readonly exitCode: number | null; readonly document: Record<string, unknown> }
) {
  assert.strictEqual(extracted.exitCode, 0, JSON.stringify(extracted.document))
  const { staged, ...report } = extracted.document as { staged: ReadonlyArray<Record<string, unknown>> }
  assert.deepInclude(report, { ok: true, form: "conversation", chunks: 1, candidates: 1, dropped: [], more: false })
  assert.deepInclude(staged[0], { ...note, grounded: true, status: "staged" })
  const accepted = yield* lintAi.json("extract", "review", "accept", "--all", "--yes")
  assert.strictEqual(accepted.exitCode, 0, JSON.stringify(accepted.document))
  const memories = fs
    .readdirSync(path.join(project, ".lint-ai"))
    .filter((name) => name.endsWith("-memory"))
    .map((name) => path.join(project, ".lint-ai", name, "segments", "00000001.jsonl"))
  assert.lengthOf(memories, 1)
  const memory = JSON.parse(fs.readFileSync(memories[0] ?? "", "utf8"))
  assert.deepInclude(memory, { kind: "fact", text: `[decision] ${note.title}\n${note.body}\ntags: database` })
  assert.deepStrictEqual(memory.events, staged[0]?.events)
})

describe.each(claudeVersions)("an extraction by Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  const structured = (input: Readonly<Record<string, unknown>>) => [
    { tools: [{ name: "StructuredOutput", input }] },
    { text: "Done." }
  ]
  const recorded = (next: string) =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi({
        work: [{ text: ending(next) }],
        extract: structured({ candidates: [note] }),
        nothing: structured({ candidates: [] }),
        // Claude Code tells the model what was wrong with it, and gives up after some tries.
        broken: Array.from({ length: 12 }, () => ({ tools: [{ name: "StructuredOutput", input: broken }] })),
        refused: [{ error: { status: 401, type: "authentication_error", message: "no such login" } }]
      })
      const sandbox = yield* makeSandbox(api)
      const lintAi = program(yield* recordProject(sandbox, claude), sandbox)
      yield* runClaude(claude, sandbox, { prompt: "scenario:work Which database should the job queue use?" })
      fs.writeFileSync(path.join(sandbox.project, "CLAUDE.md"), private_)
      fs.writeFileSync(path.join(sandbox.claudeHome, "CLAUDE.md"), private_)
      return { api, sandbox, lintAi, before: api.received.length }
    })

  it.live("is stored once it is accepted, and neither the project nor the user's settings took part", () =>
    Effect.gen(function* () {
      const { api, sandbox, lintAi, before } = yield* recorded("extract")
      const settings = snapshot(sandbox.claudeHome)
      const extracted = yield* lintAi.json("extract", "--host", "claude")
      const requests = api.received.slice(before).filter(({ body }) => body !== undefined)
      const text = JSON.stringify(requests.map(({ body }) => body))
      assert.include(text, "user: scenario:work Which database should the job queue use?")
      assert.include(text, "You read the record of one finished coding session")
      assert.notInclude(text, private_)
      assert.notInclude(text, sandbox.project)
      for (const { name } of requests.flatMap(({ body }) => body?.tools ?? [])) {
        assert.include(["StructuredOutput", "DeferredToolPlaceholder"], name)
      }
      yield* assertAccepted(lintAi, sandbox.project, extracted)
      assert.deepStrictEqual(snapshot(sandbox.claudeHome), settings, "the user's settings are as they were")
      const { document } = yield* lintAi.json("sessions", "list")
      assert.lengthOf(document.sessions, 1, "the extraction itself was not recorded")
      assert.deepStrictEqual(api.strays, [])
      assert.deepStrictEqual(
        fs.readdirSync(sandbox.env.TMPDIR ?? "").filter((name) => name.startsWith("lint-ai-extract")),
        []
      )
    })
  )

  it.live("uses the login of the user's settings", () =>
    Effect.gen(function* () {
      const { api, sandbox, before } = yield* recorded("nothing")
      const { ANTHROPIC_API_KEY: _, ...env } = sandbox.env
      const login = { accessToken: "token-of-the-login", refreshToken: "r", expiresAt: 4_102_444_800_000 }
      const file = path.join(sandbox.claudeHome, ".credentials.json")
      fs.writeFileSync(
        file,
        JSON.stringify({ claudeAiOauth: { ...login, scopes: ["user:inference", "user:profile"] } })
      )
      const user = program(path.join(sandbox.root, "lint-ai"), { ...sandbox, env })
      const extracted = yield* user.json("extract")
      assert.deepInclude(extracted.document, { ok: true, candidates: 0, staged: [], host: "claude" })
      const logins = api.received.slice(before).flatMap(({ body, login: sent }) => (body === undefined ? [] : [sent]))
      assert.deepStrictEqual([...new Set(logins)], ["Bearer token-of-the-login"])
      assert.isTrue(fs.lstatSync(file).isFile())
    })
  )

  it.live("that fails is told at the next start of a session, once", () =>
    Effect.gen(function* () {
      const { sandbox, lintAi } = yield* recorded("refused")
      const failed = yield* lintAi.json("extract")
      assert.strictEqual(failed.exitCode, 1)
      assert.deepInclude(failed.document.error, { tag: "ExtractionFailed", reason: "extractor-failed", host: "claude" })
      const { systemMessage } = JSON.parse(yield* lintAi.hook("claude", hookStart(sandbox.project)))
      assert.include(systemMessage, "could NOT extract memories from claude:")
      assert.strictEqual(yield* lintAi.hook("claude", { ...hookStart(sandbox.project), session_id: "third" }), "")
    })
  )

  it.live("with an answer that breaks the schema gives nothing", () =>
    Effect.gen(function* () {
      const { lintAi } = yield* recorded("broken")
      const failed = yield* lintAi.json("extract")
      assert.strictEqual(failed.exitCode, 1)
      assert.include(["malformed-output", "extractor-failed"], failed.document.error.reason)
      assert.deepStrictEqual((yield* lintAi.json("extract", "review")).document, { candidates: [] })
    })
  )
})

describe("an extraction by Codex", () => {
  let codex = ""
  beforeAll(async () => {
    codex = await Effect.runPromise(installCodex)
  })

  /** `--ignore-user-config` leaves out who serves the models too, so Codex is wrapped by who knows: the fake alone must be asked. */
  const wrapped = (sandbox: CodexSandbox, url: string) => {
    const provider = `model_providers.fake={name="fake",base_url="${url}",wire_api="responses",env_key="DUMMY_KEY",request_max_retries=0,stream_max_retries=0}`
    const overrides = ['model_provider="fake"', provider, 'model="gpt-5.5"', "analytics.enabled=false"]
    const flags = overrides.map((one) => `-c '${one}'`).join(" ")
    fs.writeFileSync(path.join(sandbox.root, "bin", "codex"), `#!/bin/sh\nexec '${codex}' ${flags} "$@"\n`, {
      mode: 0o755
    })
  }
  const recorded = (next: string) =>
    Effect.gen(function* () {
      const said = (document: unknown): ReadonlyArray<ResponseReply> => [{ text: JSON.stringify(document) }]
      const api = yield* startFakeResponsesApi({
        work: [{ text: ending(next) }],
        extract: said({ candidates: [note] }),
        nothing: said({ candidates: [] }),
        broken: said(broken),
        refused: [{ error: { status: 400, message: "no such login" } }]
      })
      const sandbox = yield* makeCodexSandbox(api)
      yield* installLintAi(sandbox)
      assert.deepStrictEqual(yield* trustAll(codex, sandbox), [])
      yield* runCodex(codex, sandbox, { prompt: "scenario:work Which database should the job queue use?" })
      wrapped(sandbox, api.url)
      fs.writeFileSync(path.join(sandbox.project, "AGENTS.md"), private_)
      fs.writeFileSync(path.join(sandbox.codexHome, "AGENTS.md"), private_)
      return { api, sandbox, lintAi: program(sandbox.lintAi, sandbox), before: api.received.length }
    })

  it.live("is stored once it is accepted, and neither the project nor the user's settings took part", () =>
    Effect.gen(function* () {
      const { api, sandbox, lintAi, before } = yield* recorded("extract")
      const sessions = fs.readdirSync(path.join(sandbox.codexHome, "sessions"), { recursive: true })
      const extracted = yield* lintAi.json("extract", "--host", "codex")
      const requests = api.received.slice(before)
      assert.lengthOf(requests, 1)
      assert.deepInclude(requests[0]?.body.text?.format, { type: "json_schema", schema: candidateSchema })
      const text = JSON.stringify(requests[0]?.body)
      assert.include(text, "user: scenario:work Which database should the job queue use?")
      assert.include(text, "You read the record of one finished coding session")
      assert.notInclude(text, private_)
      assert.notInclude(text, sandbox.project)
      // These stay, and none of them reads a text, or writes where the sandbox is read-only.
      const tools = (requests[0]?.body.tools ?? []).map(({ name }) => name ?? "")
      for (const tool of tools) assert.include(["apply_patch", "view_image", "update_plan", "request_user_input"], tool)
      yield* assertAccepted(lintAi, sandbox.project, extracted)
      assert.deepStrictEqual(fs.readdirSync(path.join(sandbox.codexHome, "sessions"), { recursive: true }), sessions)
      assert.lengthOf((yield* lintAi.json("sessions", "list")).document.sessions, 1, "the extraction was not recorded")
    })
  )

  it.live("may find nothing", () =>
    Effect.gen(function* () {
      const { lintAi } = yield* recorded("nothing")
      const extracted = yield* lintAi.json("extract")
      assert.deepInclude(extracted.document, { ok: true, host: "codex", candidates: 0, staged: [] })
    })
  )

  it.live("that fails is told at the next start of a session, once", () =>
    Effect.gen(function* () {
      const { sandbox, lintAi } = yield* recorded("refused")
      const failed = yield* lintAi.json("extract")
      assert.deepInclude(failed.document.error, {
        tag: "ExtractionFailed",
        reason: "extractor-failed",
        host: "codex",
        code: 1
      })
      const { systemMessage } = JSON.parse(yield* lintAi.hook("codex", hookStart(sandbox.project)))
      assert.include(systemMessage, "could NOT extract memories from codex:")
      assert.strictEqual(yield* lintAi.hook("codex", { ...hookStart(sandbox.project), session_id: "third" }), "")
    })
  )

  it.live("with an answer that breaks the schema gives nothing", () =>
    Effect.gen(function* () {
      const { lintAi } = yield* recorded("broken")
      const failed = yield* lintAi.json("extract")
      assert.deepInclude(failed.document.error, { tag: "ExtractionFailed", reason: "malformed-output", code: 0 })
      assert.deepStrictEqual((yield* lintAi.json("extract", "review")).document, { candidates: [] })
    })
  )

  it.live("can be made from a session of another agent", () =>
    Effect.gen(function* () {
      const { sandbox, lintAi } = yield* recorded("extract")
      yield* run({
        command: sandbox.lintAi,
        args: ["install", "claude", sandbox.project, "--yes", "--session-recording", "capture-only"],
        cwd: sandbox.project,
        env: sandbox.env
      })
      const session = { session_id: "11111111-aaaa", cwd: sandbox.project }
      yield* lintAi.hook("claude", { ...hookStart(sandbox.project), ...session })
      yield* lintAi.hook("claude", {
        ...session,
        hook_event_name: "UserPromptSubmit",
        prompt_id: "p",
        prompt: `The job queue? ${ending("extract")}`
      })
      const extracted = yield* lintAi.json("extract", "claude:11111111-aaaa", "--host", "codex")
      assert.deepInclude(extracted.document, {
        ok: true,
        host: "codex",
        session_id: "claude:11111111-aaaa",
        candidates: 1
      })
    })
  )
})
