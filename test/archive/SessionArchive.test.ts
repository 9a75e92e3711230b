import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { ArchivePolicy } from "../../src/archive/ArchivePolicy.ts"
import { readAnchor } from "../../src/archive/anchor.ts"
import { emptyChecksum, runningChecksum } from "../../src/archive/chain.ts"
import { readChecksums } from "../../src/archive/checksums.ts"
import { readEvents } from "../../src/archive/readArchive.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../../src/domain/event.ts"
import { SessionId } from "../../src/domain/sessionId.ts"
import { answered, append, called, ended, eventOf, filesOf, prompt, session, started } from "../support/events.ts"
import { faultyDisk } from "../support/faultyDisk.ts"
import { machineOf, manifestOf, newUser, strictEvents, type TestUser } from "../support/recording.ts"

const kinds = (user: TestUser, id = session) => strictEvents(filesOf(user, id).events).map((event) => event.kind)
const manifest = (user: TestUser, id = session) => manifestOf(filesOf(user, id).manifest)
const isContiguous = (events: ReadonlyArray<ArchivedEvent>) =>
  events.every((event, index) => event.sequence === index + 1)
const modeOf = (path: string) => fs.statSync(path).mode & 0o777
const findings = (user: TestUser): ReadonlyArray<{ readonly problem: string; readonly detail?: string }> =>
  fs.existsSync(filesOf(user).recovery) ? JSON.parse(fs.readFileSync(filesOf(user).recovery, "utf8")).findings : []

/** A test with a user of its own, and the services of the user's machine. */
const test = (
  name: string,
  body: (user: TestUser) => Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof machineOf>>>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* body(user).pipe(Effect.provide(machineOf(user)))
    })
  )

