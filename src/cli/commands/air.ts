import * as path from "node:path"
import * as Clock from "effect/Clock"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import { counted } from "../../domain/counted.ts"
import { timestampOf } from "../../domain/timestamp.ts"
import {
  type BundleVerdict,
  bundleName,
  NothingToBundle,
  publicKeyOf,
  signerFingerprint,
  verifyBundle,
  writeBundle
} from "../../evidence/air/bundle.ts"
import { configManifest } from "../../evidence/air/configHash.ts"
import { exportAir } from "../../evidence/air/exportSession.ts"
import { readHead } from "../../evidence/air/head.ts"
import { indentedJson, isJsonObject, parseJson } from "../../evidence/air/json.ts"
import { checkingKey, writingKey } from "../../evidence/air/key.ts"
import { keyFreeHead, referenceVerdict } from "../../evidence/air/referenceVerdict.ts"
import { readRuns, sequenceOf, textOf } from "../../evidence/air/runs.ts"
import { signingSeed } from "../../evidence/air/signingSeed.ts"
import { strictVerdict } from "../../evidence/air/strictVerdict.ts"
import { trajectorySummaries } from "../../evidence/air/trajectories.ts"
import { vaultFaults } from "../../evidence/air/vaultFaults.ts"
import { uuidOf } from "../../export/agentTrace.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { AirUnreadable, AirUnsound, OutputExists, VerificationFailed } from "../errors.ts"
import { json, oneSession, optionalString, sessionScope } from "../options.ts"
import { harmlessJson, plain } from "../render/text.ts"
import { report } from "../report.ts"
import { sessionIn } from "../sessions.ts"

const keyFile = optionalString("key-file", "File that holds the key; else TRUST_SIGNING_KEY", "FILE")
/** Of a command that prints JSON and nothing else. */
const jsonAnyway = json.pipe(Flag.withDescription("Tell failures as JSON too; what is printed is JSON anyway"))
const inWorkingDirectory = (given: string) => Effect.map(Host, (host) => path.resolve(host.cwd, given))

