import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { antigravityAdapter } from "../../../src/providers/antigravity/adapter.ts"
import type { Delivery } from "../../../src/providers/ProviderAdapter.ts"

/** Payloads and transcripts as public reports describe them. None is a capture. */
export const fixtures = path.join(import.meta.dirname, "../../fixtures/antigravity")

export type Json = Record<string, unknown>

/** The name of a sample (`PostToolUse-1`), of which the first word is the event, and the payload in it. */
export const payloads: ReadonlyArray<readonly [string, Json]> = fs
  .readdirSync(fixtures)
  .filter((name) => /^[A-Z]\w+-\d+\.reconstructed\.json$/.test(name))
  .sort()
  .map((name) => [name.split(".")[0] ?? "", JSON.parse(fs.readFileSync(path.join(fixtures, name), "utf8"))])

/** One payload by name, with other fields where they are given. */
export const payload = (name: string, fields: Json = {}): Json => {
  const found = payloads.find(([given]) => given === name)
  if (found === undefined) throw new Error(`no fixture ${name}`)
  return { ...found[1], ...fields }
}

export const transcript = (name: "transcript" | "transcript_full"): string =>
  fs.readFileSync(path.join(fixtures, `${name}.reconstructed.jsonl`), "utf8")

export const read = (event: string | undefined, payload: unknown, parentPid?: number): Delivery =>
  Effect.runSync(
    antigravityAdapter.read({ payload, event, env: {}, ...(parentPid === undefined ? {} : { parentPid }) })
  )

/** A sample as the hook of its event gives it. */
export const readSample = (name: string, fields: Json = {}, parentPid?: number): Delivery =>
  read(name.split("-")[0], payload(name, fields), parentPid)
