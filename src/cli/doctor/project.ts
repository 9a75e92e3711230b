import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { replaceFile } from "../../archive/atomicFile.ts"
import { LockService, leaseMs } from "../../archive/LockService.ts"
import type { SessionSummary } from "../../archive/readArchive.ts"
import { archiveFiles } from "../../archive/sessionDirectory.ts"
import { readSpool } from "../../archive/spool.ts"
import { Diagnostics } from "../../control/Diagnostics.ts"
import { lintAiDirectory } from "../../control/projectRoot.ts"
import { type Consent, inertReasons, inertRemedies } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import { providers, providerTitles } from "../../domain/provider.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { timestampOf } from "../../domain/timestamp.ts"
import { MemoryStore } from "../../memory/MemoryStore.ts"
import { memoryFiles, memoryPlace } from "../../memory/memoryPlace.ts"
import { ownedMemory } from "../../memory/owner.ts"
import { faultWords, segmentFaults } from "../../memory/segmentFaults.ts"
import { listSegments } from "../../memory/segments.ts"
import { Disk } from "../../platform/Disk.ts"
import { Git } from "../../platform/Git.ts"
import { Host } from "../../platform/Host.ts"
import { Processes } from "../../platform/Processes.ts"
import { userDirectories } from "../../platform/userDirectories.ts"
import { treeBelow, treeBelowWords } from "../project.ts"
import { told } from "../render/diskWords.ts"
import { type Check, fail, noted, ok, warn } from "./Check.ts"

export const consentCheck = (projectRoot: string, consent: Consent): Check => {
  if (consent._tag === "off") return noted("project", `${projectRoot} is off`, "lint-ai init turns recording on")
  if (consent._tag === "adopted") return ok("project", projectRoot)
  return fail(
    "project",
    `the .lint-ai in ${projectRoot} does not count, so nothing is recorded: ${inertReasons[consent.reason]}`,
    inertRemedies[consent.reason]
  )
}

/** Whether an agent that is started here belongs to the project that is looked at. */
export const workTreeCheck = Effect.fn("workTreeCheck")(function* (given: string | undefined, projectRoot: string) {
  const tree = yield* treeBelow(given, projectRoot)
  return tree === undefined ? [] : [warn("work tree", treeBelowWords(tree, projectRoot), "lint-ai init sets it up")]
})

/** Everything below a directory with its status; links are told, not followed. */
const walk = Effect.fnUntraced(function* (top: string) {
  const disk = yield* Disk
  const found: Array<{ readonly path: string; readonly mode: number; readonly owner: number; readonly kind: string }> =
    []
  const waiting = [top]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const current = next
    const status = yield* disk.status(current).pipe(Effect.orElseSucceed(() => undefined))
    if (status === undefined) continue
    found.push({ path: current, mode: status.mode, owner: status.owner, kind: status.kind })
    if (status.kind !== "directory") continue
    const names = yield* disk.list(current).pipe(Effect.orElseSucceed(() => []))
    waiting.push(...names.map((name) => path.join(current, name)))
  }
  return found
})

/** Modes and owners: what is recorded is for its owner alone. */
export const modesCheck = Effect.fn("modesCheck")(function* (projectRoot: string) {
  const host = yield* Host
  const directory = lintAiDirectory(projectRoot)
  const all = yield* walk(directory)
  const foreign = all.filter((one) => host.userId !== undefined && one.owner !== host.userId)
  const wide = all.filter((one) => one.kind !== "symlink" && (one.mode & 0o077) !== 0)
  const links = all.filter((one) => one.kind === "symlink")
  const example = (list: typeof all) => list[0]?.path ?? ""
  const checks: Array<Check> = []
  if (foreign.length > 0) {
    checks.push(
      fail(
        "owners",
        `${counted(foreign.length, "path")} of another user, as ${example(foreign)}`,
        `sudo chown -R "$USER" ${shellWord(directory)}`
      )
    )
  }
  if (wide.length > 0) {
    checks.push(
      fail(
        "modes",
        `${counted(wide.length, "path")} can be read by others, as ${example(wide)}`,
        `chmod -R go= ${shellWord(directory)}`
      )
    )
  }
  if (links.length > 0) {
    checks.push(
      fail(
        "links",
        `${example(links)} is a link, and lint-ai writes through none`,
        `remove it: rm ${shellWord(example(links))}`
      )
    )
  }
  if (checks.length === 0 && all.length > 0) checks.push(ok("modes", `${counted(all.length, "path")} for you alone`))
  return checks
})

