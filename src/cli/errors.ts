import * as path from "node:path"
import * as Data from "effect/Data"
import { type Provider, providers, providerTitles } from "../domain/provider.ts"
import { shellWord } from "../domain/shellWord.ts"
import type { FailureReason } from "../memory/extraction/contract.ts"
import type { Drop } from "../memory/extraction/receipts.ts"

/** No session fits what was given. */
export class SessionNotFound extends Data.TaggedError("SessionNotFound")<{
  readonly given: string
  readonly near: ReadonlyArray<string>
}> {
  override get message(): string {
    const hint = this.near.length === 0 ? "" : ` Did you mean ${this.near.slice(0, 3).join(" or ")}?`
    return `No session "${this.given}".${hint} \`lint-ai sessions list\` shows all.`
  }
}

/** What was given names an archive whose manifest is gone or damaged. */
export class SessionUnreadable extends Data.TaggedError("SessionUnreadable")<{ readonly directory: string }> {
  override get message(): string {
    const name = shellWord(path.basename(this.directory))
    return `${this.directory} has no manifest that can be read. \`lint-ai sessions recover ${name}\` makes it again from the events; where there are none, \`lint-ai sessions delete ${name}\` removes it.`
  }
}

/** A number that no port has. */
export class PortInvalid extends Data.TaggedError("PortInvalid")<{ readonly port: number }> {
  override get message(): string {
    return `${this.port} is no port. Give one from 1 to 65535, or none: then a free one is found.`
  }
}

/** A search for nothing. */
export class NothingToSearch extends Data.TaggedError("NothingToSearch") {
  override get message(): string {
    return "Say what to look for: `lint-ai sessions search WORDS`."
  }
}

/** More than one session begins with what was given. */
export class SessionAmbiguous extends Data.TaggedError("SessionAmbiguous")<{
  readonly given: string
  readonly matches: ReadonlyArray<string>
}> {
  override get message(): string {
    return `"${this.given}" fits ${this.matches.length} sessions: ${this.matches.slice(0, 5).join(", ")}. Give more of the id.`
  }
}

/** There is nothing yet to work on. */
export class NoSessions extends Data.TaggedError("NoSessions")<{
  readonly projectRoot: string
  /** The only agent whose sessions were asked for. */
  readonly provider?: Provider | undefined
  /** The directory that was looked at instead of those of the project. */
  readonly sessionRoot?: string | undefined
  /** What makes some, as a sentence. */
  readonly remedy: string
}> {
  override get message(): string {
    const of = this.provider === undefined ? "" : ` of ${providerTitles[this.provider]}`
    const where = this.sessionRoot ?? `${this.projectRoot} yet`
    return `No sessions${of} in ${where}. ${this.remedy}`
  }
}

/** The command changes or removes something, and nobody was there to be asked. */
export class NeedsConfirmation extends Data.TaggedError("NeedsConfirmation")<{ readonly action: string }> {
  override get message(): string {
    return `${this.action} needs a yes, and nobody is here to be asked. Add --yes to do it without asking.`
  }
}

/** The person said no. */
export class Cancelled extends Data.TaggedError("Cancelled")<{
  /** What an earlier yes has done, as a sentence. */
  readonly done?: string
}> {
  override get message(): string {
    return this.done === undefined ? "Nothing was changed." : `${this.done} Nothing else was changed.`
  }
}

/** The agent cannot be installed for yet. */
export class ProviderUnsupported extends Data.TaggedError("ProviderUnsupported")<{ readonly provider: string }> {
  override get message(): string {
    return `lint-ai cannot do this for "${this.provider}". It knows ${providers.join(", ")}.`
  }
}

/** There are no hooks of lint-ai to work on. */
export class NotInstalled extends Data.TaggedError("NotInstalled")<{
  readonly provider: Provider
  readonly project: string
}> {
  override get message(): string {
    return `No hooks of lint-ai are installed for ${providerTitles[this.provider]} in ${this.project}. \`lint-ai install ${this.provider}\` installs them.`
  }
}

