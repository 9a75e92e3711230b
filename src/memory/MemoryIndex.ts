import type { MemoryRecord } from "../domain/memory.ts"
import type { Database, SqlValue, Statement } from "../platform/Sqlite.ts"
import { createIndex, indexVersion } from "./indexSchema.ts"
import { type CandidateSession, type Collection, idf, type Turn } from "./rank.ts"
import { termsOf } from "./terms.ts"

/** Where the line of a record stands. */
export interface RecordPlace {
  readonly segment: number
  readonly offset: number
  readonly length: number
}

export interface IndexedRecord extends RecordPlace {
  readonly record: number
  readonly id: string
  readonly supersededBy: string | null
}

/**
 * Rows that the rare terms of a question may name together, and sessions that are ranked. In a large store the rare terms tell more, and each row costs
 * more: it is read from the disk.
 */
const bounds = (records: number) => (records > 20_000 ? { rows: 500, sessions: 16 } : { rows: 1_500, sessions: 32 })
/** Rows of a term or of two together that are looked at when every term is common; the newest. */
const mostCommonRows = 300
/** Rows of a session around which its turns are read, the best first. */
const mostRowsOfSession = 20
/** Terms of a question that are looked for, the rarest first. */
const mostTerms = 32
/** A prompt that was pasted may be long: terms behind this are not looked at. */
const mostQuestionTerms = 256

/** The index of one memory, open. Synchronous; throws what the database throws. */
export class MemoryIndex {
  readonly #db: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Makes the database ready.
   *
   * @returns false when it holds an index of another version, or something else: it must be thrown away
   */
  static prepare(db: Database): boolean {
    // Others may be writing: their turn is a matter of milliseconds. Nothing waits for the disk: a loss of power can cost the index, which is made
    // anew from the segments, and to wait would cost every hook ten times what the rest of an insert does.
    db.exec(
      "PRAGMA busy_timeout = 1000; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456"
    )
    const tables = db.prepare("SELECT count(*) AS count FROM sqlite_master").get() as { count: number }
    if (tables.count === 0) {
      db.exec("PRAGMA journal_mode = WAL")
      db.exec("BEGIN IMMEDIATE")
      // Somebody may have made it while we waited.
      const now = db.prepare("SELECT count(*) AS count FROM sqlite_master").get() as { count: number }
      if (now.count === 0) db.exec(createIndex)
      db.exec("COMMIT")
    }
    const meta = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").get()
    if (meta === undefined) return false
    const version = db.prepare("SELECT value FROM meta WHERE name = 'version'").get() as { value: number } | undefined
    return version?.value === indexVersion
  }

  close(): void {
    this.#db.close()
  }

