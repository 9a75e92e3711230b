/**
 * The part of Git's index that tells whether a work tree has changed: what each file looked like when it was staged.
 * Format: gitformat-index(5), versions 2 to 4.
 */
export interface IndexEntry {
  readonly path: string
  readonly modifiedMs: number
  readonly size: number
  /** Regular file, link or submodule, from the upper four bits of the mode. */
  readonly kind: "file" | "link" | "submodule"
  /** Merge conflict, or a file that Git was told not to look at. */
  readonly special: "none" | "conflict" | "unwatched"
}

export interface GitIndex {
  readonly entries: ReadonlyArray<IndexEntry>
  /** Whether the cached tree is whole: `git add` and its like make it partial until the next commit. */
  readonly committed: boolean
}

const kinds: Record<number, IndexEntry["kind"]> = { 10: "link", 14: "submodule" }

/** Reads an index with SHA-1 or SHA-256 object names; undefined when it is none, or has more than `most` entries. */
export const parseIndex = (bytes: Buffer, most: number): GitIndex | undefined => {
  if (bytes.length < 32 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  if (version < 2 || version > 4 || count > most) return undefined
  try {
    return parseEntries(bytes, version, count, 20) ?? parseEntries(bytes, version, count, 32)
  } catch {
    // A read past the end: not what it said to be.
    return undefined
  }
}

const parseEntries = (bytes: Buffer, version: number, count: number, nameLength: number): GitIndex | undefined => {
  const entries: Array<IndexEntry> = []
  let at = 12
  let previous = ""
  for (let n = 0; n < count; n++) {
    const start = at
    const flagsAt = at + 40 + nameLength
    const flags = bytes.readUInt16BE(flagsAt)
    const extended = (flags & 0x4000) !== 0
    const extra = extended ? bytes.readUInt16BE(flagsAt + 2) : 0
    at = flagsAt + (extended ? 4 : 2)
    let prefix = ""
    if (version === 4) {
      let drop = 0
      for (let more = true; more; ) {
        const byte = bytes.readUInt8(at++)
        drop = (drop << 7) | (byte & 0x7f)
        more = (byte & 0x80) !== 0
        if (more) drop++
      }
      prefix = previous.slice(0, Math.max(0, previous.length - drop))
    }
    const end = bytes.indexOf(0, at)
    if (end < 0) return undefined
    // Bytes as latin1, so that a prefix is cut where Git cuts it.
    const name = prefix + bytes.toString("latin1", at, end)
    previous = name
    at = version === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8
    entries.push({
      path: Buffer.from(name, "latin1").toString("utf8"),
      modifiedMs: bytes.readUInt32BE(start + 8) * 1000 + bytes.readUInt32BE(start + 12) / 1e6,
      size: bytes.readUInt32BE(start + 36),
      kind: kinds[bytes.readUInt32BE(start + 24) >>> 12] ?? "file",
      special:
        (flags & 0x3000) !== 0 ? "conflict" : (flags & 0x8000) !== 0 || (extra & 0x6000) !== 0 ? "unwatched" : "none"
    })
  }
  const committed = hasWholeTree(bytes, at, nameLength)
  return committed === undefined ? undefined : { entries, committed }
}

/** Whether the TREE extension's first entry, the root, is valid; undefined when no extension can begin here (a wrong guess of the hash). */
const hasWholeTree = (bytes: Buffer, start: number, nameLength: number): boolean | undefined => {
  let at = start
  while (at + 8 <= bytes.length - nameLength) {
    const name = bytes.toString("latin1", at, at + 4)
    if (!/^[A-Za-z]{4}$/.test(name)) return undefined
    const size = bytes.readUInt32BE(at + 4)
    if (name === "TREE") return bytes[at + 8] === 0 && bytes[at + 9] !== 0x2d
    at += 8 + size
  }
  return at === bytes.length - nameLength ? false : undefined
}
