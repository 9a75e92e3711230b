// Measures memory: what a search finds, what is given to an agent unasked, what it all costs. Fails when a floor is missed.
//
//   npm run bench:memory                        quality on the corpus of scripts/memory, costs at 1,000 and 100,000 records, the hook
//   npm run bench:memory -- --quick             quality only
//   npm run bench:memory -- --million           costs at 1,000,000 records too
//   npm run bench:memory -- --harness DIR       also the conversations that a directory with bench.mjs and locomo-dev.json holds
//   npm run bench:memory -- --write             writes the figures into docs/memory.md
//
// Costs of the hook are ratios to `node -e 0` in the same run, because machines differ and this one may be shared.

import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { bareNode } from "../bench/bareNode.mjs"

const root = path.resolve(fileURLToPath(import.meta.url), "../..")
const work = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-bench-memory-"))
const flag = (/** @type {string} */ name) => process.argv.includes(`--${name}`)
const option = (/** @type {string} */ name) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}
process.env.LINT_AI_CONFIG_DIR = path.join(work, "config")
process.env.LINT_AI_STATE_DIR = path.join(work, "state")

/** @type {() => Promise<typeof import("./memory/store.ts")>} */
const load = async () => {
  const built = await rolldown({ input: path.join(root, "scripts/memory/store.ts"), platform: "node" })
  const file = path.join(work, "store.mjs")
  await built.write({ file, format: "esm" })
  await built.close()
  return import(pathToFileURL(file).href)
}
const { bulkTurns, bulkWord, makeCorpus, openMemory, PlainBm25, relevantHits } = await load()

