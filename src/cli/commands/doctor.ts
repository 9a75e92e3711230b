import { Command } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { findSessions } from "../../control/projectSessions.ts"
import { Toggles } from "../../control/Toggles.ts"
import { agentChecks } from "../doctor/agents.ts"
import { type Check, renderChecks } from "../doctor/Check.ts"
import { keyCheck, mcpCheck, programCheck, redactionCheck, spaceCheck, stateCheck } from "../doctor/machine.ts"
import {
  archivesCheck,
  consentCheck,
  diagnosticsCheck,
  gitCheck,
  locksCheck,
  memoryCheck,
  modesCheck,
  spoolCheck,
  workTreeCheck
} from "../doctor/project.ts"
import { givenProject, json, projectPlace } from "../options.ts"
import { projectOf } from "../project.ts"
import { report } from "../report.ts"

/** Something does not work; the report says what and how to mend it. */
export class DoctorFoundFaults extends Data.TaggedError("DoctorFoundFaults")<{
  readonly names: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Does not work: ${this.names.join(", ")}.`
  }
}

export const doctorCommand = Command.make(
  "doctor",
  {
    ...projectPlace(),
    json
  },
  Effect.fn("doctor")(function* (flags) {
    const given = givenProject(flags)
    const toggles = yield* Toggles
    const projectRoot = yield* projectOf(given)
    const consent = yield* toggles.read(projectRoot)
    const { sessions, unreadable } = yield* findSessions({ projectRoot })
    const checks: ReadonlyArray<Check> = [
      yield* programCheck,
      yield* keyCheck,
      yield* stateCheck,
      yield* redactionCheck(projectRoot, consent),
      yield* spaceCheck(projectRoot),
      yield* mcpCheck(projectRoot),
      consentCheck(projectRoot, consent),
      ...(yield* workTreeCheck(given, projectRoot)),
      ...(yield* agentChecks(projectRoot, consent)),
      ...(yield* modesCheck(projectRoot)),
      ...(yield* locksCheck(projectRoot, sessions)),
      yield* spoolCheck(sessions),
      archivesCheck(sessions, unreadable),
      ...(yield* memoryCheck(projectRoot, consent)),
      yield* gitCheck(projectRoot),
      yield* diagnosticsCheck(projectRoot)
    ]
    yield* report(flags.json, { project: projectRoot, checks }, (_, look) => renderChecks(checks, look.style))
    const failed = checks.filter((check) => check.state === "fail").map((check) => check.name)
    if (failed.length > 0) return yield* new DoctorFoundFaults({ names: failed })
  })
).pipe(Command.withDescription("Check everything that recording needs, with one remedy for each fault"))
