import * as Effect from "effect/Effect"
import { exportToFile, type Format } from "../export/Exporter.ts"
import { OutputExists } from "./errors.ts"

/** Exports a session into a file that must not exist yet; fails for that one, or for what an export that was killed has left beside it. */
export const exportToNewFile = (directory: string, format: Format, out: string) =>
  exportToFile(directory, format, out).pipe(
    Effect.catchTag("DiskError", (error) =>
      Effect.fail(error.code === "EEXIST" ? new OutputExists({ path: error.path }) : error)
    )
  )