/** @type {Array<[name: string, value: string, limit: string, state: string]>} */
const rows = []
let missed = 0
/** @type {(name: string, value: number, limit: number, atLeast: boolean, show?: (number: number) => string) => void} */
const floor = (name, value, limit, atLeast, show = (number) => number.toFixed(3)) => {
  const ok = atLeast ? value >= limit : value <= limit
  if (!ok) missed++
  rows.push([name, show(value), `${atLeast ? ">=" : "<="} ${show(limit)}`, ok ? "" : "MISSED"])
}
/** @type {(name: string, value: string) => void} */
const fact = (name, value) => rows.push([name, value, "", ""])
/** @type {(values: ReadonlyArray<number>) => number} */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const ms = (/** @type {number} */ value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const fresh = (/** @type {string} */ name) => {
  const directory = path.join(work, name)
  fs.mkdirSync(directory)
  return directory
}

/** @type {(sessionId: string, at: number, turn: {text: string, created: string, branch?: string}, supersedes?: ReadonlyArray<string>) => import("../src/domain/memory.ts").MemoryDraft} */
const draftOf = (sessionId, at, { text, created, branch }, supersedes = []) => ({
  kind: "recorded-session",
  sessionId: `claude:${sessionId}`,
  text,
  place: `events/${at}`,
  identity: [String(at)],
  revision: null,
  branch: branch ?? null,
  created,
  supersedes
})

/** @type {(seed: number) => Promise<{n: number, hit1: number, hit5: number, plain: number, given: number, none: number, noneGiven: number, before: number, bytes: Array<number>, precise: number, injected: number}>} */
const ownCorpus = async (seed) => {
  const corpus = makeCorpus(seed, 300)
  const memory = await openMemory(fresh(`own-${seed}`))
  const sum = { n: 0, hit1: 0, hit5: 0, plain: 0, given: 0, none: 0, noneGiven: 0, before: 0, precise: 0, injected: 0 }
  /** @type {Array<number>} */
  const bytes = []
  /** @type {Map<string, string>} */
  const ids = new Map()
  // Before anything is promoted a memory gives nothing.
  for (const { text } of corpus.questions) sum.before += (await memory.search(text, 5)).length > 0 ? 1 : 0
  for (const session of corpus.sessions) {
    const superseded = session.supersedes.flatMap((key) => ids.get(key) ?? [])
    const drafts = session.turns.map((turn, at) =>
      draftOf(session.id, at, { ...turn, created: session.created, branch: session.branch }, at === 0 ? superseded : [])
    )
    const { added } = await memory.add(drafts)
    for (const [at, { key }] of session.turns.entries()) if (key !== undefined) ids.set(key, added[at] ?? "")
  }
  const plain = new PlainBm25(
    corpus.sessions.map(({ id, turns }) => ({ id, text: turns.map(({ text }) => text).join("\n") }))
  )
  for (const { text, answer } of corpus.questions) {
    const hits = await memory.search(text, 5)
    const sessions = hits.map((hit) => hit.memory.session_id.slice("claude:".length))
    const relevant = relevantHits(hits)
    if (answer === undefined) {
      sum.none++
      sum.noneGiven += relevant.length > 0 ? 1 : 0
      continue
    }
    sum.n++
    sum.hit1 += sessions[0] === answer ? 1 : 0
    sum.hit5 += sessions.includes(answer) ? 1 : 0
    sum.plain += plain.search(text, 5).includes(answer) ? 1 : 0
    sum.given += relevant.some((hit) => hit.memory.session_id === `claude:${answer}`) ? 1 : 0
    sum.injected += relevant.length
    sum.precise += relevant.filter((hit) => hit.memory.session_id === `claude:${answer}`).length
    bytes.push(relevant.reduce((total, hit) => total + Buffer.byteLength(hit.memory.text), 0))
  }
  await memory.close()
  return { ...sum, bytes }
}

const quality = async () => {
  // Three seeds: one number alone could be a lucky one.
  for (const seed of [11, 12, 13]) {
    const own = await ownCorpus(seed)
    fact(`own corpus ${seed}`, `${own.n} questions with an answer, ${own.none} without`)
    floor("  hit@1", own.hit1 / own.n, 0.9, true)
    floor("  hit@5", own.hit5 / own.n, 0.95, true)
    floor("  hit@5 of plain BM25 (else it is too easy)", own.plain / own.n, 0.8, false)
    floor("  answer given unasked", own.given / own.n, 0.9, true)
    floor("  context given where there is no answer", own.noneGiven / own.none, 0.02, false)
    fact("  before promoting: questions with any hit", (own.before / (own.n + own.none)).toFixed(3))
    fact("  share of given memories that are the answer", (own.precise / own.injected).toFixed(3))
    fact("  bytes given, median", String(median(own.bytes)))
  }
}

/** @type {(directory: string) => Promise<void>} */
const harness = async (directory) => {
  const { measure } = await import(pathToFileURL(path.join(directory, "bench.mjs")).href)
  const data = JSON.parse(fs.readFileSync(path.join(directory, "locomo-dev.json"), "utf8"))
  let number = 0
  /** @type {Awaited<ReturnType<typeof openMemory>> | undefined} */
  let memory
  const { rows: results } = await measure(data, {
    index: async (/** @type {any} */ sessions) => {
      await memory?.close()
      memory = await openMemory(fresh(`harness-${number++}`))
      await memory.add(
        sessions.flatMap((/** @type {any} */ session) =>
          session.turns.map((/** @type {any} */ turn, /** @type {number} */ at) =>
            draftOf(session.id, at, {
              text: `${turn.speaker}: ${turn.text}`,
              created: `${(session.date ?? "2023-01-01").slice(0, 10)}T00:00:00.000Z`
            })
          )
        )
      )
    },
    query: async (/** @type {string} */ text, /** @type {number} */ limit) =>
      (await memory?.search(text, limit))?.map((hit) => hit.memory.session_id.slice("claude:".length)) ?? []
  })
  await memory?.close()
  const mean = (/** @type {string} */ name) =>
    results.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row[name], 0) / results.length
  fact("conversations of the harness", `${results.length} questions`)
  floor("  hit@1", mean("hit@1"), 0.76, true)
  floor("  hit@5", mean("hit@5"), 0.94, true)
  floor("  MRR", mean("MRR"), 0.84, true)
}

const elapsed = async (/** @type {() => Promise<unknown>} */ work_) => {
  const began = performance.now()
  await work_()
  return performance.now() - began
}

/** Turns that are added at once. */
const batch = 2_000

/** @type {(count: number) => Promise<{project: string, common: number}>} */
const costs = async (count) => {
  const project = fresh(`bulk-${count}`)
  const memory = await openMemory(project)
  const ingest = await elapsed(async () => {
    for (let from = 0; from < count; from += batch) {
      const turns = bulkTurns(1, from, Math.min(batch, count - from))
      await memory.add(turns.map((turn, at) => draftOf(turn.session, from + at, turn)))
    }
  })
  fact(`${count.toLocaleString("en-US")} records`, `SQLite: ${await memory.driver()}`)
  fact("  ingest", `${(ingest / 1000).toFixed(1)} s, ${ms(ingest / count)} a record`)
  const stats = await memory.stats()
  fact("  segments, index", `${(stats.segment_bytes / 1e6).toFixed(1)} MB, ${(stats.index_bytes / 1e6).toFixed(1)} MB`)
  const query = async (/** @type {(at: number) => string} */ question) => {
    const times = []
    for (let at = 0; at < 25; at++) times.push(await elapsed(() => memory.search(question(at), 5)))
    return median(times)
  }
  const common = await query((at) => `${bulkWord(5 + at)} ${bulkWord(9 + at)}`)
  fact("  open and query: two common words", ms(common))
  fact("  open and query: two rare words", ms(await query((at) => `${bulkWord(9_000 + at)} ${bulkWord(20_000 + at)}`)))
  fact(
    "  open and query: a prompt of 20 words",
    ms(await query((at) => bulkTurns(9, at, 1)[0]?.text.split(" ").slice(0, 20).join(" ") ?? ""))
  )
  const inserts = []
  for (let at = 0; at < 25; at++) {
    const turn = { text: `one more ${bulkTurns(3, at, 1)[0]?.text}`, created: "2026-01-01T00:00:00.000Z" }
    inserts.push(await elapsed(() => memory.add([draftOf("late", at, turn)])))
  }
  fact("  open and insert one", ms(median(inserts)))
  await memory.close()
  return { project, common }
}

