import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { geminiAdapter } from "../../../src/providers/gemini/adapter.ts"
import type { Delivery } from "../../../src/providers/ProviderAdapter.ts"

/** Payloads and session files of the real Gemini CLI 0.61.0, with the texts of a fake model. */
export const fixtures = path.join(import.meta.dirname, "../../fixtures/gemini")

export type Json = Record<string, unknown>

/** File name without extension (`AfterTool-3`) and the payload in it. */
export const payloads: ReadonlyArray<readonly [string, Json]> = fs
  .readdirSync(fixtures)
  .filter((name) => /^[A-Z]\w+-\d+\.json$/.test(name))
  .sort()
  .map((name) => [name.slice(0, -5), JSON.parse(fs.readFileSync(path.join(fixtures, name), "utf8"))])

/** One captured payload by name, with other fields where they are given. */
export const payload = (name: string, fields: Json = {}): Json => {
  const found = payloads.find(([given]) => given === name)
  if (found === undefined) throw new Error(`no fixture ${name}`)
  return { ...found[1], ...fields }
}

export const read = (payload: unknown, env: Record<string, string> = {}): Delivery =>
  Effect.runSync(geminiAdapter.read({ payload, event: undefined, env }))