/** The agent has no settings of that kind. */
export class ScopeUnsupported extends Data.TaggedError("ScopeUnsupported")<{
  readonly provider: Provider
  readonly scope: string
  readonly scopes: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${providerTitles[this.provider]} has no settings of the scope "${this.scope}". It has ${this.scopes.join(" and ")}; without --scope it is ${this.scopes[0] ?? "none"}.`
  }
}

/** No app-server of Codex answers. */
export class NoCodexServer extends Data.TaggedError("NoCodexServer")<{
  /** Empty for the usual one. */
  readonly socket: string
}> {
  override get message(): string {
    const where = this.socket === "" ? "" : ` at ${this.socket}`
    return `No app-server of Codex answers${where}. Codex in a terminal starts one in the background, as does \`codex app-server daemon start\`; start it, then watch again.`
  }
}

/** The path of an export is taken. */
export class OutputExists extends Data.TaggedError("OutputExists")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} exists, and nothing is overwritten. Remove it or name another file.`
  }
}

/** Not one cell of an experiment has a score. */
export class NothingScored extends Data.TaggedError("NothingScored")<{
  readonly root: string
  /** Why the first one has none. */
  readonly first: string
}> {
  override get message(): string {
    return `No cell has a score. The first: ${this.first}. Mend that, then run it with --retry-failed.`
  }
}

/** An export has two destinations. */
export class OneDestination extends Data.TaggedError("OneDestination") {
  override get message(): string {
    return "--out writes a file and --endpoint sends: give one of them."
  }
}

/** Flags of one format were given with another. */
export class OnlyForOtlp extends Data.TaggedError("OnlyForOtlp")<{ readonly format: string }> {
  override get message(): string {
    return `--with-content, --openinference and --endpoint belong to --format otlp, not to ${this.format}.`
  }
}

/** A directory was given that is none. */
export class NotADirectory extends Data.TaggedError("NotADirectory")<{
  readonly path: string
  /** The environment variable that names it; absent where it was given with the command. */
  readonly variable?: string
}> {
  override get message(): string {
    if (this.path.includes("\ufffd"))
      return `${this.path} is not a directory: its name is no UTF-8, or it is another one. lint-ai cannot work in a directory of such a name; rename it.`
    return this.variable === undefined
      ? `${this.path} is not a directory. Give the directory of your project.`
      : `${this.path} is not a directory, and ${this.variable} names it. Set that to the directory of your project, or unset it.`
  }
}

/** Archives were to go to something that is no directory. */
export class SessionRootUnusable extends Data.TaggedError("SessionRootUnusable")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} is not a directory, so no session can go there. Give a directory, or one that does not exist yet.`
  }
}

/** A rule of retention cannot be read. */
export class NotATime extends Data.TaggedError("NotATime")<{ readonly flag: string; readonly given: string }> {
  override get message(): string {
    return `--${this.flag} ${this.given} cannot be read. Give an age like 30d or 12h, a size like 2GB, a number like 20.`
  }
}

/** Nothing says which sessions may go. */
export class NoRetentionRule extends Data.TaggedError("NoRetentionRule") {
  override get message(): string {
    return "Nothing says which sessions may go. Give --older-than, --keep or --max-size, or set `retention` in config.json."
  }
}

/** The `retention` settings have faults, and what is right in them would delete something else than was meant. */
export class RetentionFaulty extends Data.TaggedError("RetentionFaulty")<{ readonly problems: ReadonlyArray<string> }> {
  override get message(): string {
    return `Nothing was deleted, because of the retention settings:\n${this.problems.map((problem) => `  - ${problem}\n`).join("")}Mend them, or give --older-than, --keep or --max-size.`
  }
}

/** lint-ai cannot read this agent's transcripts as a whole. */
export class TranscriptUnsupported extends Data.TaggedError("TranscriptUnsupported")<{ readonly provider: string }> {
  override get message(): string {
    return `Transcripts of "${this.provider}" cannot be compared yet; those of Claude Code and Codex can.`
  }
}

/** A record and the agent's own transcript do not tell of the same calls. */
export class TranscriptDiffers extends Data.TaggedError("TranscriptDiffers")<{ readonly session: string }> {
  override get message(): string {
    return `${this.session} and the transcript do not tell of the same tool calls.`
  }
}

/** What was given as AIR records is none. */
export class AirUnreadable extends Data.TaggedError("AirUnreadable")<{
  readonly path: string
  readonly problem: string
}> {
  override get message(): string {
    return `${this.path} cannot be read as AIR records (${this.problem}). Give a directory of .air.json files, one of them, or a bundle.`
  }
}

