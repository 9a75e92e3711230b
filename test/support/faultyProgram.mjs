// Builds the program with fault points (faultPoints.ts) into a directory of its own, once for each state of the sources.
import * as fs from "node:fs"
import * as path from "node:path"
import { bundleAll, inputsDigest, root } from "../../scripts/build.mjs"

const faultPoints = path.join(root, "test", "support", "faultPoints.ts")
/** Where the layers of a running program are put together: only there the disk is chosen. */
const entries = new Set(
  ["hook/main.ts", "mcp/main.ts", "cli/services.ts", "statusline/main.ts"].map((name) => path.join(root, "src", name))
)

/** @type {import("rolldown").Plugin} */
const withFaultPoints = {
  name: "fault-points",
  resolveId: (name, importer) =>
    importer !== undefined && entries.has(importer) && name.endsWith("/platform/Disk.ts") ? faultPoints : undefined
}

/** @returns {Promise<string>} the directory, with the same files as dist */
export const buildFaultyProgram = async () => {
  const directory = path.join(root, ".cache", "faulty-program")
  const stamp = path.join(directory, "built-from")
  const digest = inputsDigest(
    ["faultPoints.ts", "faultyDisk.ts", "faultyProgram.mjs"].map((name) => path.join("test/support", name))
  )
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === digest) return directory
  fs.rmSync(directory, { recursive: true, force: true })
  fs.mkdirSync(directory, { recursive: true })
  await bundleAll(directory, [withFaultPoints])
  fs.writeFileSync(stamp, digest)
  return directory
}
