import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import {
  claudeArchive,
  compiledHook,
  diagnosticsOf,
  nodeHook,
  recordingUser,
  runHook,
  strictEvents,
  type TestUser
} from "../support/recording.ts"

const programs = [
  ["the compiled hook", compiledHook],
  ["the hook's Node bundle", nodeHook]
] as const

const payload = (user: TestUser, more: Record<string, unknown> = {}) => ({
  session_id: "s",
  hook_event_name: "UserPromptSubmit",
  cwd: user.project,
  prompt_id: "p",
  prompt: "hello",
  ...more
})

const prompts = (user: TestUser): ReadonlyArray<string> =>
  strictEvents(claudeArchive(user, "s").events).map((event) =>
    event.kind === "user_prompt" ? event.payload.text : event.kind
  )
const tags = (user: TestUser) => diagnosticsOf(user).map(({ tag, detail }) => [tag, detail])
const isUntouched = (user: TestUser) => !fs.existsSync(path.dirname(claudeArchive(user, "s").directory))

interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Whether a write to its stdin failed. */
  readonly brokenPipe: boolean
}

/** A hook whose stdin the test writes piece by piece. */
const start = (program: ReadonlyArray<string>, user: TestUser, env: Record<string, string> = {}) => {
  const [command = "", ...args] = program
  const child = spawn(command, [...args, "hook", "claude"], { cwd: user.project, env: { ...user.env, ...env } })
  let stdout = ""
  let stderr = ""
  let brokenPipe = false
  child.stdout.on("data", (text) => {
    stdout += text
  })
  child.stderr.on("data", (text) => {
    stderr += text
  })
  child.stdin.on("error", () => {
    brokenPipe = true
  })
  const ended = Effect.callback<Ended>((resume) => {
    child.on("close", (exitCode) => resume(Effect.succeed({ exitCode, stdout, stderr, brokenPipe })))
  })
  return { child, ended }
}

/** The hook with a pipe as its stdin, as a shell gives it one; what this process calls a pipe is a socket. Gives the end to write to. */
const startOnPipe = (program: ReadonlyArray<string>, user: TestUser, env: Record<string, string> = {}) => {
  const file = path.join(user.directory, "pipe")
  assert.strictEqual(spawnSync("mkfifo", [file]).status, 0)
  // Opened for both first: then neither of the other two waits for its counterpart.
  const both = fs.openSync(file, fs.constants.O_RDWR)
  const read = fs.openSync(file, fs.constants.O_RDONLY)
  const write = fs.openSync(file, fs.constants.O_WRONLY)
  fs.closeSync(both)
  const [command = "", ...args] = program
  const child = spawn(command, [...args, "hook", "claude"], {
    cwd: user.project,
    env: { ...user.env, ...env },
    stdio: [read, "inherit", "inherit"]
  })
  fs.closeSync(read)
  const ended = Effect.callback<number | null>((resume) => {
    child.on("close", (exitCode) => resume(Effect.succeed(exitCode)))
  })
  return { write, ended }
}

const silent = { exitCode: 0, stdout: "", stderr: "", brokenPipe: false }

