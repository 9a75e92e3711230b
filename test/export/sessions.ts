import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import type { Provider } from "../../src/domain/provider.ts"
import { exportArchive, type Format } from "../../src/export/Exporter.ts"
import { adapterFor } from "../../src/providers/registry.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import type { TestUser } from "../support/recording.ts"

const fixtures = path.join(import.meta.dirname, "../fixtures")

/** Hook payloads as a provider sent them, each with the name of its event where the provider gives it in argv. */
export interface Payload {
  readonly event?: string
  readonly payload: unknown
}

/** The payloads of one captured session of Claude Code, in order. */
export const claudeSequence = (name: string): ReadonlyArray<Payload> =>
  fs
    .readFileSync(path.join(fixtures, "claude/sequences", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ payload: JSON.parse(line).payload }))

/** Captured payloads of any provider as one session: those of one conversation, in the order that is given. */
export const captured = (provider: Provider, names: ReadonlyArray<string>): ReadonlyArray<Payload> =>
  names.map((name) => {
    const payload = JSON.parse(fs.readFileSync(path.join(fixtures, provider, `${name}.json`), "utf8"))
    return { event: name.replace(/-\d+.*$/, ""), payload: payload.payload ?? payload }
  })

/** Records payloads as the hook does; every event at the time that the test's clock has. Gives the archives that there are then. */
export const record = Effect.fnUntraced(function* (
  user: TestUser,
  provider: Provider,
  payloads: ReadonlyArray<Payload>
) {
  const toggles = yield* Toggles
  const recorder = yield* Recorder
  yield* toggles.change(user.project, provider, (before) => ({ ...before, recording: true, mode: "capture-only" }))
  const adapter = adapterFor(provider)
  if (adapter === undefined) throw new Error(`no adapter for ${provider}`)
  for (const { event, payload } of payloads) {
    const delivery = yield* adapter.read({ payload, event, env: user.env })
    yield* recorder.record(adapter, { ...delivery, projectDirectory: user.project }, 5_000)
  }
  const root = sessionsRoot(user.project, provider)
  // A session that only ended was never recorded.
  return (fs.existsSync(root) ? fs.readdirSync(root) : [])
    .filter((name) => !name.startsWith("."))
    .map((name) => path.join(root, name))
})

export const archiveOf = (user: TestUser, provider: Provider, id: string) =>
  archiveFiles(path.join(sessionsRoot(user.project, provider), sessionDirectory(`${provider}:${id}`)))

/** What a format writes of an archive. */
export const exported = Effect.fnUntraced(function* (directory: string, format: Format) {
  const pieces: Array<string> = []
  yield* exportArchive(directory, format, (text) => Effect.sync(() => void pieces.push(text)))
  return pieces.join("")
})
