import * as zlib from "node:zlib"
import * as Data from "effect/Data"

/** The little of the ZIP format that evidence bundles need (APPNOTE 6.3.9): stored and deflated members, no encryption, no ZIP64. */
export interface ZipMember {
  readonly name: string
  readonly bytes: Buffer
}

/** Bytes that are no ZIP file, or one that cannot be trusted to unpack. */
export class ZipInvalid extends Data.TaggedError("ZipInvalid")<{ readonly problem: string }> {
  override get message(): string {
    return `the bundle is no valid ZIP file: ${this.problem}`
  }
}

const localMark = 0x04034b50
const centralMark = 0x02014b50
const endMark = 0x06054b50
const deflated = 8
const utf8Names = 0x0800
/** 1980-01-01, the first day that the format knows: the same members give the same bytes. */
const noDate = 0x0021
/** More than any bundle; a small file that unpacks to more was made to harm. */
const mostBytes = 512 * 1024 * 1024

const table = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})
const crc32 = (bytes: Uint8Array): number => {
  let value = -1
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0)
  return (value ^ -1) >>> 0
}

/** A ZIP file of the members in their order, deflated. */
export const writeZip = (members: ReadonlyArray<ZipMember>): Buffer => {
  const pieces: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const { name, bytes } of members) {
    const packed = zlib.deflateRawSync(bytes)
    const encoded = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(utf8Names, 2)
    common.writeUInt16LE(deflated, 4)
    common.writeUInt16LE(0, 6)
    common.writeUInt16LE(noDate, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(encoded.length, 22)
    const local = Buffer.concat([uint32(localMark), common, encoded, packed])
    const attributes = Buffer.alloc(14)
    attributes.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([uint32(centralMark), Buffer.from([20, 0]), common, attributes, encoded]))
    pieces.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(members.length, 4)
  end.writeUInt16LE(members.length, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...pieces, central, uint32(endMark), end])
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The members of a ZIP file in the order of its directory; a name that is there twice comes twice. Throws ZipInvalid. */
export const readZip = (file: Buffer): ReadonlyArray<ZipMember> => {
  try {
    return readMembers(file)
  } catch (error) {
    if (error instanceof ZipInvalid) throw error
    // A read past the end, or a stream that does not inflate.
    throw new ZipInvalid({ problem: "it is cut off or damaged" })
  }
}

const readMembers = (file: Buffer): ReadonlyArray<ZipMember> => {
  const entries = readDirectory(file)
  // Before anything is unpacked, since many names may stand for the same bytes.
  if (entries.reduce((total, { size }) => total + size, 0) > mostBytes) {
    throw new ZipInvalid({ problem: "it unpacks to more than 512 MiB" })
  }
  return entries.map((entry) => unpack(file, entry))
}

interface Entry {
  readonly name: string
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  /** Where the member begins in the file. */
  readonly local: number
}

const readDirectory = (file: Buffer): ReadonlyArray<Entry> => {
  const end = file.lastIndexOf(uint32(endMark))
  if (end < 0) throw new ZipInvalid({ problem: "it has no directory" })
  const count = file.readUInt16LE(end + 10)
  const entries: Array<Entry> = []
  let at = file.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    if (file.readUInt32LE(at) !== centralMark) throw new ZipInvalid({ problem: "its directory is damaged" })
    const nameLength = file.readUInt16LE(at + 28)
    const name = file.toString("utf8", at + 46, at + 46 + nameLength)
    if ((file.readUInt16LE(at + 8) & 1) !== 0) throw new ZipInvalid({ problem: `${JSON.stringify(name)} is encrypted` })
    entries.push({
      name,
      method: file.readUInt16LE(at + 10),
      crc: file.readUInt32LE(at + 16),
      packedSize: file.readUInt32LE(at + 20),
      size: file.readUInt32LE(at + 24),
      local: file.readUInt32LE(at + 42)
    })
    at += 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

const unpack = (file: Buffer, { crc, local, method, name, packedSize, size }: Entry): ZipMember => {
  if (file.readUInt32LE(local) !== localMark) throw new ZipInvalid({ problem: "a member is not where it should be" })
  const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
  const packed = file.subarray(start, start + packedSize)
  if (packed.length < packedSize) throw new ZipInvalid({ problem: "it is cut off" })
  if (method !== 0 && method !== deflated) throw new ZipInvalid({ problem: "a member is packed in an unknown way" })
  const bytes = method === 0 ? Buffer.from(packed) : zlib.inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
  if (bytes.length !== size || crc32(bytes) !== crc) {
    throw new ZipInvalid({ problem: `${JSON.stringify(name)} does not fit its checksum` })
  }
  return { name, bytes }
}