for (const [name, programOf] of programs) {
  const program = () => programOf(inject("builtProgram"))
  const test = (sentence: string, body: (user: TestUser) => Effect.Effect<unknown, unknown>) =>
    it.live(sentence, () => Effect.flatMap(recordingUser, body))

  describe(`the stdin of ${name}`, () => {
    test("that is empty is no payload", (user) =>
      Effect.sync(() => {
        const end = runHook(program(), user, "")
        assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "", ""])
        assert.deepStrictEqual(tags(user), [["NoPayload", "stdin was empty"]])
        assert.isTrue(isUntouched(user))
      }))

    for (const [what, text] of [
      ["no JSON", "hello, I am no JSON secret-word"],
      ["half of a JSON text", '{"session_id":"s","hook_event_name":"Stop","secret-word'],
      ["more than one JSON text", "{}{} secret-word"],
      ["NUL bytes", "\u0000\u0000"]
    ] as const) {
      test(`that is ${what} is told by its size alone`, (user) =>
        Effect.sync(() => {
          const end = runHook(program(), user, text)
          assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "", ""])
          assert.deepStrictEqual(tags(user), [["PayloadNotJson", `${Buffer.byteLength(text)} bytes that are no JSON`]])
          assert.isTrue(isUntouched(user))
          assert.notInclude(JSON.stringify(diagnosticsOf(user)), "secret-word")
        }))
    }

    for (const [what, value] of [
      ["null", null],
      ["a text", "secret-word"],
      ["an array", [{ session_id: "secret-word" }]],
      ["an object without an event", { session_id: "s", prompt: "secret-word" }],
      ["an object whose event is a number", { session_id: "s", hook_event_name: 7 }]
    ] as const) {
      test(`that is ${what} is told to be invalid, without what was in it`, (user) =>
        Effect.sync(() => {
          const end = runHook(program(), user, JSON.stringify(value))
          assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "", ""])
          assert.deepStrictEqual(
            tags(user).map(([tag]) => tag),
            ["PayloadInvalid"]
          )
          assert.isTrue(isUntouched(user))
          assert.notInclude(JSON.stringify(diagnosticsOf(user)), "secret-word")
        }))
    }

    test("that is held open after a whole payload is not waited for", (user) =>
      Effect.gen(function* () {
        const { child, ended } = start(program(), user)
        child.stdin.write(JSON.stringify(payload(user)))
        assert.deepStrictEqual(yield* ended, silent)
        assert.deepStrictEqual(prompts(user), ["hello"])
        assert.deepStrictEqual(tags(user), [])
      }))

    test("whose payload begins late is waited for", (user) =>
      Effect.gen(function* () {
        const { child, ended } = start(program(), user, { LINT_AI_HOOK_TIMEOUT_MS: "30000" })
        // Longer than a writer may fall silent after its payload.
        yield* Effect.sleep("600 millis")
        child.stdin.end(JSON.stringify(payload(user)))
        assert.deepStrictEqual(yield* ended, silent)
        assert.deepStrictEqual(prompts(user), ["hello"])
      }))

    test("that is held open in the middle of a payload is given up at the deadline, and not before", (user) =>
      Effect.gen(function* () {
        const { child, ended } = start(program(), user, { LINT_AI_HOOK_TIMEOUT_MS: "1000" })
        child.stdin.write(JSON.stringify(payload(user)).slice(0, 40))
        assert.deepStrictEqual(yield* ended, silent)
        assert.deepStrictEqual(tags(user), [["DeadlineExceeded", "the time budget of 1000 ms ended during stdin"]])
        assert.isTrue(isUntouched(user))
      }))

    test("that is held open with nothing in it is given up at the deadline", (user) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* start(program(), user, { LINT_AI_HOOK_TIMEOUT_MS: "500" }).ended, silent)
        assert.deepStrictEqual(tags(user), [["NoPayload", "stdin was held open without a payload"]])
      }))

    test("that never falls silent and never ends is given up at the deadline", (user) =>
      Effect.gen(function* () {
        const { child, ended } = start(program(), user, { LINT_AI_HOOK_TIMEOUT_MS: "400" })
        const drip = setInterval(() => child.stdin.write(" "), 20)
        const end = yield* ended
        clearInterval(drip)
        assert.deepStrictEqual([end.exitCode, end.stdout, end.stderr], [0, "", ""])
        assert.deepStrictEqual(tags(user), [["DeadlineExceeded", "the time budget of 400 ms ended during stdin"]])
      }))

    test("that comes in pieces, each a byte of a character, is put together", (user) =>
      Effect.gen(function* () {
        const { child, ended } = start(program(), user)
        for (const byte of Buffer.from(JSON.stringify(payload(user, { prompt: "é€😀" })))) {
          yield* Effect.callback<void>((resume) => {
            child.stdin.write(Buffer.from([byte]), () => resume(Effect.void))
          })
        }
        child.stdin.end()
        assert.deepStrictEqual(yield* ended, silent)
        assert.deepStrictEqual(prompts(user), ["é€😀"])
      }))

    test("that is a pipe which does not block is read", (user) =>
      Effect.sync(() => {
        // The shell's child shares the pipe; O_NONBLOCK belongs to the pipe, so that the hook's read(2) gives EAGAIN until something comes.
        const script = `import os,sys,subprocess,time
r,w=os.pipe()
os.set_blocking(r,False)
p=subprocess.Popen(sys.argv[1:],stdin=r)
os.close(r)
data=sys.stdin.buffer.read()
half=len(data)//2
os.write(w,data[:half])
time.sleep(0.05)
os.write(w,data[half:])
os.close(w)
sys.exit(p.wait())`
        const end = spawnSync("python3", ["-c", script, ...program(), "hook", "claude"], {
          cwd: user.project,
          env: { ...process.env, ...user.env },
          input: JSON.stringify(payload(user)),
          encoding: "utf8"
        })
        assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "", ""])
        assert.deepStrictEqual(prompts(user), ["hello"])
      }))

    test("that is a pipe held open after a whole payload is not waited for", (user) =>
      Effect.gen(function* () {
        const { write, ended } = startOnPipe(program(), user)
        fs.writeSync(write, JSON.stringify(payload(user)))
        assert.strictEqual(yield* ended, 0)
        fs.closeSync(write)
        assert.deepStrictEqual(prompts(user), ["hello"])
        assert.deepStrictEqual(tags(user), [])
      }))

    test("that is a pipe held open in the middle of a payload is given up at the deadline", (user) =>
      Effect.gen(function* () {
        const { write, ended } = startOnPipe(program(), user, { LINT_AI_HOOK_TIMEOUT_MS: "1000" })
        fs.writeSync(write, JSON.stringify(payload(user)).slice(0, 40))
        assert.strictEqual(yield* ended, 0)
        fs.closeSync(write)
        assert.deepStrictEqual(tags(user), [["DeadlineExceeded", "the time budget of 1000 ms ended during stdin"]])
        assert.isTrue(isUntouched(user))
      }))

    test("that is a pipe which is filled many times is read to its end", (user) =>
      Effect.gen(function* () {
        const { write, ended } = startOnPipe(program(), user)
        const prompt = "many words ".repeat(600_000)
        fs.createWriteStream("", { fd: write }).end(JSON.stringify(payload(user, { prompt })))
        assert.strictEqual(yield* ended, 0)
        const [kept = ""] = prompts(user)
        assert.isTrue(kept.startsWith("many words many words"))
        assert.deepStrictEqual(tags(user), [])
      }))

    test("that is a socket is read", (user) =>
      Effect.gen(function* () {
        const [command = "", ...args] = program()
        const address = path.join(user.directory, "socket")
        const server = net.createServer()
        yield* Effect.callback<void>((resume) => {
          server.listen(address, () => resume(Effect.void))
        })
        const accepted = Effect.callback<net.Socket>((resume) => {
          server.once("connection", (socket) => resume(Effect.succeed(socket)))
        })
        const client = net.connect(address)
        const socket = yield* accepted
        const child = spawn(command, [...args, "hook", "claude"], {
          cwd: user.project,
          env: user.env,
          stdio: [client, "pipe", "pipe"]
        })
        const ended = Effect.callback<number | null>((resume) => {
          child.on("close", (code) => resume(Effect.succeed(code)))
        })
        client.destroy()
        socket.end(JSON.stringify(payload(user)))
        assert.strictEqual(yield* ended, 0)
        server.close()
        assert.deepStrictEqual(prompts(user), ["hello"])
      }))

    test("that is a file is read, and one that is closed is none", (user) =>
      Effect.sync(() => {
        const file = path.join(user.directory, "payload.json")
        fs.writeFileSync(file, JSON.stringify(payload(user)))
        const shell = (redirect: string) =>
          spawnSync("/bin/sh", ["-c", `"$@" ${redirect}`, "sh", ...program(), "hook", "claude"], {
            cwd: user.project,
            env: user.env,
            encoding: "utf8"
          })
        for (const redirect of [`< ${file}`, "<&-", "< /dev/null"]) {
          const end = shell(redirect)
          assert.deepStrictEqual([redirect, end.status, end.stdout, end.stderr], [redirect, 0, "", ""])
        }
        assert.deepStrictEqual(prompts(user), ["hello"])
        assert.deepStrictEqual(
          tags(user).map(([tag]) => tag),
          ["NoPayload", "NoPayload"]
        )
      }))

    test("that cannot be read is no payload", (user) =>
      Effect.sync(() => {
        const [command = "", ...args] = program()
        const directory = fs.openSync(user.directory, "r")
        const { status, stdout, stderr } = spawnSync(command, [...args, "hook", "claude"], {
          cwd: user.project,
          env: user.env,
          stdio: [directory, "pipe", "pipe"],
          encoding: "utf8"
        })
        fs.closeSync(directory)
        assert.deepStrictEqual([status, stdout, stderr], [0, "", ""])
        assert.deepStrictEqual(
          tags(user).map(([tag]) => tag),
          ["NoPayload"]
        )
      }))

    test("of 40 MB is drained to its end; its size and ids are kept", (user) =>
      Effect.gen(function* () {
        runHook(program(), user, payload(user))
        const { child, ended } = start(program(), user)
        const huge = payload(user, {
          hook_event_name: "PostToolUse",
          tool_name: "Read",
          tool_use_id: "toolu_1",
          tool_response: "x".repeat(40 * 1024 * 1024)
        })
        const text = JSON.stringify(huge)
        child.stdin.end(text)
        assert.deepStrictEqual(yield* ended, silent)
        const [, marker] = strictEvents(claudeArchive(user, "s").events)
        assert.deepStrictEqual(marker?.payload, {
          name: "PostToolUse",
          fields: { oversized_bytes: Buffer.byteLength(text) }
        })
        assert.strictEqual(marker?.turn_id, "p")
        assert.deepStrictEqual(marker?.provider_ids, { tool_use_id: "toolu_1" })
        assert.deepStrictEqual(tags(user), [])
      }))
  })
}