describe("an archive", () => {
  test("begins with its first events, for its owner alone", (user) =>
    Effect.gen(function* () {
      const result = yield* append(user, [started(), prompt("p")])
      assert.deepInclude(result, { _tag: "Appended", outcome: { appended: 2, duplicates: 0, dropped: 0 } })
      const files = filesOf(user)
      assert.deepStrictEqual(kinds(user), ["session_start", "user_prompt"])
      assert.deepInclude(manifest(user), {
        session_id: session,
        status: "active",
        started_at: "2026-08-16T12:00:00.000Z",
        ended_at: null,
        event_count: 2,
        byte_count: fs.statSync(files.events).size
      })
      for (const directory of [sessionsRoot(user.project, "claude"), files.directory]) {
        assert.strictEqual(modeOf(directory), 0o700)
      }
      for (const name of fs.readdirSync(files.directory)) {
        assert.strictEqual(modeOf(`${files.directory}/${name}`), 0o600, name)
      }
      assert.isFalse(fs.existsSync(files.lock))
    }))

  test("does not begin with an event that opens none", (user) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* append(user, [ended()], { opens: false }), { _tag: "NotOpened" })
      assert.deepStrictEqual(fs.readdirSync(user.project), [])
      yield* append(user, [started()])
      assert.deepInclude(yield* append(user, [ended()], { opens: false }), { _tag: "Appended" })
    }))

  test("adds up in its manifest what retrieval took, from what was injected", (user) =>
    Effect.gen(function* () {
      const injected = (id: string, milliseconds: number) =>
        eventOf("context_injected", id, { record_ids: [id], bytes: 10, milliseconds })
      yield* append(user, [started(), injected("a", 4)])
      yield* append(user, [injected("b", 10), injected("b", 10)])
      assert.deepStrictEqual(manifest(user).timing?.retrieval, { count: 2, total: 14, max: 10 })
    }))

  test("keeps a payload without ids again only when others lie between", (user) =>
    Effect.gen(function* () {
      const asked = eventOf("provider_event", "asked", { name: "PermissionRequest" }, { scope: "recent" })
      yield* append(user, [asked, asked])
      yield* append(user, [asked])
      assert.deepStrictEqual(kinds(user), ["provider_event"])
      yield* append(
        user,
        "abcdefgh".split("").map((turn) => prompt(turn))
      )
      yield* append(user, [asked, asked])
      const ids = strictEvents(filesOf(user).events).map((event) => event.event_id)
      assert.strictEqual(ids.length, 10)
      assert.strictEqual(new Set(ids).size, 10)
    }))

  test("keeps a delivery that comes twice once, and equal texts of two turns twice", (user) =>
    Effect.gen(function* () {
      yield* append(user, [prompt("turn 1", "go on"), prompt("turn 1", "go on")])
      const again = yield* append(user, [prompt("turn 1", "go on"), prompt("turn 2", "go on")])
      assert.deepInclude(again, { outcome: { appended: 1, duplicates: 1, dropped: 0 } })
      assert.deepStrictEqual(kinds(user), ["user_prompt", "user_prompt"])
    }))

  test("takes an end right after an end for a retry, whatever its reason", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started(), ended("a", "exit")])
      yield* append(user, [ended("b", "other")])
      yield* append(user, [ended("c", "logout")])
      assert.deepStrictEqual(kinds(user), ["session_start", "session_end"])
      assert.deepInclude(manifest(user), { status: "completed", end_reason: "exit" })
    }))

  test("stays completed when an event comes late", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started(), ended()])
      yield* append(user, [answered("late")])
      assert.deepStrictEqual(kinds(user), ["session_start", "session_end", "assistant_message"])
      assert.deepInclude(manifest(user), { status: "completed", event_count: 3 })
    }))

  test("goes on when its session is resumed: active again, then ended again, with sequences that run on", (user) =>
    Effect.gen(function* () {
      const files = filesOf(user)
      yield* append(user, [started(), prompt("p"), ended()])
      const first = yield* readChecksums(files.checksums)
      assert.strictEqual(manifest(user).end_reason, "other")
      yield* append(user, [started()])
      assert.deepInclude(manifest(user), { status: "active", ended_at: null, event_count: 4 })
      assert.isUndefined(manifest(user).end_reason)
      // The same run's start again is the same delivery again.
      yield* append(user, [started()])
      yield* append(user, [ended()])
      assert.deepStrictEqual(kinds(user), [
        "session_start",
        "user_prompt",
        "session_end",
        "session_start",
        "session_end"
      ])
      assert.isTrue(isContiguous(strictEvents(files.events)))
      assert.deepInclude(manifest(user), { status: "completed", event_count: 5 })
      const second = yield* readChecksums(files.checksums)
      assert.notDeepEqual(second, first)
      assert.strictEqual(second?.events.bytes, fs.statSync(files.events).size)
    }))

  test("ends with checksums that anyone can make again", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started(), prompt("é€😀"), ended()])
      const checksums = yield* readChecksums(filesOf(user).checksums)
      const lines = fs.readFileSync(filesOf(user).events, "utf8").split(/(?<=\n)/)
      assert.strictEqual(
        checksums?.events.digest,
        lines.map((line) => Buffer.from(line)).reduce(runningChecksum, emptyChecksum)
      )
    }))

  test("repairs modes that are wider than its own", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      const files = filesOf(user)
      const root = sessionsRoot(user.project, "claude")
      for (const directory of [root, files.directory]) fs.chmodSync(directory, 0o755)
      for (const file of [files.events, files.manifest, files.checkpoint]) fs.chmodSync(file, 0o644)
      yield* append(user, [prompt("p")])
      for (const directory of [root, files.directory]) assert.strictEqual(modeOf(directory), 0o700)
      for (const file of [files.events, files.manifest, files.checkpoint]) assert.strictEqual(modeOf(file), 0o600, file)
    }))

  test("closes with a reason, once", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started(), prompt("p")])
      const { directory } = filesOf(user)
      assert.deepInclude(yield* archive.close(directory, "stopped", "completed"), { status: "completed" })
      yield* archive.close(directory, "again", "incomplete")
      assert.deepStrictEqual(kinds(user), ["session_start", "user_prompt", "session_end"])
      assert.deepInclude(manifest(user), { status: "completed", end_reason: "stopped", event_count: 3 })
      assert.isDefined(yield* readChecksums(filesOf(user).checksums))
    }))

  test("that its agent ended is not closed over, also where the manifest missed that end", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started(), prompt("p")])
      const { directory, manifest: file } = filesOf(user)
      const before = fs.readFileSync(file)
      yield* append(user, [ended("end", "logout")])
      // A writer that was killed after it wrote to the log.
      fs.writeFileSync(file, before)
      assert.isTrue(yield* archive.isUnsettled(directory, manifest(user)))
      const closed = yield* archive.close(directory, "stopped", "incomplete")
      assert.deepInclude(closed, { status: "completed", end_reason: "logout" })
      assert.deepInclude(manifest(user), { status: "completed", end_reason: "logout", event_count: 3 })
      assert.isFalse(yield* archive.isUnsettled(directory, manifest(user)))
    }))

  test("that is removed leaves nothing but a tombstone among the anchors", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started(), ended()])
      const log = { sessionId: session, startedAt: manifest(user).started_at }
      assert.strictEqual((yield* readAnchor(log))?.count, 2)
      yield* archive.remove(filesOf(user).directory)
      assert.isFalse(fs.existsSync(filesOf(user).directory))
      assert.deepInclude(yield* readAnchor(log), { count: 2, deleted_by: "delete" })
    }))
})

