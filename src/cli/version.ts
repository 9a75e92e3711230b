import * as Effect from "effect/Effect"
import { Host } from "../platform/Host.ts"
import { recorderVersion } from "../recorder/version.ts"

// The build puts text in the place of these names. In the sources nothing is called so.
declare const LINT_AI_COMMIT: string
declare const LINT_AI_DATE: string
declare const LINT_AI_TARGET: string

/** What runs: `lint-ai --version --json`. */
export interface VersionFacts {
  readonly name: "lint-ai"
  readonly version: string
  /** Seven digits of the commit that was built, with `-dirty` when files differed from it; null where it is not known. */
  readonly commit: string | null
  readonly build: "compiled" | "bundle" | "sources"
  /** The platform that a binary was compiled for, such as `linux-x64-musl`; null for the others. */
  readonly target: string | null
  /** What runs it, such as `node 22.23.5`. */
  readonly runtime: string
  /** ISO 8601, where the builder set SOURCE_DATE_EPOCH. */
  readonly date: string | null
}

export const versionFacts: Effect.Effect<VersionFacts, never, Host> = Effect.map(Host, (host) => {
  const commit = typeof LINT_AI_COMMIT === "string" && LINT_AI_COMMIT !== "" ? LINT_AI_COMMIT : null
  const date = typeof LINT_AI_DATE === "string" && LINT_AI_DATE !== "" ? LINT_AI_DATE : null
  const target = typeof LINT_AI_TARGET === "string" ? LINT_AI_TARGET : null
  const built = typeof LINT_AI_COMMIT === "string"
  return {
    name: "lint-ai",
    version: recorderVersion,
    commit,
    build: target !== null ? "compiled" : built ? "bundle" : "sources",
    target,
    runtime: `${host.runtime} ${host.runtimeVersion}`,
    date
  }
})

/** One line for a person: `lint-ai 0.1.0 (abc1234, compiled linux-x64)`. */
export const renderVersion = ({ name, version, commit, build, target, runtime }: VersionFacts): string => {
  const kind = target === null ? `${build} on ${runtime}` : `${build} ${target}`
  return `${name} ${version} (${[...(commit === null ? [] : [commit]), kind].join(", ")})`
}
