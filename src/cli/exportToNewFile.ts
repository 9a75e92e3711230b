import * as path from "node:path"
import * as Effect from "effect/Effect"
import { exportToFile, type Format } from "../export/Exporter.ts"
import { DiskError } from "../platform/Disk.ts"
import { OutputExists } from "./errors.ts"

/**
 * Exports a session into a file that must not exist yet; fails for that one, or for what an export that was killed has left beside it. That it cannot be made is a
 * matter of its directory.
 */
export const exportToNewFile = (directory: string, format: Format, out: string, onDamage?: () => void) =>
  exportToFile(directory, format, out, onDamage).pipe(
    Effect.catchTag("DiskError", (error) =>
      Effect.fail(
        error.code === "EEXIST"
          ? new OutputExists({ path: error.path })
          : error.operation === "open" && path.dirname(error.path) === path.dirname(out)
            ? new DiskError({ operation: error.operation, path: path.dirname(out), code: error.code })
            : error
      )
    )
  )
