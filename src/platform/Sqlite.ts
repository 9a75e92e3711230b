import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Host } from "./Host.ts"

/** A database could not be used. `corrupt`: its file is none, or is damaged. `busy`: another process works in it. */
export class SqliteError extends Data.TaggedError("SqliteError")<{
  readonly path: string
  readonly problem: "corrupt" | "busy" | "other"
  /** SQLite's own word, which holds names of ours and no values. */
  readonly code: string
}> {
  override get message(): string {
    return `${this.path}: SQLite says ${this.code}`
  }
}

/** This runtime has no SQLite: Node before 22.16, and the optional package `libsql` is not installed. */
export class SqliteUnavailable extends Data.TaggedError("SqliteUnavailable") {
  readonly found = "This Node has no SQLite, so memory cannot be searched"
  readonly remedy = "Use the compiled lint-ai, Node 22.16 or later, or install the package libsql beside lint-ai."
  override get message(): string {
    return `${this.found}. ${this.remedy}`
  }
}

export type SqlValue = string | number | null
export type Row = Readonly<Record<string, SqlValue>>

export interface Statement {
  readonly run: (...values: ReadonlyArray<SqlValue>) => unknown
  readonly get: (...values: ReadonlyArray<SqlValue>) => unknown
  readonly all: (...values: ReadonlyArray<SqlValue>) => ReadonlyArray<unknown>
}

/** A database that is open. Synchronous; throws what the driver throws, which `sqliteErrorOf` understands. */
export interface Database {
  readonly exec: (sql: string) => unknown
  readonly prepare: (sql: string) => Statement
  readonly close: () => unknown
}

type Open = (path: string) => Database

/** SQLite with FTS5: the one of the runtime, else the package `libsql`. */
export class Sqlite extends Context.Service<
  Sqlite,
  {
    readonly driver: "node:sqlite" | "libsql" | "none"
    /** Opens a database, created when missing. Closing it is the caller's. */
    readonly open: (path: string) => Effect.Effect<Database, SqliteError | SqliteUnavailable>
  }
>()("lint-ai/platform/Sqlite") {
  /** Node 22.16 and later, Deno, Bun. */
  static readonly layerNode = Layer.sync(Sqlite, () => service("node:sqlite", nodeSqlite()))

  /** The optional package, as it is found from the running program. */
  static readonly layerLibsql = Layer.effect(
    Sqlite,
    Effect.map(Host, (host) => service("libsql", libsql(host.entry)))
  )

  /** Whichever works here, the runtime's own first. Looked for when the first database is opened. */
  static readonly layer = Layer.effect(
    Sqlite,
    Effect.map(Host, (host) => {
      const own = nodeSqlite()
      return own === undefined ? service("libsql", libsql(host.entry)) : service("node:sqlite", own)
    })
  )

  /** A runtime without SQLite, for tests. */
  static readonly layerNone = Layer.sync(Sqlite, () => service("none", undefined))
}

const service = (driver: "node:sqlite" | "libsql" | "none", open: Open | undefined) =>
  Sqlite.of({
    driver: open === undefined ? "none" : driver,
    open: (path) =>
      open === undefined
        ? Effect.fail(new SqliteUnavailable())
        : Effect.try({ try: () => open(path), catch: (error) => sqliteErrorOf(path, error) })
  })

const nodeSqlite = (): Open | undefined => {
  // Node 22 and 24 warn that it is experimental, on stderr, where an agent may show it to the user.
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const module: unknown = process.getBuiltinModule?.("node:sqlite")
    const { DatabaseSync } = (module ?? {}) as { readonly DatabaseSync?: new (path: string) => Database }
    return DatabaseSync === undefined ? undefined : (path) => new DatabaseSync(path)
  } catch {
    return undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/** @param entry the running script, beside whose package libsql is installed */
const libsql = (entry: string): Open | undefined => {
  try {
    // Not imported: the hook would load it each time, and needs it on Node 20 with memory on only.
    const Driver = process.getBuiltinModule("node:module").createRequire(entry)("libsql") as new (
      path: string
    ) => Database
    return (path) => new Driver(path)
  } catch {
    // Not installed, or not made for this platform.
    return undefined
  }
}

/** A file that is shorter than it says. */
const shortRead = 522
const corrupt = 11
const notADatabase = 26
const busy = 5
const locked = 6

/** What a driver threw: libsql names the code, node:sqlite numbers it. */
export const sqliteErrorOf = (path: string, error: unknown): SqliteError => {
  const {
    errcode,
    code,
    name: kind
  } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly errcode?: unknown
    readonly name?: unknown
    readonly code?: unknown
  }
  const name = typeof code === "string" ? code : ""
  const number = typeof errcode === "number" ? errcode & 0xff : undefined
  const problem =
    number === corrupt ||
    number === notADatabase ||
    errcode === shortRead ||
    /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(name)
      ? "corrupt"
      : number === busy || number === locked || /^SQLITE_(BUSY|LOCKED)/.test(name)
        ? "busy"
        : "other"
  // Deno's own refusals (NotCapable) have neither a number nor a code of SQLite.
  const kindTold = typeof kind === "string" && /^[A-Za-z]+$/.test(kind) && kind !== "Error" ? kind : "an error"
  const told = name.startsWith("SQLITE_") ? name : number === undefined ? kindTold : `error ${number}`
  return new SqliteError({ path, problem, code: told })
}
