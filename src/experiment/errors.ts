import * as Data from "effect/Data"

/** A file does not describe an experiment that can be run. */
export class ExperimentInvalid extends Data.TaggedError("ExperimentInvalid")<{
  readonly file: string
  /** Each with the place in the file: `arms[0].provider: ...`. */
  readonly problems: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.file} is no experiment that can be run. ${this.problems.join(". ")}.`
  }
}

/** A file of an experiment is not there or cannot be read. */
export class ExperimentUnreadable extends Data.TaggedError("ExperimentUnreadable")<{
  readonly file: string
  readonly code: string
}> {
  override get message(): string {
    return this.code === "ENOENT"
      ? `There is no ${this.file}. \`lint-ai experiment init\` writes one to begin with.`
      : `${this.file} cannot be read (${this.code}).`
  }
}

/** Arms differ in more than what the experiment declares: what is found could not be told from that. */
export class ArmsDiffer extends Data.TaggedError("ArmsDiffer")<{
  /** One sentence without its full stop for each field. */
  readonly differences: ReadonlyArray<string>
  readonly fields: ReadonlyArray<string>
}> {
  override get message(): string {
    return `The arms differ in what is not declared: ${this.differences.join("; ")}. Make them equal, or declare it: "variable": [${this.fields.map((field) => JSON.stringify(field)).join(", ")}].`
  }
}

/** An arm with lint-ai would find nothing in the memory that it begins with, and so measure nothing. */
export class ArmWithoutMemory extends Data.TaggedError("ArmWithoutMemory")<{
  readonly arm: string
  readonly directory: string
}> {
  override get message(): string {
    return `The arm "${this.arm}" begins with the memory of ${this.directory}, which holds none of yours: it would find nothing. Name another one ("memory": {"from": "named", "directory": "..."}), or say that it begins empty ({"from": "empty"}).`
  }
}

/** The experiment is not the one that the root was begun with. */
export class ExperimentChanged extends Data.TaggedError("ExperimentChanged")<{
  readonly root: string
  readonly changed: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.root} was begun with another ${this.changed.join(", ")}: its cells would not compare. Put that back as it was, or begin anew beside it with --new-root.`
  }
}

/** Another run works in the root. */
export class ExperimentRunning extends Data.TaggedError("ExperimentRunning")<{
  readonly root: string
  readonly pid: number | undefined
}> {
  override get message(): string {
    const who = this.pid === undefined ? "Another process" : `Process ${this.pid}`
    return `${who} runs this experiment in ${this.root}. Wait until it is done, or stop it; what is completed is kept.`
  }
}

/** A directory cannot be the root of an experiment. `reason` is a clause. */
export class RootUnusable extends Data.TaggedError("RootUnusable")<{ readonly root: string; readonly reason: string }> {
  override get message(): string {
    return `${this.root} cannot hold the experiment: ${this.reason}.`
  }
}

/** There is nothing to report on. */
export class NothingRun extends Data.TaggedError("NothingRun")<{ readonly root: string }> {
  override get message(): string {
    return `No experiment has run in ${this.root}. \`lint-ai experiment run FILE\` runs one.`
  }
}
