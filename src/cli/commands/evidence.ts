import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { Keyring } from "../../archive/Keyring.ts"
import { rotateKey } from "../../evidence/rotateKey.ts"
import { json } from "../options.ts"
import { renderTable } from "../render/table.ts"
import { report } from "../report.ts"

const show = Command.make(
  "show",
  { json },
  Effect.fn("evidence key show")(function* (flags) {
    const keyring = yield* Keyring
    const keys = yield* keyring.list
    yield* report(flags.json, { path: keyring.file, keys }, (_, look) =>
      keys.length === 0
        ? "No key yet: the first recording makes one.\n"
        : `${renderTable(
            keys,
            [
              { title: "FINGERPRINT", value: (key) => key.id },
              { title: "CREATED", value: (key) => key.created_at.slice(0, 16).replace("T", " ") },
              { title: "", value: (key) => (key.current ? "current" : "for older records") }
            ],
            look.columns
          )}\n${keyring.file}\nRecords cannot be verified without their keys: keep a copy of this file.\n`
    )
  })
).pipe(Command.withDescription("Show the fingerprints of your keys, never the keys"))

const rotate = Command.make(
  "rotate",
  { json },
  Effect.fn("evidence key rotate")(function* (flags) {
    const rotated = yield* rotateKey
    yield* report(flags.json, rotated, () =>
      [
        `New records are chained with ${rotated.current}.`,
        rotated.previous === null
          ? "There was no key before."
          : `Those of ${rotated.previous} still verify, and sessions that run now keep it.`,
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Chain new records with a new key; the old ones stay readable"))

const key = Command.make("key").pipe(
  Command.withDescription("The keys that chain your records"),
  Command.withSubcommands([show, rotate])
)

export const evidenceCommand = Command.make("evidence").pipe(
  Command.withDescription("What the integrity of your records rests on"),
  Command.withSubcommands([key])
)
