import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { ensurePrivateDirectory } from "../archive/privateDirectory.ts"
import { NoKey } from "../control/Toggles.ts"
import { shellWord } from "../domain/shellWord.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { hmacSha256, sameDigest } from "../platform/digest.ts"
import { userDirectories } from "../platform/userDirectories.ts"

/**
 * A scenario's commands run with the user's rights, and a scenario may come from anyone. They run after the user agreed to that very file: what was agreed
 * to is kept by its SHA-256 in the user's state directory, signed with the user's key, and a file that changed by one byte is another one.
 */
const TrustFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  scenario_digest: Schema.String,
  agreed_at: Schema.String,
  key_id: Schema.String,
  signature: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(TrustFile))

/** Validators were to run, and nobody agreed to them. */
export class ScenarioNotTrusted extends Data.TaggedError("ScenarioNotTrusted")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} holds commands that nobody has agreed to, so nothing was run. Read them, then agree with \`lint-ai scenario trust ${shellWord(this.path)}\` in a terminal, or with --yes.`
  }
}

const trustPath = (digest: string) =>
  Effect.map(userDirectories, ({ state }) => path.join(state, "scenario-trust", `${digest}.json`))

const signatureOf = (key: ChainKey, digest: string, agreedAt: string): string =>
  hmacSha256(key.secret, `lint-ai scenario trust 1\n${digest}\n${agreedAt}`)

/** Whether the user agreed to the commands of the scenario file with this digest. Creates nothing, never fails. */
export const isTrusted = Effect.fn("isTrusted")(function* (digest: string) {
  const disk = yield* Disk
  const keyring = yield* Keyring
  const bytes = yield* disk.readFile(yield* trustPath(digest)).pipe(Effect.orElseSucceed(() => undefined))
  const trust = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
  if (trust === undefined || trust.scenario_digest !== digest) return false
  const key = yield* keyring.byId(trust.key_id)
  return (
    key !== undefined && key.secret.length > 0 && sameDigest(trust.signature, signatureOf(key, digest, trust.agreed_at))
  )
})

/** Keeps that the user agreed to the commands of the scenario file with this digest. */
export const trust = Effect.fn("trust")(function* (digest: string) {
  const keyring = yield* Keyring
  const key = yield* keyring.current
  if (key.secret.length === 0) return yield* new NoKey()
  const agreedAt = timestampOf(yield* Clock.currentTimeMillis)
  const file = yield* trustPath(digest)
  const { state } = yield* userDirectories
  yield* ensurePrivateDirectory(state)
  yield* ensurePrivateDirectory(path.dirname(file))
  const content: typeof TrustFile.Type = {
    schema_version: 1,
    scenario_digest: digest,
    agreed_at: agreedAt,
    key_id: key.id,
    signature: signatureOf(key, digest, agreedAt)
  }
  yield* replaceFile(file, Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`))
})