  #sql(text: string): Statement {
    let statement = this.#prepared.get(text)
    if (statement === undefined) {
      statement = this.#db.prepare(text)
      this.#prepared.set(text, statement)
    }
    return statement
  }

  #get<R>(text: string, ...values: ReadonlyArray<SqlValue>): R | undefined {
    return this.#sql(text).get(...values) as R | undefined
  }

  #all<R>(text: string, ...values: ReadonlyArray<SqlValue>): ReadonlyArray<R> {
    return this.#sql(text).all(...values) as ReadonlyArray<R>
  }

  /** All of `work` or nothing of it. */
  transaction<A>(work: () => A): A {
    this.#db.exec("BEGIN IMMEDIATE")
    try {
      const result = work()
      this.#db.exec("COMMIT")
      return result
    } catch (error) {
      try {
        this.#db.exec("ROLLBACK")
      } catch {
        // The database ended it already.
      }
      throw error
    }
  }

  /** How far each segment is in the index. */
  segments(): ReadonlyMap<number, { readonly inode: number; readonly readTo: number }> {
    const rows = this.#all<{ segment: number; inode: number; read_to: number }>("SELECT * FROM segment")
    return new Map(rows.map(({ segment, inode, read_to }) => [segment, { inode, readTo: read_to }]))
  }

  setSegment(segment: number, inode: number, readTo: number): void {
    this.#sql("INSERT OR REPLACE INTO segment VALUES (?, ?, ?)").run(segment, inode, readTo)
  }

  /** Takes everything of a segment out. */
  removeSegment(segment: number): void {
    for (const { record } of this.#all<{ record: number }>("SELECT record FROM record WHERE segment = ?", segment)) {
      this.#remove(record)
    }
    this.#sql("DELETE FROM segment WHERE segment = ?").run(segment)
  }

  has(id: string): boolean {
    return this.#get("SELECT 1 FROM record WHERE id = ?", id) !== undefined
  }

  counts(): { readonly records: number; readonly sessions: number; readonly terms: number } {
    const rows = this.#all<{ name: string; value: number }>("SELECT name, value FROM meta")
    const value = (name: string) => rows.find((row) => row.name === name)?.value ?? 0
    return { records: value("records"), sessions: value("sessions"), terms: value("terms") }
  }

  #count(name: "records" | "sessions" | "terms", by: number): void {
    this.#sql("UPDATE meta SET value = value + ? WHERE name = ?").run(by, name)
  }

  /** Takes a record in; one with an id that is known changes nothing. */
  insert(memory: MemoryRecord, place: RecordPlace): void {
    if (this.has(memory.id)) return
    const terms = termsOf(memory.text)
    let session = this.#get<{ session: number }>(
      "SELECT session FROM session WHERE session_id = ?",
      memory.session_id
    )?.session
    if (session === undefined) {
      this.#sql("INSERT INTO session (session_id, began, turns, terms) VALUES (?, ?, 0, 0)").run(
        memory.session_id,
        memory.created
      )
      session = this.#get<{ id: number }>("SELECT last_insert_rowid() AS id")?.id ?? 0
      this.#count("sessions", 1)
    }
    const supersededBy =
      this.#get<{ superseded_by: string }>("SELECT superseded_by FROM superseded WHERE id = ?", memory.id)
        ?.superseded_by ?? null
    this.#sql(
      "INSERT INTO record (id, session, kind, created, segment, read_at, length, superseded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    ).run(memory.id, session, memory.kind, memory.created, place.segment, place.offset, place.length, supersededBy)
    const record = this.#get<{ id: number }>("SELECT last_insert_rowid() AS id")?.id ?? 0
    const body = terms.join(" ")
    this.#sql("INSERT INTO body VALUES (?, ?)").run(record, body)
    this.#sql("INSERT INTO term_index (rowid, terms) VALUES (?, ?)").run(record, body)
    const more = this.#sql("INSERT INTO term VALUES (?, 1) ON CONFLICT (term) DO UPDATE SET frequency = frequency + 1")
    for (const term of new Set(terms)) more.run(term)
    this.#sql("UPDATE session SET turns = turns + 1, terms = terms + ? WHERE session = ?").run(terms.length, session)
    this.#count("records", 1)
    this.#count("terms", terms.length)
    for (const id of memory.supersedes ?? []) {
      this.#sql("INSERT OR REPLACE INTO superseded VALUES (?, ?)").run(id, memory.id)
      this.#sql("UPDATE record SET superseded_by = ? WHERE id = ?").run(memory.id, id)
    }
  }

  /**
   * Lets `work` remove records so that no word of them stays in the file: what SQLite frees, it else leaves as it was, and a search index holds the
   * words of a removed row until its parts are merged.
   */
  erasing(work: () => void): void {
    this.#db.exec("PRAGMA secure_delete = ON")
    this.transaction(() => {
      work()
      this.#sql("INSERT INTO term_index (term_index) VALUES ('optimize')").run()
    })
    this.#sql("PRAGMA wal_checkpoint(TRUNCATE)").get()
  }

  remove(id: string): void {
    const row = this.#get<{ record: number }>("SELECT record FROM record WHERE id = ?", id)
    if (row !== undefined) this.#remove(row.record)
  }

  /** A record's line stands elsewhere now. One whose line is found twice keeps the first. */
  move(id: string, place: RecordPlace): void {
    this.#sql("UPDATE record SET read_at = ?, length = ? WHERE id = ? AND segment = ?").run(
      place.offset,
      place.length,
      id,
      place.segment
    )
  }

  #remove(record: number): void {
    const row = this.#get<{ id: string; session: number; terms: string }>(
      "SELECT id, session, terms FROM record JOIN body USING (record) WHERE record = ?",
      record
    )
    if (row === undefined) return
    const terms = splitTerms(row.terms)
    const fewer = this.#sql("UPDATE term SET frequency = frequency - 1 WHERE term = ?")
    for (const term of new Set(terms)) {
      fewer.run(term)
      this.#sql("DELETE FROM term WHERE term = ? AND frequency <= 0").run(term)
    }
    this.#sql("DELETE FROM term_index WHERE rowid = ?").run(record)
    this.#sql("DELETE FROM body WHERE record = ?").run(record)
    this.#sql("DELETE FROM record WHERE record = ?").run(record)
    // What it had taken the place of stands again.
    this.#sql("DELETE FROM superseded WHERE superseded_by = ?").run(row.id)
    this.#sql("UPDATE record SET superseded_by = NULL WHERE superseded_by = ?").run(row.id)
    this.#sql("UPDATE session SET turns = turns - 1, terms = terms - ? WHERE session = ?").run(
      terms.length,
      row.session
    )
    this.#sql("DELETE FROM session WHERE session = ? AND turns <= 0").run(row.session)
    this.#count("sessions", -(this.#get<{ n: number }>("SELECT changes() AS n")?.n ?? 0))
    this.#count("records", -1)
    this.#count("terms", -terms.length)
  }

  /** Records, newest first. */
  newest(limit: number, only: { readonly kind?: string | undefined; readonly sessionId?: string | undefined } = {}) {
    return this.#all<RecordRow>(
      `SELECT ${recordColumns} FROM record WHERE (? IS NULL OR kind = ?)
       AND (? IS NULL OR session = (SELECT session FROM session WHERE session_id = ?)) ORDER BY record DESC LIMIT ?`,
      only.kind ?? null,
      only.kind ?? null,
      only.sessionId ?? null,
      only.sessionId ?? null,
      limit
    ).map(indexed)
  }

  /** Records whose id begins so, at most ten. */
  startingWith(prefix: string): ReadonlyArray<IndexedRecord> {
    return this.#all<RecordRow>(
      `SELECT ${recordColumns} FROM record WHERE id >= ? AND id < ? ORDER BY id LIMIT 10`,
      prefix,
      `${prefix}\uffff`
    ).map(indexed)
  }

  /** Ids of sessions that begin so, at most ten. */
  sessionsStartingWith(prefix: string): ReadonlyArray<string> {
    return this.#all<{ session_id: string }>(
      "SELECT session_id FROM session WHERE session_id >= ? AND session_id < ? ORDER BY session_id LIMIT 10",
      prefix,
      `${prefix}\uffff`
    ).map(({ session_id }) => session_id)
  }

  byNumber(record: number): IndexedRecord | undefined {
    const row = this.#get<RecordRow>(`SELECT ${recordColumns} FROM record WHERE record = ?`, record)
    return row === undefined ? undefined : indexed(row)
  }

  kinds(): ReadonlyArray<{ readonly kind: string; readonly count: number }> {
    return this.#all("SELECT kind, count(*) AS count FROM record GROUP BY kind ORDER BY kind")
  }

  supersededCount(): number {
    return this.#get<{ n: number }>("SELECT count(*) AS n FROM record WHERE superseded_by IS NOT NULL")?.n ?? 0
  }

  /** What ranking must know of the store for these terms. */
  collection(terms: ReadonlyArray<string>): Collection {
    const { records, sessions, terms: total } = this.counts()
    const known = new Map<string, number>()
    for (const term of new Set(terms)) {
      known.set(
        term,
        this.#get<{ frequency: number }>("SELECT frequency FROM term WHERE term = ?", term)?.frequency ?? 0
      )
    }
    return { turns: records, sessions, terms: total, frequency: (term) => known.get(term) ?? 0 }
  }

  /**
   * The sessions that may answer a question. The rows of its rare terms lead to them; the common ones are only counted where those lead, and lead
   * themselves, with a bound, when there are no rare ones. So the work does not grow with the store.
   */
  candidates(terms: ReadonlyArray<string>, collection: Collection): ReadonlyArray<CandidateSession> {
    const distinct = [...new Set(terms.slice(0, mostQuestionTerms))]
      .filter((term) => collection.frequency(term) > 0)
      .sort((left, right) => collection.frequency(left) - collection.frequency(right))
      .slice(0, mostTerms)
    const found = new Found()
    const weight = (term: string) => idf(collection.turns, collection.frequency(term))
    const most = bounds(collection.turns)
    let budget = most.rows
    let rare = 0
    for (const term of distinct) {
      const frequency = collection.frequency(term)
      if (frequency > budget) break
      budget -= frequency
      rare++
      found.add(this.#rowsOf(phrase(term), frequency), weight(term))
    }
    const common = distinct.slice(rare, rare + 4)
    if (rare === 0 || found.size < 20) {
      for (const [at, one] of common.entries()) {
        for (const other of common.slice(at + 1)) {
          const rows = this.#rowsOf(`${phrase(one)} AND ${phrase(other)}`, mostCommonRows)
          found.add(rows, weight(one) + weight(other))
        }
      }
      const [rarest] = common
      if (found.size === 0 && rarest !== undefined)
        found.add(this.#rowsOf(phrase(rarest), mostCommonRows), weight(rarest))
    }
    return this.#candidates(found.best(most.sessions))
  }

  #rowsOf(match: string, limit: number): ReadonlyArray<FoundRow> {
    return this.#all<FoundRow>(
      `SELECT record, session FROM (SELECT rowid AS record FROM term_index WHERE term_index MATCH ? ORDER BY rowid DESC LIMIT ?)
       JOIN record USING (record)`,
      match,
      limit
    )
  }

  /** The turns around the rows that were found. Turns of a session mostly follow one another, so neighbours have the numbers beside theirs. */
  #candidates(
    found: ReadonlyArray<{ readonly session: number; readonly rows: ReadonlyArray<number> }>
  ): ReadonlyArray<CandidateSession> {
    const sessions = this.#all<{ session: number; began: string; terms: number }>(
      "SELECT session, began, terms FROM session WHERE session IN (SELECT value FROM json_each(?))",
      JSON.stringify(found.map(({ session }) => session))
    )
    const bodies = this.#all<{ session: number; record: number; terms: string; superseded_by: string | null }>(
      `SELECT DISTINCT near.session, near.record, near.superseded_by, body.terms
       FROM json_each(?) AS found JOIN record ON record.record = found.value
       JOIN record AS near ON near.record BETWEEN record.record - 1 AND record.record + 1 AND near.session = record.session
       JOIN body ON body.record = near.record ORDER BY near.record`,
      JSON.stringify(found.flatMap(({ rows }) => rows))
    )
    const turns = new Map<number, Array<Turn>>(found.map(({ session }) => [session, []]))
    for (const { session, record, terms, superseded_by } of bodies) {
      turns.get(session)?.push({ id: record, terms: splitTerms(terms), superseded: superseded_by !== null })
    }
    return sessions.map(({ session, began, terms }) => ({
      session,
      began,
      length: terms,
      turns: turns.get(session) ?? []
    }))
  }
}

