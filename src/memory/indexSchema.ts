/**
 * The index of a memory: derived from its segments, thrown away and built again whenever it is missing, damaged or of another version.
 *
 * Terms are made by termsOf, so the tokenizer of FTS5 only has to keep them whole. It finds the rows; what they are worth is computed from `body`
 * (rank.ts). So FTS5 keeps no text, no positions and nothing to rank by.
 */
export const indexVersion = 1

export const createIndex = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE segment (segment INTEGER PRIMARY KEY, inode INTEGER NOT NULL, read_to INTEGER NOT NULL);
  CREATE TABLE session (
    session INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, began TEXT NOT NULL, turns INTEGER NOT NULL, terms INTEGER NOT NULL
  );
  CREATE TABLE record (
    record INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session INTEGER NOT NULL, kind TEXT NOT NULL, created TEXT NOT NULL,
    segment INTEGER NOT NULL, read_at INTEGER NOT NULL, length INTEGER NOT NULL, superseded_by TEXT
  );
  CREATE INDEX record_of_session ON record (session);
  CREATE INDEX record_of_segment ON record (segment);
  CREATE TABLE superseded (id TEXT PRIMARY KEY, superseded_by TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE body (record INTEGER PRIMARY KEY, terms TEXT NOT NULL);
  CREATE TABLE term (term TEXT PRIMARY KEY, frequency INTEGER NOT NULL) WITHOUT ROWID;
  CREATE VIRTUAL TABLE term_index USING fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
  );
  INSERT INTO meta VALUES ('version', ${indexVersion}), ('records', 0), ('sessions', 0), ('terms', 0);
`
