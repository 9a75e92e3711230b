import { assert, describe, it } from "@effect/vitest"
import { askedHelp } from "../../src/cli/askedHelp.ts"
import { rewriteFlatFlags } from "../../src/cli/flatFlags.ts"

const asked = (line: string): string => askedHelp(line.split(" ").filter((word) => word !== "")).join(" ")

describe("help", () => {
  it("is asked for in front as it is behind", () => {
    assert.strictEqual(asked("help"), "--help")
    assert.strictEqual(asked("help sessions list"), "sessions list --help")
    assert.strictEqual(asked("sessions ls -h"), "sessions ls --help")
    assert.strictEqual(asked("sessions list --project x --help"), "sessions list --help")
  })

  it("of a command is given whatever it is called with", () => {
    assert.strictEqual(asked("sessions delete 5f0d --yes --help"), "sessions delete --help")
    assert.strictEqual(asked("help sessions delete 5f0d"), "sessions delete --help")
  })

  it("of a command that no list shows is given too, as a flat form leads to it", () => {
    assert.strictEqual(asked("help experiment ab"), "experiment ab --help")
    assert.strictEqual(asked("experiment ab /tmp/e --yes --help"), "experiment ab --help")
    const flat = rewriteFlatFlags(["--session-recording", "ab", "--experiment-root", "/tmp/e", "--help"])
    assert.deepStrictEqual(askedHelp(flat), ["experiment", "ab", "--help"])
  })

  it("of a command that is not there is refused as the command is", () => {
    assert.strictEqual(asked("help sesions"), "sesions")
    assert.strictEqual(asked("sessions lst --help"), "sessions lst")
  })

  it("is not meant behind --, nor where nobody asks", () => {
    assert.strictEqual(asked("sessions search -- --help"), "sessions search -- --help")
    assert.strictEqual(asked("sessions list"), "sessions list")
  })
})