interface RecordRow {
  readonly record: number
  readonly id: string
  readonly segment: number
  readonly read_at: number
  readonly length: number
  readonly superseded_by: string | null
}
const recordColumns = "record, id, segment, read_at, length, superseded_by"
const indexed = (row: RecordRow): IndexedRecord => ({
  record: row.record,
  id: row.id,
  segment: row.segment,
  offset: row.read_at,
  length: row.length,
  supersededBy: row.superseded_by
})

interface FoundRow {
  readonly record: number
  readonly session: number
}

/** The rows that the terms of a question lead to, and what they weigh. */
class Found {
  readonly #rows = new Map<number, { readonly session: number; weight: number }>()

  get size(): number {
    return this.#rows.size
  }

  add(rows: ReadonlyArray<FoundRow>, weight: number): void {
    for (const { record, session } of rows) {
      const known = this.#rows.get(record)
      if (known === undefined) this.#rows.set(record, { session, weight })
      else known.weight += weight
    }
  }

  /** The sessions with the best row; of equals the newest. */
  best(limit: number): ReadonlyArray<{ readonly session: number; readonly rows: ReadonlyArray<number> }> {
    const sessions = new Map<number, { best: number; sum: number; rows: Array<[record: number, weight: number]> }>()
    for (const [record, { session, weight }] of this.#rows) {
      const known = sessions.get(session) ?? { best: 0, sum: 0, rows: [] }
      known.best = Math.max(known.best, weight)
      known.sum += weight
      known.rows.push([record, weight])
      sessions.set(session, known)
    }
    return [...sessions]
      .map(([session, { best, sum, rows }]) => ({ session, rows, score: best + 0.2 * Math.sqrt(sum) }))
      .sort((left, right) => right.score - left.score || right.session - left.session)
      .slice(0, limit)
      .map(({ session, rows }) => ({
        session,
        rows: rows
          .sort((left, right) => right[1] - left[1])
          .slice(0, mostRowsOfSession)
          .map(([record]) => record)
      }))
  }
}

const phrase = (term: string): string => `"${term.replaceAll('"', "")}"`
const splitTerms = (terms: string): ReadonlyArray<string> => (terms === "" ? [] : terms.split(" "))
