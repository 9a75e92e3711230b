// A seeded corpus shaped like the memories of coding sessions, with questions. Made up from lists of words: nothing in it was ever said.

/** One turn of a session, as the store keeps it. */
export interface CorpusTurn {
  readonly text: string
  /** Set on the turn that a later session took back. */
  readonly key?: string
}

export interface CorpusSession {
  readonly id: string
  /** RFC 3339. */
  readonly created: string
  readonly branch: string
  readonly turns: ReadonlyArray<CorpusTurn>
  /** Keys of turns of earlier sessions that this one takes the place of. */
  readonly supersedes: ReadonlyArray<string>
}

export interface CorpusQuestion {
  readonly kind: string
  readonly text: string
  /** The session that answers it; undefined when none does. */
  readonly answer: string | undefined
}

export interface Corpus {
  readonly sessions: ReadonlyArray<CorpusSession>
  readonly questions: ReadonlyArray<CorpusQuestion>
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const components = words(`
  payment invoice order cart customer session profile catalog search upload report billing shipment refund coupon webhook email notification
  audit ledger tenant widget gallery comment thread ticket calendar booking inventory warehouse ranking feed digest export import archive
  snapshot replica tenant policy quota license device sensor telemetry stream playlist chapter lesson quiz survey form
`)
const parts = words(`
  queue cache worker parser router store index loader buffer scheduler client gateway mapper registry resolver encoder decoder validator
  serializer limiter watcher builder adapter collector dispatcher monitor pool cursor filter planner renderer tokenizer
`)
const verbs = words("retry flush merge split sync drain rebuild prune lock claim rotate batch sort hash stream publish")
/** Forms that a question uses where a session has another. */
const problems: ReadonlyArray<readonly [said: string, asked: string]> = [
  ["broke after the upgrade", "break on upgrading"],
  ["was freezing under load", "froze when loaded"],
  ["kept leaking connections", "keeps a connection leak"],
  ["hung during shutdown", "hang while shutting down"],
  ["dropped duplicated messages", "drops a duplicate message"],
  ["returned stale entries", "returning a stale entry"],
  ["lost updates between writers", "losing an update with two writers"],
  ["sent the header twice", "sending headers twice"],
  ["forgot its timezone", "forgets timezones"],
  ["grew without a bound", "growing unbounded"],
  ["threw on an empty list", "throws with empty lists"],
  ["wrote half of a record", "writing half records"]
]
const fixes = words(`
  debounce mutex backpressure idempotency checksum semaphore heartbeat savepoint tombstone watermark jitter lease nonce bloom sharding
  pagination memoization coalescing preloading denormalization partitioning throttling prefetching fencing compaction hedging
`)
const choices = words(`
  postgres sqlite redis kafka rabbitmq nats grpc protobuf msgpack avro zod ajv vitest playwright webpack esbuild rolldown turborepo pnpm bun
  deno fastify hono express drizzle prisma kysely terraform pulumi ansible nomad envoy caddy traefik
`)
const codes = words(
  "ECONNRESET ETIMEDOUT EPIPE ENOSPC EMFILE EADDRINUSE ERR_STREAM_PREMATURE_CLOSE SQLITE_BUSY TS2345 TS2322 E0382 E0499 ORA-00942"
)
const cjk: ReadonlyArray<readonly [said: string, asked: string]> = [
  ["認証トークンの有効期限を三十分に短縮しました", "トークンの有効期限はどうした"],
  ["在庫同期の夜間処理が二重に起動する問題を直した", "夜間処理の二重起動"],
  ["画像変換の並列数を四に制限した", "画像変換の並列数"],
  ["支付回调的签名校验改用新的密钥", "签名校验用什么密钥"],
  ["订单导出改为分页查询避免内存溢出", "订单导出内存溢出怎么办"],
  ["日志采集延迟是由时区转换造成的", "日志采集为什么延迟"],
  ["결제 재시도 간격을 지수적으로 늘렸다", "결제 재시도 간격"],
  ["検索結果の並び順を更新日時に変えた", "検索結果の並び順"],
  ["缓存穿透用布隆过滤器解决", "缓存穿透如何解决"],
  ["通知の送信順序を受付番号で保証する", "通知の送信順序の保証"]
]
const chatter = [
  "I will run the tests and look at the output.",
  "The build is green again, thanks. Please commit it.",
  "Let me read the file first and check how it is used.",
  "That works now. Anything else that should be changed here?",
  "I updated the documentation and added a test for it.",
  "Could you explain this function to me before you change it?",
  "The linter complains about an unused import, removing it.",
  "I renamed the variable and moved the helper into its own module."
]

/** mulberry32. */
const random = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)] as A
  return { next, below, pick }
}
type Random = ReturnType<typeof random>

