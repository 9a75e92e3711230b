import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import type { HelpDoc } from "effect/cli"
import * as Option from "effect/Option"
import { renderHelp } from "../../../src/cli/render/help.ts"
import { styles, widthOf } from "../../../src/cli/render/text.ts"

const doc: HelpDoc.HelpDoc = {
  description: "Write a page and show it in the browser",
  usage: "lint-ai sessions view [flags] [<session>]",
  commandPath: ["lint-ai", "sessions", "view"],
  annotations: Context.empty(),
  args: [
    {
      name: "session",
      type: "string",
      description: Option.some("Its id, the beginning of it, or its directory; else the newest"),
      required: false,
      variadic: false
    }
  ],
  flags: [
    { name: "out", aliases: [], type: "FILE", description: Option.some("Write to this file"), required: false },
    { name: "open", aliases: [], type: "boolean", description: Option.some("Show the page"), required: false },
    { name: "yes", aliases: ["-y"], type: "boolean", description: Option.some("Do not ask"), required: true }
  ]
}
const look = (columns: number) => ({ columns, style: styles(false) })

describe("the help of a command", () => {
  it("is laid out as a manual page: what it does, its words, examples and exit codes", () => {
    const text = renderHelp(doc, look(80))
    assert.deepStrictEqual(
      text.split("\n").filter((line) => /^[A-Z ]+$/.test(line)),
      ["USAGE", "ARGUMENTS", "FLAGS", "EXAMPLES", "EXIT CODES"]
    )
    assert.match(text, /\n {2}--out FILE +Write to this file\n/)
    assert.match(text, /\n {2}--\[no-\]open +Show the page\n/)
    assert.match(text, /\n {2}--yes, -y +Do not ask \(needed\)\n/)
    assert.include(text, "lint-ai sessions view 5f0d --out session.html --no-open")
    assert.match(text, /\n {2}3 +not found\n/)
  })

  it("fits every width", () => {
    for (const columns of [40, 60, 80, 120, 200]) {
      for (const line of renderHelp(doc, look(columns)).split("\n")) {
        // A command is whole, to be copied.
        if (!line.startsWith("  lint-ai ")) assert.isAtMost(widthOf(line), columns, line)
      }
    }
  })
})
