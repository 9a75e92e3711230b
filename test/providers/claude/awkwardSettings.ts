/** A starting file of a settings test. */
export interface AwkwardSettings {
  readonly name: string
  /** Undefined: there is no file. */
  readonly text: string | undefined
  /** What uninstall leaves when the record of the install was lost, where that is not the starting file. */
  readonly withoutRecord?: string
}

const theirs = `{ "hooks": [{ "type": "command", "command": "other-tool hook claude" }] }`

export const awkwardSettings: ReadonlyArray<AwkwardSettings> = [
  { name: "no file", text: undefined, withoutRecord: "{}\n" },
  { name: "an empty file", text: "", withoutRecord: "{}\n" },
  { name: "white space only", text: "\n  \n", withoutRecord: "\n  \n{}\n" },
  { name: "comments only", text: "// mine\n", withoutRecord: "// mine\n{}\n" },
  { name: "an empty object", text: "{}" },
  { name: "an empty object with space in it", text: "{ }\n", withoutRecord: "{}\n" },
  { name: "an empty object over two lines", text: "{\n}\n", withoutRecord: "{}\n" },
  { name: "an empty object with a comment", text: "{\n  // nothing yet\n}\n" },
  { name: "no final line break", text: `{\n  "model": "opus"\n}` },
  { name: "a byte order mark", text: `\uFEFF{\n  "model": "opus"\n}\n` },
  { name: "CRLF", text: `{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Stop": [${theirs}]\r\n  }\r\n}\r\n` },
  { name: "tabs", text: `{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "b"\n\t}\n}\n` },
  { name: "one line", text: `{"model":"opus","hooks":{"Stop":[${theirs}]}}` },
  { name: "one line with spaces", text: `{ "model": "opus", "hooks": {} }\n`, withoutRecord: `{ "model": "opus" }\n` },
  { name: "a trailing comma", text: `{\n  "model": "opus",\n}\n` },
  {
    name: "a trailing comma in a list of hooks",
    text: `{\n  "hooks": {\n    "Stop": [\n      ${theirs},\n    ],\n  },\n}\n`
  },
  { name: "comments behind the last members", text: `{\n  "model": "opus" // the big one\n  /* end */\n}\n` },
  {
    name: "a comment that is a disabled hook",
    text: `{\n  "hooks": {\n    "Stop": [\n      ${theirs}\n      // , {"hooks": []}\n    ]\n  }\n}\n`
  },
  {
    name: "hooks of others on every event",
    text: `{\n    "hooks": {\n        "PreToolUse": [\n            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "guard" } ] },\n            ${theirs}\n        ],\n        "SessionEnd": [${theirs}, ${theirs}]\n    },\n    "permissions": { "allow": ["Bash(ls:*)"] }\n}\n`
  },
  {
    name: "hooks in the middle",
    text: `{\n  "a": 1,\n  "hooks": {\n    "Stop": [${theirs}]\n  },\n  "zeta": [1, 2,   3],\n  "a b": null\n}\n`
  },
  {
    name: "an empty list of the user's own",
    text: `{\n  "hooks": {\n    "Stop": []\n  }\n}\n`,
    withoutRecord: `{}\n`
  },
  {
    name: "an empty hooks object of the user's own",
    text: `{\n  "hooks": {}\n}\n`,
    withoutRecord: `{}\n`
  },
  {
    name: "groups and handlers of other shapes",
    text: `{"hooks":{"Stop":["text",null,{"hooks":"no list"},{"hooks":[1,{"type":"http","url":"http://127.0.0.1/"}]}],"Mine":{"not":"a list"}}}\n`
  },
  {
    name: "two members of one name, of which the last counts",
    text: `{\n  "hooks": {"Stop": 3},\n  "hooks": {\n    "Stop": [${theirs}]\n  }\n}\n`
  },
  {
    name: "keys and text with escapes",
    text: `{\n  "\\u0061\\n": "line\\nbreak \\ud83d\\ude00 é 😀",\n  "n": 1e400, "d": 1.0\n}\n`
  },
  { name: "uneven indentation", text: `  {\n     "model": "opus",\n "x": {\n\n\n   "y": 1 }}\n\n\n` }
]