describe("an archive that reaches its bound", () => {
  test("says so once, counts what follows and still takes its end", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      for (let n = 0; n < 20; n++) yield* append(user, [prompt(`p${n}`, "x".repeat(300))])
      yield* append(user, [ended()])
      const events = strictEvents(filesOf(user).events)
      const bounds = events.filter((event) => event.kind === "provider_event")
      assert.deepStrictEqual(
        bounds.map((event) => event.payload),
        [{ name: "session_bound", fields: { max_bytes: 4096 } }]
      )
      assert.deepStrictEqual(
        events.slice(-2).map((event) => event.kind),
        ["provider_event", "session_end"]
      )
      assert.isTrue(isContiguous(events))
      const kept = events.filter((event) => event.kind === "user_prompt").length
      assert.isAbove(kept, 1)
      assert.deepInclude(manifest(user), { status: "completed", event_count: kept + 3, dropped_count: 20 - kept })
    }).pipe(Effect.provideService(ArchivePolicy, { maxBytes: 4096, durability: "process" })))

  test("stays full when it is read from its beginning", (user) =>
    Effect.gen(function* () {
      for (let n = 0; n < 8; n++) yield* append(user, [prompt(`p${n}`, "x".repeat(300))])
      const size = fs.statSync(filesOf(user).events).size
      fs.rmSync(filesOf(user).checkpoint)
      const result = yield* append(user, [prompt("late", "short")])
      assert.deepInclude(result, { outcome: { appended: 0, duplicates: 0, dropped: 1 } })
      assert.strictEqual(fs.statSync(filesOf(user).events).size, size)
    }).pipe(Effect.provideService(ArchivePolicy, { maxBytes: 2048, durability: "process" })))
})

describe("the version of an agent", () => {
  const begun = (name: string, version: string) =>
    eventOf("session_start", name, { source: "startup", agent_version: version }, { scope: "run" })

  test("is in the manifest where the beginning tells it, also in one that was made again", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [begun("one", "0.171.0"), prompt("p"), ended()])
      assert.deepInclude(manifest(user), { provider_version: "0.171.0", status: "completed" })
      yield* append(user, [begun("two", "0.172.0")])
      assert.deepInclude(manifest(user), { provider_version: "0.172.0", status: "active" })
      fs.rmSync(filesOf(user).manifest)
      yield* archive.recover(filesOf(user).directory)
      assert.deepInclude(manifest(user), { provider_version: "0.172.0", status: "active" })
    }))
})