/** Locks whose owners have died, or whom nobody can look at: the next writer takes the first over at once, the second after a while. */
export const locksCheck = Effect.fn("locksCheck")(function* (
  projectRoot: string,
  sessions: ReadonlyArray<SessionSummary>
) {
  const locks = yield* LockService
  const processes = yield* Processes
  const paths = [
    path.join(lintAiDirectory(projectRoot), "state.lock"),
    ...sessions.map((session) => archiveFiles(session.directory).lock)
  ]
  const stale: Array<Check> = []
  for (const lock of paths) {
    const owner = yield* locks.owner(lock)
    if (owner === undefined) continue
    const liveness = yield* processes.liveness(owner)
    if (liveness === "alive") continue
    stale.push(
      liveness === "dead"
        ? warn(
            "lock",
            `${lock} belongs to process ${owner.pid}, which has ended`,
            "nothing to do: the next hook takes it over; `lint-ai sessions recover` does it now"
          )
        : warn(
            "lock",
            `${lock} belongs to ${owner.host}`,
            `wait ${leaseMs / 1000} s; if nothing runs there, the next hook takes it over`
          )
    )
  }
  return stale.length === 0 ? [ok("locks", "none left behind")] : stale
})

export const spoolCheck = Effect.fn("spoolCheck")(function* (sessions: ReadonlyArray<SessionSummary>) {
  let waiting = 0
  let problems = 0
  for (const session of sessions) {
    const spool = yield* readSpool(archiveFiles(session.directory).spool).pipe(
      Effect.orElseSucceed(() => ({ waiting: [], problems: [] }))
    )
    waiting += spool.waiting.length
    problems += spool.problems.length
  }
  if (problems > 0)
    return warn("spool", `${counted(problems, "file")} that cannot be read`, "look into the spool directories")
  return waiting === 0
    ? ok("spool", "empty")
    : warn("spool", `${waiting} waiting to be written`, "lint-ai sessions list takes them in")
})

/** More than this is not read for a look: `lint-ai memory stats` does, and takes its time. */
const lookedAtBytes = 64 * 1024 * 1024

/** Memories of which nothing, or not all, is given to the agent. */
export const memoryCheck = Effect.fn("memoryCheck")(function* (projectRoot: string, consent: Consent) {
  const checks: Array<Check> = []
  const { unsearchable } = yield* MemoryStore
  const isOn = consent._tag === "adopted" && Object.values(consent.providers).some((one) => one?.memory === true)
  if (isOn && unsearchable !== undefined) checks.push(warn("memory", unsearchable.found, unsearchable.remedy))
  for (const provider of providers) {
    const name = `memory of ${providerTitles[provider]}`
    const place = yield* memoryPlace(projectRoot, provider)
    const { segments } = memoryFiles(place)
    const trouble = yield* Effect.gen(function* () {
      if (!(yield* ownedMemory(place))) return undefined
      const bytes = (yield* listSegments(segments)).reduce((sum, { size }) => sum + size, 0)
      return bytes > lookedAtBytes ? undefined : faultWords(yield* segmentFaults(place))
    }).pipe(
      Effect.map((words) =>
        words === undefined ? undefined : warn(name, words, `look at ${segments}, or put it back from a copy`)
      ),
      Effect.catch((error) => {
        const remedy =
          error._tag === "MemoryNotOwned" ? "lint-ai memory adopt, once you have looked at it" : "lint-ai memory stats"
        return Effect.succeed(warn(name, told(error), remedy))
      })
    )
    if (trouble !== undefined) checks.push(trouble)
  }
  return checks
})

