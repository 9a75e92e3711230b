import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"

/** A fresh directory for the length of a test, with links resolved so that paths compare equal. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-test-")))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

/** The real disk, and a host whose home is inside of `directory`. */
export const diskAndHost = (directory: string, env: Record<string, string> = {}, platform: NodeJS.Platform = "linux") =>
  Layer.merge(
    Disk.layer,
    Host.layerTest({
      home: path.join(directory, "home"),
      cwd: directory,
      env,
      platform,
      randomHex: (bytes) => crypto.randomBytes(bytes).toString("hex")
    })
  )
