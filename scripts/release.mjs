// Makes everything that is published, as files in release/: the npm package of lint-ai, one package with a binary for each platform, SHA256SUMS.
// Publishes nothing. The same commit gives the same bytes, on the same versions of Node and npm.
//
//   node scripts/release.mjs [--out DIR] [--targets linux-x64,darwin-arm64,...]
import { spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { bundleForRuntimes, modulesEntry, root } from "./build.mjs"
import { compile, executableName, makeOrder, targetOf, targets } from "./compile.mjs"
import { bunNotice } from "./licenses.mjs"

const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
/** @param {string} name */
const lockedVersion = (name) => manifest.devDependencies[name] ?? manifest.optionalDependencies[name]

/** @param {string} target */
export const packageName = (target) => `lint-ai-${target}`

/**
 * @param {object} options
 * @param {string} options.out directory for the files; what is in it is replaced
 * @param {ReadonlyArray<string>} options.targets which binaries to make. The package of lint-ai names all of them in any case
 * @returns the names of the files
 */
export const release = async ({ out, targets: wanted }) => {
  const staging = path.join(root, ".cache", `release-${process.pid}`)
  fs.rmSync(staging, { recursive: true, force: true })
  try {
    const main = await stageMain(path.join(staging, "lint-ai"))
    const directories = [main.directory]
    const order = makeOrder(main.entry, path.join(staging, "order"))
    for (const target of wanted) {
      directories.push(stageBinary(path.join(staging, packageName(target)), target, { ...main, order }))
    }
    const packed = path.join(staging, "packed")
    fs.mkdirSync(packed)
    for (const directory of directories) pack(directory, packed)
    const names = fs.readdirSync(packed).sort()
    const sums = names.map((name) => `${sha256(path.join(packed, name))}  ${name}\n`)
    fs.writeFileSync(path.join(packed, "SHA256SUMS"), sums.join(""))
    fs.rmSync(out, { recursive: true, force: true })
    fs.mkdirSync(path.dirname(out), { recursive: true })
    fs.cpSync(packed, out, { recursive: true })
    return [...names, "SHA256SUMS"]
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
  }
}

/**
 * The package that people install: the bundle and its shim, no dependency but optional ones, no script.
 *
 * @param {string} directory
 */
const stageMain = async (directory) => {
  const dist = path.join(directory, "dist")
  fs.mkdirSync(dist, { recursive: true })
  await bundleForRuntimes(dist)
  fs.copyFileSync(path.join(root, "scripts", "npm-shim.cjs"), path.join(dist, "lint-ai.cjs"))
  const licenses = path.join(directory, "THIRD_PARTY_LICENSES")
  fs.renameSync(path.join(dist, "THIRD_PARTY_LICENSES"), licenses)
  for (const name of ["README.md", "CHANGELOG.md", "LICENSE", "docs"]) {
    fs.cpSync(path.join(root, name), path.join(directory, name), { recursive: true })
  }
  writeManifest(directory, {
    ...common("lint-ai", manifest.description),
    keywords: manifest.keywords,
    type: "module",
    bin: { "lint-ai": "dist/lint-ai.cjs" },
    files: ["dist", "docs", "CHANGELOG.md", "THIRD_PARTY_LICENSES"],
    engines: manifest.engines,
    optionalDependencies: {
      ...Object.fromEntries(Object.keys(targets).map((target) => [packageName(target), manifest.version])),
      ...manifest.optionalDependencies
    }
  })
  return { directory, entry: path.join(dist, modulesEntry), licenses: fs.readFileSync(licenses, "utf8") }
}

/**
 * A package with the binary of one platform, which npm installs nowhere else.
 *
 * @param {string} directory
 * @param {string} target
 * @param {{ readonly entry: string, readonly order: string | undefined, readonly licenses: string }} main
 */
const stageBinary = (directory, target, { entry, order, licenses }) => {
  const { os, cpu, libc } = targetOf(target)
  const outfile = path.join(directory, "bin", executableName(target))
  fs.mkdirSync(path.dirname(outfile), { recursive: true })
  compile({ entry, outfile, target, order })
  fs.writeFileSync(
    path.join(directory, "README.md"),
    `# ${packageName(target)}\n\nThe compiled program of [lint-ai](https://www.npmjs.com/package/lint-ai) for ${target}. npm installs it with that package.\n`
  )
  fs.writeFileSync(path.join(directory, "THIRD_PARTY_LICENSES"), `${licenses}\n${bunNotice(lockedVersion("bun"))}`)
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(directory, "LICENSE"))
  writeManifest(directory, {
    ...common(packageName(target), `The compiled program of lint-ai for ${target}`),
    files: ["bin", "THIRD_PARTY_LICENSES"],
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? undefined : { libc: [libc] }),
    // Yarn would keep it zipped, and a zipped program does not start.
    preferUnplugged: true
  })
  return directory
}

/**
 * @param {string} name
 * @param {string} description
 */
const common = (name, description) => ({
  name,
  version: manifest.version,
  description,
  license: manifest.license
})

/**
 * @param {string} directory
 * @param {object} value
 */
const writeManifest = (directory, value) =>
  fs.writeFileSync(path.join(directory, "package.json"), `${JSON.stringify(value, undefined, 2)}\n`)

/**
 * npm gives every file in a tarball the same time and owner and sorts them; their modes are ours to set.
 *
 * @param {string} directory
 * @param {string} destination
 */
const pack = (directory, destination) => {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const runs = /^lint-ai(\.exe|\.cjs)?$|^main\.mjs$/.test(entry.name)
    if (entry.isFile()) fs.chmodSync(path.join(entry.parentPath, entry.name), runs ? 0o755 : 0o644)
  }
  const { status, stderr } = spawnSync(
    "npm",
    ["pack", "--silent", "--ignore-scripts", "--pack-destination", destination],
    { cwd: directory, encoding: "utf8", shell: process.platform === "win32" }
  )
  if (status !== 0) throw new Error(`npm could not pack ${directory}:\n${stderr}`)
}

/** @param {string} file */
const sha256 = (file) => crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex")

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const { values } = parseArgs({
    options: {
      out: {
        type: "string",
        default: path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "release")
      },
      targets: { type: "string", default: Object.keys(targets).join(",") }
    }
  })
  const out = path.resolve(values.out)
  for (const name of await release({ out, targets: values.targets.split(",").filter((one) => one !== "") })) {
    console.log(
      `${name.padEnd(42)} ${(fs.statSync(path.join(out, name)).size / 1024 / 1024).toFixed(1).padStart(6)} MiB`
    )
  }
}