describe("a frozen archive", () => {
  test("never changes: a session that goes on opens a continuation, and that one another", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started(), prompt("p"), ended()])
      const files = filesOf(user)
      const bytesOf = () =>
        Object.fromEntries(
          fs.readdirSync(files.directory).map((name) => [name, fs.readFileSync(`${files.directory}/${name}`, "latin1")])
        )
      const before = bytesOf()
      yield* archive.freeze(files.directory)
      yield* append(user, [started(), prompt("q"), ended()])
      assert.deepStrictEqual(bytesOf(), before)
      const second = SessionId.make(`${session}+2`)
      assert.deepStrictEqual(kinds(user, second), ["session_start", "user_prompt", "session_end"])
      assert.deepInclude(manifest(user, second), { session_id: second, continues_session_id: session })

      yield* archive.freeze(filesOf(user, second).directory)
      yield* append(user, [started()])
      const third = SessionId.make(`${session}+3`)
      assert.deepInclude(manifest(user, third), { session_id: third, continues_session_id: second })
      assert.deepStrictEqual(bytesOf(), before)
    }))

  test("is not closed, recovered or repaired either", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started(), prompt("p")])
      const { directory, events } = filesOf(user)
      yield* archive.freeze(directory)
      const before = fs.readFileSync(events)
      for (const change of [archive.close(directory, "stopped", "completed"), archive.recover(directory)]) {
        assert.deepInclude(yield* Effect.flip(change as Effect.Effect<unknown, unknown>), { _tag: "FrozenArchive" })
      }
      assert.deepStrictEqual(fs.readFileSync(events), before)
      assert.deepInclude(manifest(user), { status: "active" })
    }))
})

describe("the checkpoint of a log", () => {
  const others: ReadonlyArray<
    readonly [what: string, change: (checkpoint: string, older: string) => string | undefined]
  > = [
    ["is gone", () => undefined],
    ["is empty", () => ""],
    ["is no JSON", (text) => text.slice(0, 40)],
    ["is older than the log", (_, older) => older],
    ["names a place beyond the log", (text) => edited(text, { offset: 10_000_000 })],
    ["names a place inside an event", (text) => edited(text, { offset: 100 })],
    ["names the beginning", (text) => edited(text, { offset: 0 })],
    ["has another head", (text) => edited(text, { head: "0".repeat(64) })],
    ["has another sequence", (text) => edited(text, { sequence: 99 })],
    ["has other counters", (text) => edited(text, { event_count: 1, redaction_count: 7, terminal_count: 3 })],
    ["says that the log is full", (text) => edited(text, { full: true })],
    ["says that the session has ended", (text) => edited(text, { last_kind: "session_end" })],
    ["has forgotten the last ids", (text) => edited(text, { recent_ids: [] })],
    ["has another checksum", (text) => edited(text, { checksum: "1".repeat(64) })]
  ]
  const edited = (text: string, changes: Record<string, unknown>): string => {
    const checkpoint = JSON.parse(text)
    return JSON.stringify({ ...checkpoint, state: { ...checkpoint.state, ...changes } })
  }

  for (const [what, change] of others) {
    test(`that ${what} makes no difference to what is appended`, (user) =>
      Effect.gen(function* () {
        const { checkpoint, events, checksums } = filesOf(user)
        yield* append(user, [started(), prompt("p")])
        const older = fs.readFileSync(checkpoint, "utf8")
        yield* append(user, [prompt("q"), called("c")])
        const changed = change(fs.readFileSync(checkpoint, "utf8"), older)
        if (changed === undefined) fs.rmSync(checkpoint)
        else fs.writeFileSync(checkpoint, changed)

        const result = yield* append(user, [called("c"), prompt("r"), ended()])
        assert.deepInclude(result, { outcome: { appended: 2, duplicates: 1, dropped: 0 } })
        const all = strictEvents(events)
        assert.isTrue(isContiguous(all))
        assert.strictEqual(all.length, 6)
        assert.deepInclude(manifest(user), { status: "completed", event_count: 6, redaction_count: 0 })
        const lines = fs.readFileSync(events, "utf8").split(/(?<=\n)/)
        const digest = lines.map((line) => Buffer.from(line)).reduce(runningChecksum, emptyChecksum)
        assert.strictEqual((yield* readChecksums(checksums))?.events.digest, digest)
      }))
  }
})