const upper = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
const camel = (...all: ReadonlyArray<string>): string => all.map((word, at) => (at === 0 ? word : upper(word))).join("")
const snake = (...all: ReadonlyArray<string>): string => all.join("_")

interface Fact {
  readonly kind: string
  readonly said: ReadonlyArray<string>
  readonly asked: string
  /** For facts that a later session takes back: what it says instead. */
  readonly later?: { readonly said: string }
}

/** Each place (component and part) is used for one fact only; its words are in many others. */
const factAbout = (r: Random, component: string, part: string, kind: string): Fact => {
  const verb = r.pick(verbs)
  const [said, asked] = r.pick(problems)
  const fix = r.pick(fixes)
  const other = r.pick(fixes)
  const code = r.pick(codes)
  const place = camel(verb, component, part)
  switch (kind) {
    case "identifier":
      return {
        kind,
        said: [
          `Request: look at ${place}, please.\nResult: \`${place}\` ${said}. The fix is a ${fix} around the call.`,
          `I also put a guard into ${camel(component, part)}.ts.`
        ],
        asked: r.pick([
          `what did we do about ${snake(verb, component, part)}?`,
          `how was ${verb} ${component} ${part} fixed?`,
          `is ${upper(camel(verb, component, part))} safe now, or does it ${verb} twice?`
        ])
      }
    case "form":
      return {
        kind,
        said: [`The ${component} ${part} ${said}; we chose ${fix} over ${other} because it needs no migration.`],
        asked: r.pick([
          `why does the ${component} ${part} ${asked}?`,
          `${component} ${part}: ${asked}, what was chosen?`
        ])
      }
    case "path": {
      const file = `src/${component}s/${camel(part, verb)}.ts`
      return {
        kind,
        said: [`Error in ${file}:${10 + r.below(400)}: ${code}. It ${said}, so ${fix} went into ${file}.`],
        asked: r.pick([
          `what was wrong in ${camel(part, verb)}.ts of ${component}s?`,
          `${component}s/${camel(part, verb)} ${code}`
        ])
      }
    }
    case "decision": {
      const [first, second] = [r.pick(choices), r.pick(choices)]
      return {
        kind,
        said: [`Decision: the ${component} ${part} runs on ${first}, since ${fix} comes with it.`],
        later: {
          said: `Decision changed: the ${component} ${part} moves to ${second === first ? "plain files" : second}; ${other} did not hold up.`
        },
        asked: `what does the ${component} ${part} run on, which decision holds?`
      }
    }
    default: {
      const limit = 16 * (1 + r.below(200))
      return {
        kind: "value",
        said: [`Set ${snake(component, part, "limit").toUpperCase()}=${limit} in the configuration, ${fix} needs it.`],
        asked: `which ${component} ${part} limits were configured for ${fix}?`
      }
    }
  }
}

const kinds = ["identifier", "form", "path", "decision", "value"]

