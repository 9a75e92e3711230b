import { DiskError } from "../../platform/Disk.ts"

/** What the system's word for a failure means, and what helps. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: "you have no permission for that. Look at its owner and mode, and at those of the directories above it.",
  EPERM: "the system does not permit that. Look at its owner and attributes.",
  EROFS: "the file system is read-only.",
  ENOSPC: "no space is left on the disk. Make room, then run the command again.",
  EDQUOT: "your quota of disk space is used up. Make room, then run the command again.",
  ENOENT: "it does not exist.",
  ENOTDIR: "a part of the path is a file where a directory should be.",
  EISDIR: "it is a directory where a file should be.",
  EEXIST: "it exists already.",
  ELOOP: "its links lead nowhere, or are not to be followed.",
  ENAMETOOLONG: "the path is longer than the system allows.",
  EFTYPE: "it is no regular file.",
  EFBIG: "it is too large to be read as a whole.",
  EIO: "the disk failed.",
  EBADMSG: "what is in it cannot be read. Put it back from a backup.",
  EMFILE: "too many files are open.",
  ENFILE: "too many files are open.",
  EBUSY: "another program holds it.",
  ETXTBSY: "another program runs it.",
  EXDEV: "it lies on another file system."
}

/** A failed file operation as a sentence for a person: `/p/x: the file system is read-only. (open EROFS)` */
export const diskSentence = ({ operation, path, code }: DiskError): string =>
  `${path}: ${meanings[code] ?? "the system refused."} (${operation} ${code})`

/** What a failure says to a person. */
export const told = (error: Error): string => (error instanceof DiskError ? diskSentence(error) : error.message)