describe("a log that lost its end", () => {
  test("goes on after any cut in its last events, with every whole event kept", (user) =>
    Effect.gen(function* () {
      const files = filesOf(user)
      yield* append(user, [started(), prompt("p")])
      const kept = fs.statSync(files.events).size
      yield* append(user, [prompt('é€😀 { } " \\ q'), called("c")])
      const whole = fs.readFileSync(files.events)
      const original = strictEvents(files.events)
      const checkpoint = fs.readFileSync(files.checkpoint)
      const lines = whole.toString("latin1").split(/(?<=\n)/)
      for (let cut = kept; cut <= whole.length; cut++) {
        fs.writeFileSync(files.events, whole.subarray(0, cut))
        fs.writeFileSync(files.checkpoint, checkpoint)
        // Without its anchor nobody knows that there was more.
        fs.rmSync(`${user.state}/anchors`, { recursive: true })
        yield* append(user, [answered("a")])
        const left = whole.subarray(0, cut).toString("latin1")
        const complete = lines.slice(0, 4).filter((_, index) =>
          left.includes(
            lines
              .slice(0, index + 1)
              .join("")
              .slice(0, -1)
          )
        )
        const after = strictEvents(files.events)
        assert.deepStrictEqual(after.slice(0, -1), original.slice(0, complete.length), `cut at ${cut}`)
        assert.isTrue(isContiguous(after), `cut at ${cut}`)
        assert.strictEqual(after.at(-1)?.kind, "assistant_message")
        assert.strictEqual(manifest(user).event_count, after.length)
      }
    }))

  test("keeps what was cut of a torn event in recovery.json", (user) =>
    Effect.gen(function* () {
      const { events, recovery } = filesOf(user)
      yield* append(user, [started()])
      fs.appendFileSync(events, '{"schema_version":1,"sequence":2,"event_')
      yield* append(user, [prompt("p")])
      assert.deepStrictEqual(kinds(user), ["session_start", "user_prompt"])
      const [finding] = JSON.parse(fs.readFileSync(recovery, "utf8")).findings
      assert.deepInclude(finding, { problem: "torn-tail", length: 40 })
      assert.strictEqual(Buffer.from(finding.bytes, "base64").toString(), '{"schema_version":1,"sequence":2,"event_')
    }))

  const losses: ReadonlyArray<readonly [what: string, lose: (user: TestUser, early: Record<string, Buffer>) => void]> =
    [
      [
        "was cut",
        (user) => fs.truncateSync(filesOf(user).events, fs.readFileSync(filesOf(user).events).indexOf("\n") + 1)
      ],
      ["was emptied", (user) => fs.truncateSync(filesOf(user).events, 0)],
      ["was deleted", (user) => fs.rmSync(filesOf(user).events)],
      [
        "was put back to an older copy, with all that lies beside it",
        (user, early) => {
          const { directory } = filesOf(user)
          for (const name of fs.readdirSync(directory)) fs.rmSync(`${directory}/${name}`)
          for (const [name, bytes] of Object.entries(early)) fs.writeFileSync(`${directory}/${name}`, bytes)
        }
      ]
    ]
  for (const [what, lose] of losses) {
    test(`because it ${what} goes on behind the gap that the anchor knows of`, (user) =>
      Effect.gen(function* () {
        const { directory, events } = filesOf(user)
        yield* append(user, [started()])
        const early = Object.fromEntries(
          fs.readdirSync(directory).map((name) => [name, fs.readFileSync(`${directory}/${name}`)])
        )
        yield* append(user, [prompt("p"), called("c")])
        lose(user, early)
        yield* append(user, [answered("a")])
        yield* append(user, [answered("b")])
        assert.deepStrictEqual(
          strictEvents(events)
            .map((event) => event.sequence)
            .slice(-3),
          [4, 5, 6]
        )
        assert.include(
          findings(user).map((finding) => finding.problem),
          "missing-tail"
        )
        assert.strictEqual((yield* readAnchor({ sessionId: session, startedAt: manifest(user).started_at }))?.count, 6)
      }))
  }
})

