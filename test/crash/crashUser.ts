import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Toggles } from "../../src/control/Toggles.ts"
import { togglesOf } from "../../src/domain/mode.ts"
import { type Provider, providers } from "../../src/domain/provider.ts"
import type { Fault } from "../support/faultPoints.ts"
import { diagnosticsOf, machineOf, newUser, type TestUser, userIn } from "../support/recording.ts"
import { archiveOf, type Held, heldBy } from "./archiveCheck.ts"
import type { HookDelivery } from "./deliveries.ts"
import { runDelivery } from "./hookRun.ts"

/** Turns recording on for every agent. */
const recordAll = (user: TestUser) =>
  Effect.gen(function* () {
    const toggles = yield* Toggles
    yield* Effect.forEach(providers, (provider) =>
      toggles.change(user.project, provider, () => togglesOf("capture-only"))
    )
    return user
  }).pipe(Effect.provide(machineOf(user)))

/** Users of one machine, each with a project in which every agent is recorded. */
export const recordedUsers = (count: number) =>
  Effect.flatMap(newUser, ({ directory }) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => userIn(directory, `user${n}`)),
      recordAll
    )
  )

/** What the readers see in a session. */
export const read = (user: TestUser, provider: Provider, id: string): Promise<Held> =>
  Effect.runPromise(heldBy(archiveOf(user, provider, id)).pipe(Effect.provide(machineOf(user))))

/** Every operation on the disk that a delivery makes, as points at which something can go wrong. */
export const pointsOf = async (
  program: ReadonlyArray<string>,
  user: TestUser,
  delivery: HookDelivery
): Promise<ReadonlyArray<Omit<Fault, "side" | "action">>> => {
  const file = path.join(user.home, "trace")
  fs.rmSync(file, { force: true })
  const end = await runDelivery(program, user, delivery, { env: { LINT_AI_TEST_TRACE: file } })
  if (end.exitCode !== 0) throw new Error(`the delivery ended with ${end.exitCode}: ${end.stderr}`)
  return tracedIn(file)
}

/** The operations that change something on the disk. */
export const changes: ReadonlySet<string> = new Set([
  "open",
  "write",
  "truncate",
  "mkdir",
  "link",
  "symlink",
  "rename",
  "remove",
  "chmod"
])

/** The points that a program has written to its trace. */
export const tracedIn = (file: string): ReadonlyArray<Omit<Fault, "side" | "action">> =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [place = "", operation = "", nth = ""] = line.split(" ")
      return { place, operation, nth: Number(nth) }
    })

/** Runs `each` for every item, `lanes` at a time. */
export const inLanes = async <A>(
  lanes: number,
  items: ReadonlyArray<A>,
  each: (item: A, lane: number, index: number) => Promise<void>
): Promise<void> => {
  let next = 0
  const lane = async (number: number) => {
    while (next < items.length) {
      const index = next++
      await each(items[index] as A, number, index)
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
}

export const diagnosticCount = (user: TestUser): number => diagnosticsOf(user).length
