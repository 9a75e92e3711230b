import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chainHash, genesis, seal, unkeyed, unseal } from "../../src/archive/chain.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { type Verdict, verifyArchive } from "../../src/evidence/verify.ts"
import { answered, append, called, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

/** Somebody who may write in the project, and knows neither the key nor the anchor. */
interface Tampering {
  readonly what: string
  readonly change: (user: TestUser) => void
  readonly verdict: Verdict
  readonly at?: number
}

const linesOf = (user: TestUser): Array<string> => fs.readFileSync(filesOf(user).events, "utf8").split(/(?<=\n)/)
const writeLines = (user: TestUser, lines: ReadonlyArray<string | undefined>) =>
  fs.writeFileSync(filesOf(user).events, lines.join(""))
const lines = (change: (lines: Array<string>) => void) => (user: TestUser) => {
  const all = linesOf(user)
  change(all)
  writeLines(user, all)
}
const json = (file: "manifest" | "checksums", change: (value: Record<string, unknown>) => void) => (user: TestUser) => {
  const value = JSON.parse(fs.readFileSync(filesOf(user)[file], "utf8"))
  change(value)
  fs.writeFileSync(filesOf(user)[file], `${JSON.stringify(value, undefined, 2)}\n`)
}
const replace = (index: number, from: string | RegExp, to: string) =>
  lines((all) => {
    const line = all[index] ?? ""
    const changed = line.replace(from, to)
    assert.notStrictEqual(changed, line)
    all[index] = changed
  })
const anchors = (user: TestUser) => path.join(user.state, "anchors")

/** The whole log again, with its own valid chain under another key. */
const rechained = (user: TestUser): string => {
  const manifest = JSON.parse(fs.readFileSync(filesOf(user).manifest, "utf8"))
  let head = genesis(manifest.session_id, manifest.started_at)
  return linesOf(user)
    .map((line) => {
      const { body = Buffer.alloc(0) } = unseal(Buffer.from(line.trimEnd())) ?? {}
      head = chainHash(unkeyed, head, body)
      return `${seal(body, head)}\n`
    })
    .join("")
}

const tamperings: ReadonlyArray<Tampering> = [
  { what: "nothing", change: () => undefined, verdict: "complete" },

  // One event.
  { what: "a word of an event", change: replace(1, "hello", "jello"), verdict: "broken", at: 2 },
  { what: "a word of the last event", change: replace(4, "other", "logout"), verdict: "broken", at: 5 },
  { what: "a time", change: replace(2, "12:00:00.000Z", "12:00:00.001Z"), verdict: "broken", at: 3 },
  { what: "a sequence", change: replace(2, '"sequence":3', '"sequence":4'), verdict: "broken", at: 3 },
  { what: "a hash", change: replace(2, /"chain_hash":"\w{8}/, '"chain_hash":"00000000'), verdict: "broken", at: 3 },
  { what: "a hash that is gone", change: replace(2, /,"chain_hash":"\w+"/, ""), verdict: "broken", at: 3 },
  { what: "a space in an event", change: replace(2, '"payload":', '"payload": '), verdict: "broken", at: 3 },
  { what: "a field behind the hash", change: replace(2, /\}\n$/, ',"note":"x"}\n'), verdict: "broken", at: 3 },

  // Their order and number.
  { what: "the first event gone", change: lines((all) => all.splice(0, 1)), verdict: "broken", at: 1 },
  { what: "a middle event gone", change: lines((all) => all.splice(2, 1)), verdict: "broken", at: 3 },
  { what: "the last event gone", change: lines((all) => all.splice(4, 1)), verdict: "broken", at: 5 },
  { what: "the last three events gone", change: lines((all) => all.splice(2)), verdict: "broken", at: 3 },
  {
    what: "an event gone and the later ones numbered anew",
    change: lines((all) => {
      all.splice(2, 1)
      for (let n = 2; n < all.length; n++) all[n] = (all[n] ?? "").replace(/"sequence":\d/, `"sequence":${n + 1}`)
    }),
    verdict: "broken",
    at: 3
  },
  {
    what: "an event inserted",
    change: lines((all) => all.splice(2, 0, (all[2] ?? "").replace("three", "forged"))),
    verdict: "broken",
    at: 3
  },
  {
    what: "an event appended",
    change: lines((all) => all.push((all[1] ?? "").replace('"sequence":2', '"sequence":6'))),
    verdict: "broken",
    at: 6
  },
  {
    what: "two events swapped",
    change: lines((all) => all.splice(2, 0, ...all.splice(3, 1))),
    verdict: "broken",
    at: 3
  },
  { what: "an event twice", change: lines((all) => all.splice(2, 0, all[1] ?? "")), verdict: "broken", at: 3 },
  { what: "the whole log twice", change: lines((all) => all.push(...all)), verdict: "broken", at: 6 },
  { what: "a tail cut inside an event", change: replace(4, /.{30}\n$/, ""), verdict: "broken", at: 5 },
  { what: "an emptied log", change: (user) => fs.truncateSync(filesOf(user).events, 0), verdict: "broken", at: 1 },
  { what: "a deleted log", change: (user) => fs.rmSync(filesOf(user).events), verdict: "broken", at: 1 },
  {
    what: "a record of another session of the same user",
    change: lines((all) => {
      all[2] = all[5] ?? ""
      all.splice(5)
    }),
    verdict: "broken",
    at: 3
  },
  {
    what: "a log that was written anew under another key",
    change: (user) => fs.writeFileSync(filesOf(user).events, rechained(user)),
    verdict: "broken",
    at: 1
  },
  {
    what: "a log that was written anew without a key, with a manifest that says so",
    change: (user) => {
      fs.writeFileSync(filesOf(user).events, rechained(user))
      json("manifest", (manifest) => {
        manifest.key_id = "none"
      })(user)
    },
    verdict: "broken",
    at: 5
  },

  // What lies beside the events.
  {
    what: "the number of events in the manifest",
    change: json("manifest", (manifest) => {
      manifest.event_count = 4
    }),
    verdict: "partial"
  },
  {
    what: "the status in the manifest",
    change: json("manifest", (manifest) => {
      manifest.status = "failed"
    }),
    verdict: "partial"
  },
  {
    what: "the time in the manifest at which the session began",
    change: json("manifest", (manifest) => {
      manifest.started_at = "2026-08-16T11:00:00.000Z"
    }),
    verdict: "broken",
    at: 1
  },
  {
    what: "the session in the manifest",
    change: json("manifest", (manifest) => {
      manifest.session_id = "claude:another"
    }),
    verdict: "broken",
    at: 1
  },
  {
    what: "the key in the manifest",
    change: json("manifest", (manifest) => {
      manifest.key_id = "0123456789abcdef"
    }),
    verdict: "partial"
  },
  {
    what: "the key in the manifest and a word of an event",
    change: (user) => {
      replace(1, "hello", "jello")(user)
      json("manifest", (manifest) => {
        manifest.key_id = "0123456789abcdef"
      })(user)
    },
    verdict: "broken",
    at: 2
  },
  {
    what: "the key in the manifest and a word of the first event",
    change: (user) => {
      replace(0, "startup", "restart")(user)
      json("manifest", (manifest) => {
        manifest.key_id = "0123456789abcdef"
      })(user)
    },
    verdict: "unkeyed"
  },
  {
    what: "a log that was written anew under another key, with a manifest that names one",
    change: (user) => {
      fs.writeFileSync(filesOf(user).events, rechained(user))
      json("manifest", (manifest) => {
        manifest.key_id = "0123456789abcdef"
      })(user)
    },
    verdict: "broken",
    at: 5
  },
  {
    what: "the key gone, and an event",
    change: (user) => {
      fs.rmSync(user.config, { recursive: true })
      lines((all) => all.splice(1, 1))(user)
    },
    verdict: "broken",
    at: 2
  },
  {
    what: "the key gone, and the last event",
    change: (user) => {
      fs.rmSync(user.config, { recursive: true })
      lines((all) => all.splice(4, 1))(user)
    },
    verdict: "broken",
    at: 5
  },
  {
    what: "a log and a manifest that look like those of a recorder without a chain",
    change: (user) => {
      lines((all) => {
        for (const [at, line] of all.entries()) all[at] = line.replace(/,"chain_hash":"\w+"/, "")
      })(user)
      json("manifest", (manifest) => {
        delete manifest.key_id
        delete manifest.seal
      })(user)
    },
    verdict: "broken",
    at: 1
  },
  // The log says by itself what its chain begins with.
  { what: "a deleted manifest", change: (user) => fs.rmSync(filesOf(user).manifest), verdict: "partial" },
  {
    what: "an emptied manifest",
    change: (user) => fs.truncateSync(filesOf(user).manifest, 0),
    verdict: "partial"
  },
  {
    what: "a deleted manifest beside a log whose end was cut",
    change: (user) => {
      const lines = linesOf(user)
      fs.writeFileSync(filesOf(user).events, lines.slice(0, -1).join(""))
      fs.rmSync(filesOf(user).manifest)
    },
    verdict: "broken",
    at: 5
  },
  {
    what: "a deleted manifest beside a log of which an event was edited",
    change: (user) => {
      const [first = "", second = "", ...rest] = linesOf(user)
      fs.writeFileSync(
        filesOf(user).events,
        [first, second.replace(/"text":"[^"]*"/, '"text":"other"'), ...rest].join("")
      )
      fs.rmSync(filesOf(user).manifest)
    },
    verdict: "broken",
    at: 2
  },
  {
    what: "the checksums",
    change: json("checksums", (checksums) => {
      checksums.events = { algorithm: "sha256-running", bytes: 10, lines: 1, digest: "0".repeat(64) }
    }),
    verdict: "partial"
  },
  { what: "bytes between the events", change: lines((all) => all.splice(2, 0, "\u0000\u0000\n")), verdict: "partial" },

  // What only the user's own directory says.
  { what: "the anchor gone", change: (user) => fs.rmSync(anchors(user), { recursive: true }), verdict: "chained" },
  {
    what: "the key gone",
    change: (user) => fs.rmSync(user.config, { recursive: true }),
    verdict: "unkeyed"
  }
]

/** A session of five events that has ended. The sixth line, which some tamperings take, is one of another session. */
const recorded = (user: TestUser) =>
  append(user, [started(), prompt("two", "hello"), prompt("three"), called("four"), ended()])

const inLog = (change: (user: TestUser) => void, user: TestUser) =>
  Effect.gen(function* () {
    const other = sessionId("claude", "other")
    yield* append(user, [started(), prompt("a"), prompt("b")], { id: other })
    const foreign = fs.readFileSync(filesOf(user, other).events, "utf8").split(/(?<=\n)/)[2] ?? ""
    const before = fs.readFileSync(filesOf(user).events, "utf8")
    fs.writeFileSync(filesOf(user).events, before + foreign)
    change(user)
  })

describe("verifying a record in which somebody changed", () => {
  for (const { what, change, verdict, at } of tamperings) {
    it.live(`${what} says ${verdict}${at === undefined ? "" : ` at event ${at}`}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          yield* recorded(user)
          if (what.startsWith("a record of another session")) yield* inLog(change, user)
          else change(user)
          const result = yield* verifyArchive(filesOf(user).directory)
          assert.deepStrictEqual([result?.verdict, result?.broken_at], [verdict, at], result?.reasons.join("; "))
          assert.strictEqual(result?.reasons.length === 0, verdict === "complete", result?.reasons.join("; "))
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }
})

describe("a record that was tampered with", () => {
  for (const { what, change, at } of tamperings) {
    // What the key or the anchor alone told is gone, a manifest is made again from the log, and without its key nobody writes to a record.
    if (at === undefined || /manifest|^a record of|^the key gone/.test(what)) continue
    it.live(`(${what}) is not made good by the session that goes on, nor by recovery`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          const archive = yield* SessionArchive
          yield* recorded(user)
          change(user)
          yield* append(user, [started(), answered("six")])
          const after = yield* verifyArchive(filesOf(user).directory)
          assert.strictEqual(after?.verdict, "broken", after?.reasons.join("; "))
          yield* archive.recover(filesOf(user).directory)
          yield* append(user, [ended()])
          const recovered = yield* verifyArchive(filesOf(user).directory)
          assert.strictEqual(recovered?.verdict, "broken", recovered?.reasons.join("; "))
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }
})

describe("verifying a record that nobody changed", () => {
  const whole: ReadonlyArray<
    readonly [what: string, run: (user: TestUser) => Effect.Effect<unknown, unknown, SessionArchive>]
  > = [
    ["while it is active", (user) => append(user, [started(), prompt("a")])],
    [
      "after its session went on and ended again",
      (user) => Effect.andThen(recorded(user), append(user, [started(), prompt("b"), ended()]))
    ],
    ["after late events", (user) => Effect.andThen(recorded(user), append(user, [answered("late")]))],
    [
      "after it was closed",
      (user) =>
        Effect.gen(function* () {
          const archive = yield* SessionArchive
          yield* append(user, [started(), prompt("a")])
          yield* archive.close(filesOf(user).directory, "stopped", "completed")
        })
    ],
    [
      "after it was recovered",
      (user) =>
        Effect.gen(function* () {
          const archive = yield* SessionArchive
          yield* recorded(user)
          fs.rmSync(filesOf(user).checkpoint)
          yield* archive.recover(filesOf(user).directory)
        })
    ],
    [
      "after its project was moved",
      (user) =>
        Effect.gen(function* () {
          yield* recorded(user)
          fs.renameSync(user.project, `${user.project}-old`)
          fs.symlinkSync(`${user.project}-old`, user.project)
        })
    ]
  ]
  for (const [what, run] of whole) {
    it.live(`${what} says complete`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          yield* run(user)
          const result = yield* verifyArchive(filesOf(user).directory)
          assert.deepStrictEqual([result?.verdict, result?.reasons], ["complete", []])
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }
})
