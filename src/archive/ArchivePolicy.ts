import * as Context from "effect/Context"

/** Limits and durability of archives; a reference, so that tests and settings change it. */
export const ArchivePolicy = Context.Reference<{
  /** A session stops growing here; its end is still written. */
  readonly maxBytes: number
  /** `power` adds fdatasync to every append; `process` to the end of a session only. */
  readonly durability: "process" | "power"
}>("lint-ai/archive/ArchivePolicy", {
  defaultValue: () => ({ maxBytes: 256 * 1024 * 1024, durability: "process" })
})
