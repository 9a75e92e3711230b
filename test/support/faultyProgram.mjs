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

/** @returns {Promise<string>} the directory, with the same files as dist; its name tells the sources, so that nobody's is replaced while it is used */
export const buildFaultyProgram = async () => {
  const own = ["faultPoints.ts", "faultyDisk.ts", "faultyProgram.mjs"].map((name) => path.join("test", "support", name))
  const all = path.join(root, ".cache", "faulty-programs")
  const name = inputsDigest(own).slice(0, 16)
  const directory = path.join(all, name)
  if (fs.existsSync(path.join(directory, "lint-ai"))) return directory
  const staging = `${directory}-${process.pid}`
  fs.mkdirSync(staging, { recursive: true })
  await bundleAll(staging, [withFaultPoints])
  if (!fs.existsSync(path.join(staging, "lint-ai")))
    throw new Error("the program with fault points could not be compiled")
  // Another process may have been faster.
  if (fs.existsSync(directory)) fs.rmSync(staging, { recursive: true })
  else fs.renameSync(staging, directory)
  removeOlder(all)
  return directory
}

/**
 * A program takes more than a hundred megabytes. The last few stay: another run may use one.
 *
 * @param {string} all
 */
const removeOlder = (all) => {
  const byAge = fs
    .readdirSync(all)
    .map((name) => ({ directory: path.join(all, name), built: fs.statSync(path.join(all, name)).mtimeMs }))
    .sort((left, right) => right.built - left.built)
  for (const { directory } of byAge.slice(3)) fs.rmSync(directory, { recursive: true, force: true })
}