/** @type {(project: string) => void} */
const hookCosts = (project) => {
  const binary = path.join(root, "dist", "lint-ai")
  if (!fs.existsSync(binary)) return fact("hook", "dist/lint-ai is not built")
  const { NODE_EXTRA_CA_CERTS: _unused, ...rest } = process.env
  const env = { ...rest, CLAUDE_PROJECT_DIR: project }
  const cli = (/** @type {ReadonlyArray<string>} */ ...args) =>
    spawnSync(binary, args, { env, cwd: project, encoding: "utf8" })
  let number = 0
  const hook = (/** @type {string} */ prompt) => () =>
    spawnSync(binary, ["hook", "claude"], {
      env,
      cwd: project,
      encoding: "utf8",
      input: JSON.stringify({
        // Another session each time: what was given once is not given again, and costs less.
        session_id: `bench-${number++}`,
        hook_event_name: "UserPromptSubmit",
        prompt_id: `p${number}`,
        cwd: project,
        prompt
      })
    })
  // The words of turns that are there, so that each is given something: the most that a hook has to do.
  const turns = bulkTurns(1, 20_000, batch)
  const prompts = Array.from({ length: 31 }, (_, at) => turns[at * 37]?.text.split(" ").slice(0, 12).join(" ") ?? "")
  const node = () => spawnSync(bareNode.command, bareNode.args, { env })
  /** @type {(other: (at: number) => unknown) => number} */
  const ratio = (other) => {
    const ratios = []
    for (let at = 0; at < 31; at++) {
      const time = (/** @type {() => unknown} */ run) => {
        const began = performance.now()
        run()
        return performance.now() - began
      }
      const first = time(node)
      ratios.push(time(() => other(at)) / ((first + time(node)) / 2))
    }
    return median(ratios)
  }
  cli("record", "start", "claude")
  const off = ratio((at) => hook(prompts[at % prompts.length] ?? "")())
  cli("enable", "claude")
  let given = 0
  const on = ratio((at) => {
    const { stdout } = hook(prompts[at % prompts.length] ?? "")()
    if (stdout.includes("lint-ai-memory")) given++
  })
  fact("hook of a prompt at 100,000 records, memory off", `${off.toFixed(2)} of ${bareNode.name}`)
  fact("  memory on", `${on.toFixed(2)} of ${bareNode.name}, ${given} of 31 were given something`)
  floor("  retrieval adds", on - off, 0.8, false, (value) => value.toFixed(2))
}

try {
  await quality()
  const directory = option("harness")
  if (directory !== undefined) await harness(directory)
  if (!flag("quick")) {
    await costs(1_000)
    const small = await costs(10_000)
    const large = await costs(100_000)
    hookCosts(large.project)
    if (flag("million")) {
      const huge = await costs(1_000_000)
      floor("  a query of two words, against 10,000 records", huge.common / small.common, 30, false, (value) =>
        value.toFixed(1)
      )
    }
  }
  const width = Math.max(...rows.map(([name]) => name.length))
  for (const [name, value, limit, state] of rows)
    console.log(`${name.padEnd(width)}  ${value}  ${limit} ${state}`.trimEnd())
  if (flag("write")) {
    const file = path.join(root, "docs", "memory.md")
    const table = [
      "| what | value | floor |",
      "| --- | --- | --- |",
      ...rows.map(([name, value, limit]) => `| ${name.trim()} | ${value} | ${limit} |`)
    ]
    const text = fs.readFileSync(file, "utf8")
    fs.writeFileSync(file, text.replace(/(<!-- figures -->\n)[\s\S]*?(<!-- end -->)/, `$1\n${table.join("\n")}\n\n$2`))
  }
} finally {
  fs.rmSync(work, { recursive: true, force: true })
}
process.exit(missed > 0 ? 1 : 0)