export const archivesCheck = (sessions: ReadonlyArray<SessionSummary>, unreadable: ReadonlyArray<string>): Check => {
  if (unreadable.length > 0) {
    return fail(
      "sessions",
      `${counted(unreadable.length, "directory")} cannot be read, as ${unreadable[0]}`.replace(
        "directorys",
        "directories"
      ),
      "lint-ai sessions recover"
    )
  }
  const incomplete = sessions.filter((session) => session.status === "incomplete").length
  return incomplete === 0
    ? ok("sessions", counted(sessions.length, "session"))
    : noted(
        "sessions",
        `${counted(sessions.length, "session")}, ${incomplete} without an end`,
        "lint-ai sessions recover --finalize ends them"
      )
}

export const gitCheck = Effect.fn("gitCheck")(function* (projectRoot: string) {
  const git = yield* Git
  const workTree = yield* git.workTree(projectRoot)
  if (workTree === undefined) return noted("git", "no repository")
  if (workTree.exposesRecordings) {
    const ignored = shellWord(path.join(lintAiDirectory(projectRoot), ".gitignore"))
    return fail(
      "git",
      "does not ignore what is recorded in .lint-ai, so a commit of everything would take it along",
      `rm -f ${ignored}; echo '*' > ${ignored}`
    )
  }
  return workTree.trackedRecordings === 0
    ? ok("git", "tracks nothing of .lint-ai")
    : fail(
        "git",
        `tracks ${counted(workTree.trackedRecordings, "file")} of .lint-ai`,
        "git rm -r --cached .lint-ai, and think of what was pushed"
      )
})

/** Hooks that could not do their work since the doctor was last here. */
export const diagnosticsCheck = Effect.fn("diagnosticsCheck")(function* (projectRoot: string) {
  const disk = yield* Disk
  const diagnostics = yield* Diagnostics
  const { state } = yield* userDirectories
  const visit = path.join(state, "doctor-last-visit")
  const last = yield* disk.readFile(visit).pipe(
    Effect.map((bytes) => bytes.toString("utf8")),
    Effect.orElseSucceed(() => "")
  )
  const fresh = [
    ...(yield* diagnostics.read({ projectRoot })),
    ...(yield* diagnostics.read({ projectRoot: undefined }))
  ]
    .filter((one) => one.time > last)
    .sort((a, b) => (a.time < b.time ? 1 : -1))
  yield* disk
    .makeDirectory(state)
    .pipe(Effect.andThen(replaceFile(visit, Buffer.from(timestampOf(yield* Clock.currentTimeMillis)))), Effect.ignore)
  const [newest] = fresh
  if (newest === undefined) return ok("diagnostics", last === "" ? "none" : "none since the last visit")
  const tags = [...new Set(fresh.map((one) => one.tag))].join(", ")
  const elsewhere = newest.project === undefined || newest.project === projectRoot ? "" : `in ${newest.project}`
  const words = [newest.provider, newest.event, newest.tag, newest.detail, elsewhere]
    .filter((word) => (word ?? "") !== "")
    .join(" ")
  return warn(
    "diagnostics",
    `${counted(fresh.length, "hook")} could not record since the last visit (${tags}); the newest: ${words}`,
    remedies.get(newest.tag) ?? "if it goes on, report it with the line from diagnostics.jsonl"
  )
})

const remedies: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DiskError: "look at free space and permissions of .lint-ai",
    UnsafePath: "something else stands where lint-ai wants to write; move it away",
    StateUnreadable: "`lint-ai status` in the project; `lint-ai adopt` there starts over",
    LockTimeout: "another process holds a session's lock; `lint-ai doctor` names it above",
    DeadlineExceeded: "the machine was too busy; raise LINT_AI_HOOK_TIMEOUT_MS if it goes on",
    NoPayload: "the agent sent nothing; look for another tool that wraps the hook",
    PayloadNotJson: "the agent sent something else than JSON; look for another tool that wraps the hook",
    PayloadInvalid: "the agent may be newer than lint-ai; look for an update",
    UnknownProvider: "the hook was installed by another version; install again"
  })
)