const exportCommand = Command.make(
  "export",
  {
    session: oneSession,
    runs: Flag.String("runs").pipe(
      Flag.withDescription("Directory of the records; made when missing"),
      Flag.withMetavar("DIR")
    ),
    vault: optionalString("vault", "Directory of the payloads; else vault in the one of the records", "DIR"),
    keyFile,
    json,
    ...sessionScope
  },
  Effect.fn("air export")(function* (flags) {
    const key = yield* writingKey(flags.keyFile === undefined ? undefined : yield* inWorkingDirectory(flags.keyFile))
    const found = yield* sessionIn(flags)
    const runs = yield* inWorkingDirectory(flags.runs)
    const vault = flags.vault === undefined ? path.join(runs, "vault") : yield* inWorkingDirectory(flags.vault)
    const done = yield* exportAir(found, { runs, vault }, key)
    yield* report(flags.json, done, () =>
      [
        `${counted(done.written, "record")} of ${plain(done.session_id)} written to`,
        runs,
        done.resumed_at === 0 ? "A new chain." : `The chain resumed at chain_seq ${done.resumed_at}.`,
        ...(done.known === 0 ? [] : [`${counted(done.known, "call")} had a record already.`]),
        ...(done.turns === 0
          ? []
          : [`${counted(done.turns, "record")} stand for whole turns, because their model calls were not observed.`]),
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Write a session's model calls as AIR records, chained with your key"))

const verifyCommand = Command.make(
  "verify",
  {
    path: Argument.String("path").pipe(Argument.withDescription("Directory of records, or a bundle (.air-evidence)")),
    keyFile,
    expectSigner: optionalString(
      "expect-signer",
      "Fingerprint that a bundle must be signed by: ed25519:<16 hex>",
      "FINGERPRINT"
    ),
    json
  },
  Effect.fn("air verify")(function* (flags) {
    const disk = yield* Disk
    const place = yield* inWorkingDirectory(flags.path)
    const kind = (yield* disk.status(yield* disk.realPath(place).pipe(Effect.orElseSucceed(() => place))))?.kind
    const file = flags.keyFile === undefined ? undefined : yield* inWorkingDirectory(flags.keyFile)
    if (kind === "file") {
      const key = yield* checkingKey(file, path.dirname(place)).pipe(
        Effect.map((found): string | undefined => found.key),
        Effect.catchTag("NoAirKey", () => Effect.succeed(undefined))
      )
      const verdict = verifyBundle(yield* disk.readFile(place), { key, expect: flags.expectSigner })
      yield* report(flags.json, { path: place, ...verdict }, () => renderBundle(place, verdict))
      if (!verdict.verified) return yield* new VerificationFailed({ sessions: [place] })
      return
    }
    if (kind !== "directory") return yield* new AirUnreadable({ path: place, problem: "there is nothing" })
    const directory = yield* disk.realPath(place)
    const { key, beside } = yield* checkingKey(file, directory)
    const runs = yield* readRuns(directory, true)
    const reference = referenceVerdict(runs.files, key)
    const first = runs.files.find(({ record }) => sequenceOf(record) === 1)
    const head = yield* readHead(directory, first === undefined ? "" : textOf(first.record, "chain_hash"))
    const strict = strictVerdict(runs, reference, key, head, yield* vaultFaults(directory, runs))
    const reasons = beside
      ? ["the key lies beside the records, so who can change them can sign them", ...strict.reasons]
      : strict.reasons
    const data = {
      path: directory,
      verdict: beside && strict.verdict !== "broken" ? ("unkeyed" as const) : strict.verdict,
      reasons,
      reference,
      head: "exception" in reference ? null : keyFreeHead(runs.files)
    }
    yield* report(flags.json, data, (_, look) => {
      const color =
        data.verdict === "broken" ? look.style.red : data.verdict === "complete" ? look.style.green : look.style.yellow
      const said =
        "exception" in reference
          ? "no verdict (it fails)"
          : `${reference.intact ? "intact" : "broken"}, ${reference.verified_records} of ${counted(reference.total_records, "record")} verified`
      return [
        `${plain(directory)}: ${color(data.verdict)}`,
        `  reference verdict: ${said}`,
        ...reasons.map((reason) => `  - ${plain(reason)}`),
        ...(data.head === null || data.head === "" ? [] : [`  head ${data.head}`]),
        ""
      ].join("\n")
    })
    if (data.verdict === "broken") return yield* new VerificationFailed({ sessions: [directory] })
  })
).pipe(
  Command.withDescription(
    "Check AIR records or a bundle: the reference's verdict and a stricter one; exit code 4 when broken"
  )
)

const renderBundle = (place: string, verdict: BundleVerdict): string =>
  [
    verdict.verified
      ? `${plain(place)}: verified, ${counted(verdict.records ?? 0, "record")}, signed by ${verdict.fingerprint}`
      : `${plain(place)}: not verified, check ${verdict.check} of 6: ${plain(verdict.message ?? "")}`,
    ...verdict.notes.map((note) => `  - ${plain(note)}`),
    ""
  ].join("\n")

const bundleCommand = Command.make(
  "bundle",
  {
    runs: Argument.String("runs").pipe(Argument.withDescription("Directory of records")),
    out: optionalString("out", "File to write, which must not exist; else one named for time and tenant, here", "FILE"),
    keyFile,
    signKeyFile: optionalString(
      "sign-key-file",
      "Ed25519 seed as 64 hex digits; else your own, made at first use",
      "FILE"
    ),
    tenant: optionalString("tenant", "Whose records these are; else lint-ai", "NAME"),
    system: optionalString("system", "Name of the system; else lint-ai", "NAME"),
    deployer: optionalString("deployer", "Who runs it", "NAME"),
    rationale: optionalString("rationale", "Why the system is, or is not, of high risk", "TEXT"),
    retainUntil: optionalString("retain-until", "Date until which the bundle is to be kept", "YYYY-MM-DD"),
    json
  },
  Effect.fn("air bundle")(function* (flags) {
    const disk = yield* Disk
    const place = yield* inWorkingDirectory(flags.runs)
    const key = yield* writingKey(flags.keyFile === undefined ? undefined : yield* inWorkingDirectory(flags.keyFile))
    const runs = yield* disk
      .realPath(place)
      .pipe(Effect.mapError((error) => new AirUnreadable({ path: place, problem: error.code })))
    const { files } = yield* readRuns(runs, true)
    const reference = referenceVerdict(files, key)
    if ("exception" in reference || !reference.intact) return yield* new AirUnsound({ directory: runs })
    if (reference.verified_records === 0) return yield* new NothingToBundle({ directory: runs })
    const seed = yield* signingSeed(
      flags.signKeyFile === undefined ? undefined : yield* inWorkingDirectory(flags.signKeyFile)
    )
    const facts = {
      createdAt: timestampOf(yield* Clock.currentTimeMillis).replace(/\.\d+Z$/, "Z"),
      tenant: flags.tenant ?? "lint-ai",
      system: flags.system ?? "lint-ai",
      deployer: flags.deployer ?? "",
      rationale: flags.rationale ?? "",
      retentionUntil: flags.retainUntil ?? "",
      mappings: { trajectories: yield* trajectorySummaries(files) }
    }
    const bundleId = uuidOf("bundle", keyFreeHead(files), facts.createdAt, facts.tenant)
    const bytes = writeBundle(files, seed, { ...facts, bundleId })
    const out = yield* inWorkingDirectory(flags.out ?? bundleName({ ...facts, bundleId }))
    if (!(yield* createFile(out, bytes))) return yield* new OutputExists({ path: out })
    const data = {
      path: out,
      bundle_id: bundleId,
      records: reference.verified_records,
      signer: signerFingerprint(publicKeyOf(seed))
    }
    yield* report(flags.json, data, () =>
      [
        `${counted(data.records, "record")} bundled in`,
        out,
        `Signed by ${data.signer}: give this to who receives it.`,
        ""
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Pack chained AIR records into one signed evidence bundle"))

const loadCommand = Command.make(
  "load",
  { file: Argument.String("file").pipe(Argument.withDescription("A record (.air.json)")), json: jsonAnyway },
  Effect.fn("air load")(function* (flags) {
    const disk = yield* Disk
    const screen = yield* Screen
    const file = yield* inWorkingDirectory(flags.file)
    const bytes = yield* disk
      .readFile(file)
      .pipe(Effect.mapError((error) => new AirUnreadable({ path: file, problem: error.code })))
    const record = parseJson(bytes)
    if (!isJsonObject(record)) return yield* new AirUnreadable({ path: file, problem: "no JSON object" })
    yield* screen.out(harmlessJson(`${indentedJson(record)}\n`))
  })
).pipe(Command.withDescription("Read one AIR record and print it, its numbers as they were written"))

const configCommand = Command.make(
  "config-hash",
  {
    paths: Argument.String("path").pipe(
      Argument.withDescription("Files and directories of a configuration"),
      Argument.variadic({ min: 1 })
    ),
    base: optionalString("base", "What paths are relative to; else the working directory", "DIR"),
    json: jsonAnyway
  },
  Effect.fn("air config-hash")(function* (flags) {
    const host = yield* Host
    const paths = yield* Effect.forEach(flags.paths, inWorkingDirectory)
    const base = flags.base === undefined ? host.cwd : yield* inWorkingDirectory(flags.base)
    yield* report(true, yield* configManifest(base, paths), () => "")
  })
).pipe(
  Command.withDescription("Print the manifest and config_hash of an agent's configuration files, as AIR computes them")
)

export const airCommand = Command.make("air").pipe(
  Command.withDescription("AIR records: export, check and bundle a session's model calls"),
  Command.withSubcommands([exportCommand, verifyCommand, bundleCommand, loadCommand, configCommand])
)
