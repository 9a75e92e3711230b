import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rewriteFlatFlags } from "../../src/cli/flatFlags.ts"
import { ledgerFile } from "../../src/experiment/ledger.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { actedAgent } from "../experiment/actedAgent.ts"
import { type Laboratory, laboratory, remembers, scenario, twoArms, writeJson } from "../experiment/laboratory.ts"
import { runCommand } from "../support/cli.ts"
import { answered, append, ended, prompt, started } from "../support/events.ts"
import { machineOf, newUser, snapshot } from "../support/recording.ts"

type Options = Parameters<typeof runCommand>[2]
const inLab = (lab: Laboratory, args: ReadonlyArray<string>, options: Options = {}) =>
  runCommand(lab.user, ["experiment", ...args], { agent: actedAgent(lab.stage, remembers), ...options })

const small = { ...twoArms, repetitions: 3 }

describe("lint-ai experiment", () => {
  it.live("init writes an experiment and a scenario that run as they stand, and overwrites nothing", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const lab = yield* laboratory()
      const directory = path.join(user.directory, "new")
      const made = yield* inLab({ ...lab, user }, ["init", directory, "--repetitions", "2"])
      assert.deepStrictEqual([made.err, made.failure], ["", undefined])
      const file = path.join(directory, "experiment.jsonc")
      assert.include(made.out, `lint-ai experiment run ${file}`)
      const before = snapshot(directory)
      assert.strictEqual((yield* inLab({ ...lab, user }, ["init", file])).failure, "OutputExists")
      assert.deepStrictEqual(snapshot(directory), before)
      const root = path.join(user.directory, "root")
      const ran = yield* inLab({ ...lab, user }, ["run", directory, "--root", root, "--yes", "--json"])
      assert.deepInclude(JSON.parse(ran.out).run, { planned: 6, completed: 6, failed: 0 })
    })
  )

  it.live("run asks before agents work, and starts none without a yes", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory(small)
      const run = (options: Options, ...more: ReadonlyArray<string>) =>
        inLab(lab, ["run", lab.file, "--root", lab.root, ...more], options)
      assert.strictEqual((yield* run({})).failure, "NeedsConfirmation")
      const refused = yield* run({ answers: ["n"] })
      assert.strictEqual(refused.failure, "Cancelled")
      assert.include(refused.err, "Run 18 cells?")
      assert.isFalse(fs.existsSync(lab.root))
      const dry = yield* run({}, "--dry-run", "--json")
      assert.deepInclude(JSON.parse(dry.out), { earlier: 0, conversations: 36 })
      assert.strictEqual(JSON.parse(dry.out).cells.length, 18)
      assert.isFalse(fs.existsSync(lab.root))
      assert.deepStrictEqual(lab.stage.conversations, [])
      assert.isUndefined((yield* run({ answers: ["y"] })).failure)
      // What is done is not asked for again.
      const again = yield* run({})
      assert.deepStrictEqual([again.failure, lab.stage.conversations.length], [undefined, 36])
      // Nor is it planned again.
      const done = yield* run({}, "--dry-run")
      assert.match(done.out, /Will run +0 cells, 0 conversations with the agent\n/)
      assert.match(done.out, /Left alone +18 cells of earlier runs/)
      const counted = JSON.parse((yield* run({}, "--dry-run", "--json")).out)
      assert.deepInclude(counted, { earlier: 18, conversations: 0, cells: [] })
    })
  )

  it.live("run shows how far it is, and then what was found; report shows the same again", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory(small)
      const ran = yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--yes"])
      assert.match(ran.err, /18\/18/)
      assert.match(ran.out, /Quality: higher with lint-ai than with native at n = 9/)
      const shown = yield* inLab(lab, ["report", lab.root])
      assert.strictEqual(shown.out, ran.out)
      for (const columns of [40, 60, 200]) {
        const narrow = yield* inLab(lab, ["report", lab.root], { columns })
        const tooLong = narrow.out.split("\n").filter((line) => line.length > columns && line.trim().includes(" "))
        // A path or an id stands whole, so that it can be copied.
        assert.deepStrictEqual(
          tooLong.filter((line) => line.replace(/^-? */, "").trim().split(/\s+/).length > 3),
          []
        )
      }
      const markdown = path.join(lab.user.directory, "report.md")
      const written = yield* inLab(lab, ["report", lab.root, "--markdown", "--out", markdown])
      assert.deepStrictEqual([written.out, written.failure], ["", undefined])
      assert.include(fs.readFileSync(markdown, "utf8"), "## lint-ai beside native")
      assert.strictEqual((yield* inLab(lab, ["report", lab.root, "--out", markdown])).failure, "OutputExists")
      const json = JSON.parse((yield* inLab(lab, ["report", lab.root, "--json"])).out)
      assert.strictEqual(json.results.length, 18)
    })
  )

  it.live("keeps everything in the user's state directory when no root is named, and never in the project", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory(small)
      const before = snapshot(lab.user.project)
      yield* inLab(lab, ["run", lab.file, "--yes"])
      assert.deepStrictEqual(snapshot(lab.user.project), before)
      const [root = ""] = fs.readdirSync(path.join(lab.user.state, "experiments"))
      assert.match(root, /^ports-[0-9a-f]{8}$/)
      assert.match((yield* inLab(lab, ["report", lab.file])).out, /Quality: higher with lint-ai/)
    })
  )

  it.live("begins anew beside a root that another experiment was begun in, when asked to", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory(small)
      yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--yes"])
      const first = snapshot(lab.root)
      writeJson(lab.file, { ...small, repetitions: 2 })
      const refused = yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--yes"])
      assert.strictEqual(refused.failure, "ExperimentChanged")
      const anew = yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--new-root", "--yes", "--json"])
      assert.deepInclude(JSON.parse(anew.out).run, { root: `${lab.root}-2`, completed: 12 })
      const { "ledger.jsonl": _, ...rest } = snapshot(lab.root)
      const { "ledger.jsonl": __, ...before } = first
      assert.deepStrictEqual(rest, before)
    })
  )

  it.live("goes on in the root that the experiment was begun in as it is now, whichever of its own that is", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory(small)
      const run = (...more: ReadonlyArray<string>) =>
        Effect.map(inLab(lab, ["run", lab.file, "--yes", "--json", ...more]), ({ out }) => JSON.parse(out).run)
      const { root } = yield* run()
      writeJson(lab.file, { ...small, repetitions: 2 })
      assert.strictEqual((yield* inLab(lab, ["run", lab.file, "--yes"])).failure, "ExperimentChanged")
      assert.strictEqual((yield* run("--new-root")).root, `${root}-2`)
      const asked = lab.stage.conversations.length
      assert.strictEqual((yield* run()).root, `${root}-2`)
      writeJson(lab.file, small)
      assert.strictEqual((yield* run()).root, root)
      assert.strictEqual(lab.stage.conversations.length, asked, "nothing was run again")
    })
  )

  it.live("says before the money is spent that so few pairs can show nothing, or that there is nothing to find", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1 }, [
        scenario("a", { setup_messages: [] }),
        scenario("b"),
        scenario("c")
      ])
      const { out } = yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--dry-run"])
      const words = out.replace(/\s+/g, " ")
      assert.include(words, "3 pairs cannot show a difference of quality of any size")
      assert.include(
        words,
        "lint-ai begins with an empty memory, and a has no setup messages: there is nothing to find"
      )
    })
  )

  it.live("says before the money is spent that scenarios which expect nothing tell nothing of quality", () =>
    Effect.gen(function* () {
      const warned = (scenarios: ReadonlyArray<ReturnType<typeof scenario>>) =>
        Effect.gen(function* () {
          const lab = yield* laboratory({ ...twoArms, repetitions: 10 }, scenarios)
          const { out } = yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--dry-run"])
          return /(\S+(?:, \S+)*) (?:has|have) no facts and no validators/.exec(out.replace(/\s+/g, " "))?.[1]
        })
      const bare = { expected_facts: [], forbidden_facts: [], validators: [] }
      assert.strictEqual(yield* warned([scenario("a", bare), scenario("b"), scenario("c", bare)]), "a, c")
      assert.isUndefined(yield* warned([scenario("a"), scenario("b"), scenario("c")]))
    })
  )

  it.live("begins, for a session, with the memory from before it, and warns of one that knows the session itself", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      const { user } = lab
      const events = [started(), prompt("p1", "Where does a listen?"), answered("It listens on 6380."), ended()]
      const opening = Effect.succeed({
        provider: "claude",
        project_root: user.project,
        recording_mode: "assist",
        repository_revision: null
      } as const)
      yield* append(user, events, { opening }).pipe(Effect.provide(machineOf(user)))
      const remembered = (sessionId: string, created: string) =>
        Effect.gen(function* () {
          const store = yield* MemoryStore
          const text = `What ${sessionId} found out about the port of a.`
          const about = { sessionId, place: "turn/1", revision: null, branch: null, created }
          const place = yield* memoryPlace(user.project, "claude")
          yield* store.add(place, [{ kind: "outcome", text, identity: [text], ...about }])
        }).pipe(Effect.provide(machineOf(user)))
      const begun = (name: string) =>
        Effect.gen(function* () {
          const file = path.join(user.directory, `${name}.jsonc`)
          assert.isUndefined((yield* inLab(lab, ["init", file, "--session", "s"])).failure)
          const dry = yield* inLab(lab, ["run", file, "--dry-run", "--json"])
          const warned = JSON.parse(dry.out).cautions.some((one: string) => one.includes("it may be given the answer"))
          return { file, warned, memory: /^ {2}"memory": (\{.*\}),$/m.exec(fs.readFileSync(file, "utf8"))?.[1] }
        })
      // The only memory is of the session itself.
      yield* remembered("claude:s", "2026-08-16T12:00:05.000Z")
      assert.deepInclude(yield* begun("alone/one"), { memory: '{ "from": "empty" }', warned: false })
      yield* remembered("claude:before", "2026-08-16T11:00:00.000Z")
      const { file, ...known } = yield* begun("known/one")
      assert.deepStrictEqual(known, {
        memory: '{ "from": "project", "as_of": "2026-08-16T12:00:00.000Z" }',
        warned: false
      })
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/, "as_of": "[^"]*"/, ""))
      const leaking = yield* inLab(lab, ["run", file, "--dry-run"])
      assert.include(
        leaking.out.replace(/\s+/g, " "),
        "lint-ai begins with memories of claude:s, of which review-claude-s is made: it may be given the answer."
      )
    })
  )

  it.live("refuses an arm that would find nothing, before anything is run", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, memory: { from: "project" } })
      for (const how of ["--dry-run", "--yes"]) {
        const refused = yield* inLab(lab, ["run", lab.file, "--root", lab.root, how])
        assert.strictEqual(refused.failure, "ArmWithoutMemory")
      }
      assert.isFalse(fs.existsSync(lab.root))
    })
  )

  it.live("asks for the commands of scenarios, and runs none that nobody agreed to", () =>
    Effect.gen(function* () {
      const validators = [{ name: "exists", command: [process.execPath, "-e", "0"] }] as const
      const lab = yield* laboratory({ ...small, scenarios: ["scenarios/a.json"] }, [scenario("a", { validators })])
      const run = (options: Options) => inLab(lab, ["run", lab.file, "--root", lab.root], options)
      assert.strictEqual((yield* run({})).failure, "ScenarioNotTrusted")
      const asked = yield* run({ answers: ["n"] })
      assert.strictEqual(asked.failure, "Cancelled")
      assert.include(asked.err, "exists")
      assert.deepStrictEqual(lab.stage.conversations, [])
      const agreed = yield* run({ answers: ["y", "y"] })
      assert.match(agreed.out, /lint-ai +3 +0 +3 of 3/)
    })
  )

  it.live("ends with a failure when not one cell has a score, and says why the first has none", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory(small)
      const ran = yield* inLab(lab, ["run", lab.file, "--root", lab.root, "--yes"], {
        agent: actedAgent(lab.stage, () => ({ answer: "", fails: "Nobody is logged in.", exitCode: 1 }))
      })
      assert.strictEqual(ran.failure, "NothingScored")
      assert.match(ran.err, /a\/native\/1 failed: .*Nobody is logged in/)
      // No table of which only the head is left.
      assert.notInclude(ran.out, "P (HOLM)")
      assert.include(ran.out, "Quality: nothing to compare lint-ai with native by.")
    })
  )

  it.live("refuses what it cannot run, and writes nothing", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...small, scenarios: ["scenarios/none.json"] })
      const failure = (...args: ReadonlyArray<string>) => Effect.map(inLab(lab, args), (run) => run.failure)
      assert.strictEqual(yield* failure("run", lab.file, "--yes"), "ScenarioUnreadable")
      assert.strictEqual(yield* failure("run", path.join(lab.user.directory, "none.json")), "ExperimentUnreadable")
      assert.strictEqual(yield* failure("report", lab.root), "ExperimentUnreadable")
      fs.mkdirSync(lab.root)
      assert.strictEqual(yield* failure("report", lab.root), "NothingRun")
      assert.isFalse(fs.existsSync(lab.user.state))
    })
  )

  it.live("in its flat form begins an experiment below the root, then runs it there, and writes nowhere else", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      const flat = (...more: ReadonlyArray<string>) =>
        runCommand(
          lab.user,
          rewriteFlatFlags([
            ...["--claude-code-install", lab.user.project, "--session-recording", "ab"],
            ...["--experiment-root", lab.root, ...more]
          ]),
          { agent: actedAgent(lab.stage, remembers) }
        )
      const before = snapshot(lab.user.directory)
      const begun = yield* flat("--repetitions", "2")
      assert.include(begun.out, `lint-ai --session-recording ab --experiment-root ${lab.root}`)
      const ran = yield* flat("--yes", "--json")
      assert.deepInclude(JSON.parse(ran.out).run, { root: lab.root, completed: 6 })
      assert.isTrue(fs.existsSync(ledgerFile(lab.root)))
      const others = Object.entries(snapshot(lab.user.directory)).filter(
        // The user's own key and the anchors of archives are the user's, wherever an archive is.
        ([file]) => !/^(root|user\/(state|config))(\/|$)/.test(file)
      )
      assert.deepStrictEqual(Object.fromEntries(others), before)
    })
  )

  it.live("in its flat form begins nothing in a directory in which no run could keep it", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      const inside = path.join(lab.user.project, "ab")
      const { failure } = yield* runCommand(
        lab.user,
        rewriteFlatFlags(["--session-recording", "ab", "--experiment-root", inside, "--json"]),
        { agent: actedAgent(lab.stage, remembers) }
      )
      assert.strictEqual(failure, "RootUnusable")
      assert.isFalse(fs.existsSync(inside))
    })
  )
})