describe("a manifest that is gone", () => {
  for (const [what, change] of [
    ["deleted", (file: string) => fs.rmSync(file)],
    ["emptied", (file: string) => fs.writeFileSync(file, "")],
    ["overwritten", (file: string) => fs.writeFileSync(file, '{"schema_version":1}')]
  ] as const) {
    test(`because it was ${what} is made again from the log`, (user) =>
      Effect.gen(function* () {
        yield* append(user, [started(), prompt("p")])
        change(filesOf(user).manifest)
        yield* append(user, [ended()])
        assert.deepInclude(manifest(user), {
          session_id: session,
          started_at: "2026-08-16T12:00:00.000Z",
          status: "completed",
          event_count: 3
        })
        assert.deepStrictEqual(
          findings(user).map((finding) => finding.problem),
          ["manifest"]
        )
        assert.isTrue(isContiguous(strictEvents(filesOf(user).events)))
      }))
  }
})

describe("recovery", () => {
  test("notes what is wrong with its place, keeps every valid event and changes no byte of the log", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      const { directory, events } = filesOf(user)
      yield* append(user, [started(), prompt("p"), prompt("q"), ended()])
      const [a = "", b = "", c = "", d = ""] = fs.readFileSync(events, "latin1").split(/(?<=\n)/)
      const damaged = `${a}torn {"schema\n\u0000\u0000\n${c}${b}${b.slice(0, -1)}${d}`
      fs.writeFileSync(events, damaged, "latin1")
      const report = yield* archive.recover(directory)
      assert.strictEqual(fs.readFileSync(events, "latin1"), damaged)
      assert.strictEqual(report.event_count, 5)
      assert.deepStrictEqual(
        new Set(report.findings.map((finding) => finding.problem)),
        new Set(["malformed", "nul", "order", "glued"])
      )
      assert.strictEqual(report.findings.find((finding) => finding.problem === "malformed")?.offset, a.length)
      // The second time nothing new is found.
      assert.deepStrictEqual((yield* archive.recover(directory)).findings, report.findings)
      assert.deepInclude(manifest(user), { event_count: 5, status: "completed" })
    }))

  test("of a log that was not ended leaves it active, and makes its bookkeeping again", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      const files = filesOf(user)
      yield* append(user, [started(), prompt("p")])
      for (const file of [files.checkpoint, files.manifest]) fs.rmSync(file)
      const report = yield* archive.recover(files.directory)
      assert.deepInclude(report, { event_count: 2, status: "active", drained: 0 })
      assert.deepInclude(manifest(user), { session_id: session, event_count: 2, project_root: user.project })
      assert.isTrue(fs.existsSync(files.checkpoint))
    }))

  test("of what is no archive says so", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      for (const directory of [`${user.project}/nothing`, user.project]) {
        assert.deepInclude(yield* Effect.flip(archive.recover(directory)), { _tag: "NoArchive" })
      }
      assert.deepStrictEqual(fs.readdirSync(user.project), [])
    }))
})

