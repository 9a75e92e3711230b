import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { sha256 } from "../../platform/digest.ts"
import { type Runs, textOf } from "./runs.ts"

/** A reference into the vault, as this and no other place of a file: a record may come from anybody. */
const reference = /^vault:\/\/((?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+[A-Za-z0-9_-][A-Za-z0-9._-]*)$/

/**
 * Payloads beside the records that are gone, or are not those of which a record has the checksum, each as a sentence. None where a record's directory in
 * the vault is not here: it may be kept elsewhere, as other writers of the same chain do, or not be given away.
 */
export const vaultFaults = Effect.fn("vaultFaults")(function* (directory: string, { files }: Runs) {
  const disk = yield* Disk
  const vault = path.join(directory, "vault")
  const kindOf = (place: string) =>
    disk.status(place).pipe(
      Effect.map((status) => status?.kind),
      Effect.orElseSucceed(() => undefined)
    )
  const faults: Array<string> = []
  for (const { record } of files) {
    for (const side of ["request", "response"] as const) {
      const [, name] = reference.exec(textOf(record, `${side}_vault_ref`)) ?? []
      const checksum = textOf(record, `${side}_checksum`)
      if (name === undefined || !checksum.startsWith("sha256:")) continue
      const file = path.join(vault, name)
      if ((yield* kindOf(path.dirname(file))) !== "directory") continue
      if ((yield* kindOf(file)) !== "file") faults.push(`vault/${name} is gone`)
      else if (`sha256:${sha256(yield* disk.readFile(file))}` !== checksum) {
        faults.push(`vault/${name} is not what its record has the checksum of`)
      }
    }
  }
  return faults
})
