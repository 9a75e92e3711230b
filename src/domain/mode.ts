import * as Schema from "effect/Schema"

/** What a person chooses (DESIGN 1). Two toggles stand behind it: recording and memory. */
export const Mode = Schema.Literals(["off", "capture-only", "assist", "ab"])
export type Mode = typeof Mode.Type

/** The two independent switches of one provider in one project, and where its sessions go. */
export const Toggles = Schema.Struct({
  recording: Schema.Boolean,
  memory: Schema.Boolean,
  mode: Mode,
  /** Absolute directory of the session archives; absent for the usual place in the project. */
  session_root: Schema.optionalKey(Schema.NonEmptyString)
})
export type Toggles = typeof Toggles.Type

export const dormant: Toggles = { recording: false, memory: false, mode: "off" }

/** The recording mode that a manifest names, from the toggles as they are when the archive opens. */
export const recordingMode = (toggles: Toggles): Mode =>
  !toggles.recording ? "off" : toggles.mode === "ab" ? "ab" : toggles.memory ? "assist" : "capture-only"

/** The toggles that a mode names. */
export const togglesOf = (mode: Mode): Pick<Toggles, "recording" | "memory" | "mode"> => ({
  recording: mode !== "off",
  memory: mode === "assist" || mode === "ab",
  mode
})
