import manifest from "../../package.json" with { type: "json" }

/** The version of this recorder, as in package.json. */
export const recorderVersion: string = manifest.version