/** @param sessions how many sessions there are, about */
export const makeCorpus = (seed: number, sessions: number): Corpus => {
  const r = random(seed)
  const made: Array<CorpusSession> = []
  const questions: Array<CorpusQuestion> = []
  const free = [...new Set(components)].flatMap((component) => parts.map((part) => [component, part] as const))
  const taken = (): readonly [string, string] => free.splice(r.below(free.length), 1)[0] ?? ["spare", "part"]
  const start = Date.UTC(2026, 0, 5, 9)
  const filler = (): string =>
    r.next() < 0.5
      ? r.pick(chatter)
      : `Next: ${r.pick(verbs)} the ${r.pick(components)} ${r.pick(parts)}, it ${r.pick(problems)[0]}; maybe ${r.pick(fixes)}.`
  const add = (turns: ReadonlyArray<CorpusTurn>, supersedes: ReadonlyArray<string> = []): string => {
    const number = made.length
    const id = `session-${String(number).padStart(5, "0")}`
    made.push({
      id,
      created: new Date(start + number * 5 * 60 * 60 * 1000).toISOString(),
      branch: number % 3 === 0 ? "main" : `${r.pick(verbs)}-${r.pick(parts)}`,
      turns: withNoise(turns),
      supersedes
    })
    return id
  }
  const withNoise = (turns: ReadonlyArray<CorpusTurn>): ReadonlyArray<CorpusTurn> => {
    const all: Array<CorpusTurn> = turns.flatMap((turn) => [
      ...Array.from({ length: r.below(5) }, () => ({ text: filler() })),
      turn
    ])
    return [...all, ...Array.from({ length: 1 + r.below(4) }, () => ({ text: filler() }))]
  }

  const later: Array<() => void> = []
  for (let number = 0; number < sessions * 0.8; number++) {
    const [component, part] = taken()
    const fact = factAbout(r, component, part, kinds[number % kinds.length] ?? "value")
    const key = `${component} ${part}`
    const turns = fact.said.map((text, at) => (at === 0 ? { text, key } : { text }))
    const id = add(turns)
    const { later: change } = fact
    if (change === undefined) questions.push({ kind: fact.kind, text: fact.asked, answer: id })
    else {
      later.push(() => {
        const newer = add([{ text: change.said }], [key])
        questions.push({ kind: fact.kind, text: fact.asked, answer: newer })
      })
    }
    if (number % 12 === 5) {
      const [said, asked] = cjk[((number / 12) % cjk.length) | 0] ?? ["", ""]
      if (number / 12 < cjk.length) questions.push({ kind: "cjk", text: asked, answer: add([{ text: said }]) })
    }
    if (number % 4 === 3) later.shift()?.()
  }
  for (const one of later) one()
  while (made.length < sessions) add([])
  for (let number = 0; number < sessions * 0.3; number++)
    questions.push({ kind: "none", text: unanswerable(r, taken()), answer: undefined })
  return { sessions: made, questions }
}

/** Asks for what nobody has ever done, in the words that everybody uses. */
const unanswerable = (r: Random, [component, part]: readonly [string, string]): string => {
  const strange = words(
    "kubernetes oauth graphql websocket dockerfile accessibility localization typography leaderboard captcha favicon robots"
  )
  return r.pick([
    `please add a dark mode switch to the ${component} page`,
    `write a haiku about ${r.pick(strange)}`,
    `how do I configure ${r.pick(strange)} for the new ${component} domain?`,
    `explain what a ${r.pick(strange)} ${part} is`,
    "hello, can you help me with this project?",
    `which colour should the ${component} button have?`,
    `rename ${camel("make", r.pick(strange), part)} to something shorter`,
    "run the tests and fix what fails",
    `why is the ${r.pick(strange)} pipeline red since yesterday?`,
    `why does the ${r.pick(strange)} ${part} ${r.pick(problems)[1]}?`,
    `what did we decide about the ${r.pick(strange)} ${part}?`,
    `${camel(r.pick(verbs), r.pick(strange), part)} fails with ERR_${r.pick(strange).toUpperCase()}_GONE`,
    `where is the limit of the ${component} ${r.pick(strange)} configured?`,
    "continue",
    `请解释一下这个项目的目录结构`,
    `README の書き方を教えて`
  ])
}

/**
 * Turns in bulk, for measuring: sessions of twenty turns of about fifty words, of a vocabulary in which few words are frequent and most are rare.
 *
 * @param from number of the first turn: other ranges of the same seed go on where this one ends
 */
export const bulkTurns = (seed: number, from: number, count: number) => {
  const r = random(seed + from)
  return Array.from({ length: count }, (_, at) => {
    const number = from + at
    const session = Math.floor(number / 20)
    const said = Array.from({ length: 44 }, () => bulkWord(Math.floor(40_000 ** r.next()) - 1)).join(" ")
    const subject = `${camel(r.pick(verbs), r.pick(components), r.pick(parts))} ${r.pick(problems)[0]}`
    return {
      session: `bulk-${session}`,
      text: `${subject}: ${said}`,
      created: new Date(Date.UTC(2025, 0, 1) + session * 60_000).toISOString()
    }
  })
}

const syllables = words("ka lo mi ne ra su to vi wo ze ban cor del fin gar hol jun kem lar mon")
/** The word of a rank in the vocabulary. */
export const bulkWord = (rank: number): string => {
  let word = ""
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20]
  return word
}