describe("a disk that fails", () => {
  const withFault = (user: TestUser, fault: Parameters<typeof faultyDisk>[0]) =>
    Effect.provide(machineOf(user, { disk: faultyDisk(fault) }))

  for (const code of ["ENOSPC", "EIO", "EROFS", "EDQUOT"]) {
    it.live(`with ${code} at the log stores nothing, says so, and leaves no half event behind`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* append(user, [started()]).pipe(Effect.provide(machineOf(user)))
        const { events, lock } = filesOf(user)
        const before = fs.readFileSync(events)
        const error = yield* append(user, [prompt("p")]).pipe(
          withFault(user, ({ operation, path }) => (operation === "write" && path === events ? code : undefined)),
          Effect.flip
        )
        assert.deepInclude(error, { _tag: "DiskError", operation: "write", code })
        assert.deepStrictEqual(fs.readFileSync(events), before)
        assert.isFalse(fs.existsSync(lock))
        yield* append(user, [prompt("p")]).pipe(Effect.provide(machineOf(user)))
        assert.deepStrictEqual(kinds(user), ["session_start", "user_prompt"])
      })
    )
  }

  it.live("that cannot even cut off the half of an event leaves it for the next writer to mend", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* append(user, [started()]).pipe(Effect.provide(machineOf(user)))
      const { events } = filesOf(user)
      const size = fs.statSync(events).size
      yield* append(user, [prompt("p")]).pipe(
        withFault(user, ({ operation, path }) =>
          path !== events ? undefined : operation === "write" ? "ENOSPC" : operation === "truncate" ? "EIO" : undefined
        ),
        Effect.flip
      )
      assert.isAbove(fs.statSync(events).size, size)
      yield* append(user, [prompt("p")]).pipe(Effect.provide(machineOf(user)))
      assert.deepStrictEqual(kinds(user), ["session_start", "user_prompt"])
    })
  )

  for (const part of ["checkpoint.json", "manifest.json", "checksums.json", "anchors"]) {
    for (const code of ["ENOSPC", "EIO"]) {
      it.live(`with ${code} at ${part} still stores the event, and warns`, () =>
        Effect.gen(function* () {
          const user = yield* newUser
          yield* append(user, [started()]).pipe(Effect.provide(machineOf(user)))
          const result = yield* append(user, [prompt("p"), ended()]).pipe(
            withFault(user, ({ operation, path }) => (operation === "write" && path.includes(part) ? code : undefined))
          )
          assert.strictEqual(result._tag, "Appended")
          if (result._tag === "Appended")
            assert.deepStrictEqual(
              result.warnings.map((warning) => warning.code),
              [code]
            )
          assert.deepStrictEqual(kinds(user), ["session_start", "user_prompt", "session_end"])
          // The next writer makes again what is missing.
          yield* append(user, [answered("late")]).pipe(Effect.provide(machineOf(user)))
          assert.deepInclude(manifest(user), { status: "completed", event_count: 4 })
          assert.isTrue(isContiguous(strictEvents(filesOf(user).events)))
          assert.deepStrictEqual(
            fs.readdirSync(filesOf(user).directory).filter((name) => name.endsWith(".tmp")),
            []
          )
        })
      )
    }
  }
})

describe("a reader", () => {
  test("changes nothing in an archive, whatever is wrong with it", (user) =>
    Effect.gen(function* () {
      const files = filesOf(user)
      yield* append(user, [started(), prompt("p")])
      fs.appendFileSync(files.events, "torn")
      fs.rmSync(files.checkpoint)
      const names = fs.readdirSync(files.directory)
      const bytes = fs.readFileSync(files.events)
      const found: Array<string> = []
      yield* readEvents(files.directory, manifest(user), {
        record: (record) => found.push(record._tag === "Event" ? record.event.kind : record.problem)
      })
      assert.deepStrictEqual(found, ["session_start", "user_prompt", "torn-tail"])
      assert.deepStrictEqual(fs.readdirSync(files.directory), names)
      assert.deepStrictEqual(fs.readFileSync(files.events), bytes)
    }))
})

describe("the transcript of a session", () => {
  test("is read from where the last reading ended, and what it gave stands before an end", (user) =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const usage = (name: string, offset: number) =>
        eventOf("turn_usage", name, {
          source: "claude-transcript",
          messages: [{ message_id: name, output_tokens: 10 }],
          cursors: [{ file: "t.jsonl", offset }]
        })
      const reading = (name: string, offset: number) => ({
        transcript: ({ cursors }: { readonly cursors: ReadonlyArray<{ readonly offset: number }> }) =>
          Effect.sync(() => {
            asked.push(cursors[0]?.offset ?? 0)
            return [usage(name, offset)]
          })
      })
      yield* append(user, [answered("a")], reading("m1", 100))
      fs.rmSync(filesOf(user).checkpoint)
      yield* append(user, [ended()], reading("m2", 250))
      assert.deepStrictEqual(asked, [0, 100])
      assert.deepStrictEqual(kinds(user), ["assistant_message", "turn_usage", "turn_usage", "session_end"])
      assert.deepStrictEqual(manifest(user).usage, { "claude-transcript": { output_tokens: 20 } })
    }))
})
