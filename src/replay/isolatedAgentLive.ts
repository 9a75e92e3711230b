import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process"
import type { Keyring } from "../archive/Keyring.ts"
import type { LockService } from "../archive/LockService.ts"
import type { SessionArchive } from "../archive/SessionArchive.ts"
import type { Configuration } from "../control/Configuration.ts"
import type { Toggles } from "../control/Toggles.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import type { Processes } from "../platform/Processes.ts"
import type { Worktrees } from "../platform/Worktrees.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { AgentClis } from "./agentClis.ts"
import { converse } from "./converse.ts"
import { IsolatedAgent, PlaceError } from "./IsolatedAgent.ts"
import { type Launch, makePlace } from "./isolatedPlace.ts"

/** Runs real agents: each in a fresh settings home, in a workspace of its own, recorded by this program's hooks. */
export const isolatedAgentLayer = Layer.effect(
  IsolatedAgent,
  Effect.gen(function* () {
    const machine = yield* Effect.context<
      | Disk
      | Host
      | Processes
      | Keyring
      | LockService
      | SessionArchive
      | Toggles
      | Configuration
      | Redactor
      | Worktrees
      | ChildProcessSpawner.ChildProcessSpawner
    >()
    const clis = yield* AgentClis
    /** By settings home, which is one place's alone. */
    const launches = new Map<string, Launch>()
    return IsolatedAgent.of({
      place: (request) =>
        Effect.gen(function* () {
          const { place, launch } = yield* makePlace(request).pipe(Effect.provideService(AgentClis, clis))
          yield* Effect.acquireRelease(
            Effect.sync(() => launches.set(place.settingsRoot, launch)),
            () => Effect.sync(() => launches.delete(place.settingsRoot))
          )
          return place
        }).pipe(Effect.provideContext(machine)),
      converse: (place, conversation) =>
        Effect.suspend(() => {
          const launch = launches.get(place.settingsRoot)
          return launch === undefined
            ? Effect.fail(new PlaceError({ arm: place.arm.name, reason: "its place is gone" }))
            : converse(place, launch, conversation)
        }).pipe(Effect.provideContext(machine))
    })
  })
)
