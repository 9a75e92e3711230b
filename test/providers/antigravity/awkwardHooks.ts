/** A starting hooks file of an install test. */
export interface AwkwardHooks {
  readonly name: string
  /** Undefined: there is no file. */
  readonly text: string | undefined
  /** What uninstall leaves when the record of the install was lost, where that is not the starting file. */
  readonly withoutRecord?: string
}

const handler = `{ "type": "command", "command": "/opt/other hook antigravity Stop", "timeout": 5 }`
const theirs = `"guard": { "PreToolUse": [{ "matcher": "run_command", "hooks": [${handler}] }], "Stop": [${handler}] }`

export const awkwardHooks: ReadonlyArray<AwkwardHooks> = [
  { name: "no file", text: undefined, withoutRecord: "{}\n" },
  { name: "an empty file", text: "", withoutRecord: "{}\n" },
  { name: "white space only", text: "\n \n", withoutRecord: "\n \n{}\n" },
  { name: "an empty object", text: "{}" },
  { name: "an empty object over two lines", text: "{\n}\n", withoutRecord: "{}\n" },
  { name: "hooks of others", text: `{\n  ${theirs}\n}\n` },
  { name: "no final line break", text: `{\n  ${theirs}\n}` },
  { name: "a byte order mark", text: `\uFEFF{\n  ${theirs}\n}\n` },
  { name: "CRLF", text: `{\r\n    ${theirs}\r\n}\r\n` },
  { name: "tabs", text: `{\n\t${theirs}\n}\n` },
  { name: "one line", text: `{${theirs}}` },
  { name: "one line with spaces", text: `{ ${theirs} }\n` },
  { name: "a trailing comma", text: `{\n  ${theirs},\n}\n` },
  { name: "comments", text: `// mine\n{\n  // first\n  ${theirs} /* last */\n  // end\n}\n` },
  { name: "hooks of the user under our name", text: `{\n  "lint-ai": {\n    "Stop": [${handler}]\n  }\n}\n` },
  {
    name: "an empty object under our name",
    text: `{\n  "lint-ai": {},\n  ${theirs}\n}\n`,
    withoutRecord: `{\n  ${theirs}\n}\n`
  },
  { name: "uneven indentation", text: ` {\n      ${theirs}\n\n  }\n\n` }
]