/** Records that do not verify are no evidence. */
export class AirUnsound extends Data.TaggedError("AirUnsound")<{ readonly directory: string }> {
  override get message(): string {
    return `The chain in ${this.directory} does not hold with this key, so it was not bundled. \`lint-ai air verify\` says where it breaks.`
  }
}

/** A record does not verify. */
export class VerificationFailed extends Data.TaggedError("VerificationFailed")<{
  readonly sessions: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Broken: ${this.sessions.join(", ")}.`
  }
}

/** Archives that could not be deleted. What went is told. */
export class NotDeleted extends Data.TaggedError("NotDeleted")<{
  readonly sessions: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Not deleted: ${this.sessions.join(", ")}.`
  }
}

/** Archives that a recovery of all could not mend. What it did to the others is told. */
export class NotRecovered extends Data.TaggedError("NotRecovered")<{
  readonly sessions: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Not mended: ${this.sessions.join(", ")}.`
  }
}

/** The path of a scenario is taken. */
export class ScenarioExists extends Data.TaggedError("ScenarioExists")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} exists, and what you wrote in it would be lost. Choose another --out, or overwrite it with --force.`
  }
}

/** Scenarios cannot be run as they are. */
export class ScenariosInvalid extends Data.TaggedError("ScenariosInvalid")<{ readonly paths: ReadonlyArray<string> }> {
  override get message(): string {
    return `Not valid: ${this.paths.join(", ")}.`
  }
}

/** A scenario names no session whose recording could be judged. */
export class NothingRecorded extends Data.TaggedError("NothingRecorded")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} names no session. Say which one with --session ID, or let an agent do it with --replay --provider AGENT.`
  }
}

/** Nothing says which agent does a scenario. */
export class AgentNotNamed extends Data.TaggedError("AgentNotNamed")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} names no session, so nothing says which agent does it. Say it with --provider: ${providers.join(", ")}.`
  }
}

/** A session is not what a scenario asks for. */
export class ScenarioFailed extends Data.TaggedError("ScenarioFailed")<{ readonly scenarios: ReadonlyArray<string> }> {
  override get message(): string {
    return `Failed: ${this.scenarios.join(", ")}.`
  }
}

/** Whether a session is what a scenario asks for cannot be told. */
export class ScenarioUnknown extends Data.TaggedError("ScenarioUnknown")<{
  readonly scenarios: ReadonlyArray<string>
}> {
  override get message(): string {
    return `Cannot be told: ${this.scenarios.join(", ")}.`
  }
}

/** Failures that follow a report which says all of it: with --json they add no second document. */
export const reportedFailures: ReadonlySet<string> = new Set([
  "DoctorFoundFaults",
  "PolicyFaulty",
  "LinesNotJson",
  "NothingScored",
  "VerificationFailed",
  "NotRecovered",
  "NotDeleted",
  "TranscriptDiffers",
  "ReplayFailed",
  "ScenariosInvalid",
  "ScenarioFailed",
  "ScenarioUnknown"
])

/** The agent did not extract. What was staged before stays, and the next run goes on with what failed. */
export class ExtractionFailed extends Data.TaggedError("ExtractionFailed")<{
  readonly session_id: string
  readonly reason: FailureReason
  readonly host: string
  readonly runtime: string
  /** The exit code of the agent's program. */
  readonly code: number | null
  readonly error: string
  /** Ids of the candidates that were staged before. */
  readonly staged: ReadonlyArray<string>
  readonly dropped: ReadonlyArray<Drop>
  readonly undecoded: number
  readonly unrecognized: number
}> {
  override get message(): string {
    const kept = this.staged.length === 0 ? "" : ` ${this.staged.length} candidates of its beginning are staged.`
    return `The extraction from ${this.session_id} failed (${this.reason}): ${this.error.replace(/\.$/, "")}.${kept} ${extractionRemedies[this.reason]}`
  }
}

const extractionRemedies: Readonly<Record<FailureReason, string>> = {
  "extractor-unavailable": "--host names another agent.",
  "extractor-timeout": "Run it again; a faster --model helps.",
  "extractor-failed": "Run the agent once yourself to see whether it is logged in, then run this again.",
  "malformed-output": "Run it again; nothing of the reply was used.",
  "transcript-unavailable": "`lint-ai sessions inspect` shows what the session holds."
}

/** The session's agent cannot extract, and no other was named. */
export class HostNeeded extends Data.TaggedError("HostNeeded")<{ readonly provider: Provider }> {
  override get message(): string {
    return `${providerTitles[this.provider]} cannot extract. Name the agent that does: --host claude or --host codex.`
  }
}

