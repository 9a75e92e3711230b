import { spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import * as Effect from "effect/Effect"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** What is read of a tarball: its own package.json. */
const manifestOf = (tarball: string): Manifest => {
  const { stdout } = spawnSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" })
  return JSON.parse(stdout)
}

/**
 * An npm registry on loopback for the length of a scope: it has the packages of these tarballs; and what they may use besides, as if it were made for other
 * platforms only. Gives its URL.
 */
export const registryOf = (tarballs: ReadonlyArray<string>) => {
  const packages = new Map(tarballs.map((tarball) => [manifestOf(tarball).name, tarball]))
  const others = new Map(tarballs.flatMap((tarball) => Object.entries(manifestOf(tarball).optionalDependencies ?? {})))
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "").slice(1))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const file = tarballs.find((tarball) => path.basename(tarball) === path.basename(name))
    const tarball = packages.get(name)
    if (file !== undefined) {
      response.end(fs.readFileSync(file))
    } else if (tarball === undefined) {
      const version = others.get(name) ?? "0.0.0"
      const elsewhere = {
        name,
        version,
        os: ["none"],
        cpu: ["none"],
        dist: { tarball: `${origin}/none.tgz`, shasum: "" }
      }
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: elsewhere } }))
    } else {
      const manifest = manifestOf(tarball)
      const bytes = fs.readFileSync(tarball)
      const dist = {
        tarball: `${origin}/${path.basename(tarball)}`,
        shasum: crypto.createHash("sha1").update(bytes).digest("hex"),
        integrity: `sha512-${crypto.createHash("sha512").update(bytes).digest("base64")}`
      }
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({
          name,
          "dist-tags": { latest: manifest.version },
          versions: { [manifest.version]: { ...manifest, dist } }
        })
      )
    }
  })
  return Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        resume(Effect.succeed(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
}