/** A decision about no candidate. */
export class NothingChosen extends Data.TaggedError("NothingChosen") {
  override get message(): string {
    return "Give the id of a candidate, or --all. `lint-ai extract review` shows them."
  }
}

/** Two things were given of which one alone can hold; to leave the other aside would do what nobody asked for. */
export class NotBoth extends Data.TaggedError("NotBoth")<{ readonly one: string; readonly other: string }> {
  override get message(): string {
    return `Say ${this.one} or ${this.other}, not both.`
  }
}

/** What each exit code means. */
export const exitMeanings: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, "done"],
  [1, "failed"],
  [2, "wrong usage"],
  [3, "not found"],
  [4, "a record does not verify"],
  [5, "refused, or not confirmed"],
  [6, "a scenario failed"],
  [7, "whether a scenario failed cannot be told"],
  [130, "interrupted"]
]

/** The exit codes of lint-ai by what went wrong; 1 for what is not here. `hook` always exits 0. */
export const exitCodes: Readonly<Record<string, number>> = {
  SessionNotFound: 3,
  SessionUnreadable: 1,
  SessionAmbiguous: 2,
  NothingToSearch: 2,
  PortInvalid: 2,
  PortUnavailable: 5,
  NoSessions: 3,
  NoArchive: 3,
  FrozenArchive: 5,
  KeyMissing: 5,
  NotADirectory: 2,
  SessionRootUnusable: 2,
  ProviderUnsupported: 2,
  HostNeeded: 2,
  NothingChosen: 2,
  CandidateNotFound: 3,
  CandidateAmbiguous: 2,
  MemoryNotOwned: 5,
  MemoryNotFound: 3,
  MemoryAmbiguous: 2,
  MemorySessionNotFound: 3,
  MemorySessionAmbiguous: 2,
  EventsInvalid: 2,
  FieldUnknown: 2,
  NothingToForget: 2,
  NothingToUninstall: 2,
  PurgeIsForAll: 2,
  NotBoth: 2,
  ScopeUnsupported: 2,
  NotInstalled: 3,
  NoCodexServer: 3,
  AgentMissing: 3,
  OutputExists: 5,
  OnlyForOtlp: 2,
  OneDestination: 2,
  EndpointInvalid: 2,
  NeedsConfirmation: 5,
  Cancelled: 5,
  NotAdopted: 5,
  UnsafePath: 5,
  VerificationFailed: 4,
  KeysUnreadable: 5,
  ReplayFlags: 2,
  NoPrompts: 3,
  PromptsAltered: 5,
  BaselineRuns: 5,
  NoPatch: 5,
  PlaceError: 5,
  ScenarioExists: 5,
  ScenarioUnreadable: 3,
  ScenarioInvalid: 2,
  ScenariosInvalid: 2,
  ScenarioNotTrusted: 5,
  ScenarioPromptsAltered: 5,
  ScenarioElsewhere: 5,
  SourceMissing: 3,
  SourceChanged: 4,
  RevisionUnknown: 3,
  NothingRecorded: 2,
  AgentNotNamed: 2,
  ScenarioFailed: 6,
  ScenarioUnknown: 7,
  ExperimentInvalid: 2,
  ExperimentUnreadable: 3,
  ArmsDiffer: 2,
  ExperimentChanged: 5,
  ArmWithoutMemory: 5,
  ExperimentRunning: 5,
  RootUnusable: 2,
  NothingRun: 3,
  NotATime: 2,
  NoRetentionRule: 2,
  RetentionFaulty: 2,
  InputUnreadable: 3,
  InputTooLarge: 2,
  ImportInvalid: 2,
  AlreadyImported: 5,
  TranscriptUnsupported: 2,
  TranscriptDiffers: 4,
  AirUnreadable: 3,
  AirUnsound: 4,
  AirChainUnsound: 4,
  NothingToBundle: 3,
  NoAirKey: 2,
  WeakAirKey: 2,
  AirKeyUnreadable: 3,
  SigningSeedMalformed: 2,
  AirRecordTaken: 5,
  UnsafeRunId: 5,
  SettingsChanged: 5,
  SettingsUnreadable: 5,
  SettingsUnexpected: 5,
  SettingsNotAFile: 5,
  TextDiffers: 5
}
