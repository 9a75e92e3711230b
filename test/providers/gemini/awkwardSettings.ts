/** A starting file of a settings test. */
export interface AwkwardSettings {
  readonly name: string
  /** Undefined: there is no file. */
  readonly text: string | undefined
  /** What uninstall leaves when the record of the install was lost, where that is not the starting file. */
  readonly withoutRecord?: string
}

const theirs = `{ "matcher": "write_.*", "hooks": [{ "type": "command", "command": "other-tool hook gemini", "timeout": 5000 }] }`
const server = `{ "command": "node", "args": ["server.mjs"], "trust": true }`

export const awkwardSettings: ReadonlyArray<AwkwardSettings> = [
  { name: "no file", text: undefined, withoutRecord: "{}\n" },
  { name: "an empty file", text: "", withoutRecord: "{}\n" },
  { name: "comments only", text: "// mine\n", withoutRecord: "// mine\n{}\n" },
  { name: "an empty object", text: "{}" },
  { name: "an empty object over two lines", text: "{\n}\n", withoutRecord: "{}\n" },
  { name: "an empty object with a comment", text: "{\n  // nothing yet\n}\n" },
  { name: "no final line break", text: `{\n  "model": { "name": "pro" }\n}` },
  { name: "a byte order mark", text: `\uFEFF{\n  "ui": { "theme": "dark" }\n}\n` },
  {
    name: "CRLF",
    text: `{\r\n  "ui": { "theme": "dark" },\r\n  "hooks": {\r\n    "AfterTool": [${theirs}]\r\n  },\r\n  "mcpServers": {\r\n    "mine": ${server}\r\n  }\r\n}\r\n`
  },
  { name: "tabs", text: `{\n\t"security": {\n\t\t"auth": {\n\t\t\t"selectedType": "gemini-api-key"\n\t\t}\n\t}\n}\n` },
  { name: "one line", text: `{"hooks":{"AfterTool":[${theirs}]},"mcpServers":{"mine":${server}}}` },
  { name: "one line with spaces", text: `{ "ui": {}, "hooks": {} }\n`, withoutRecord: `{ "ui": {} }\n` },
  { name: "a trailing comma", text: `{\n  "ui": {},\n}\n` },
  {
    name: "trailing commas in lists and servers",
    text: `{\n  "hooks": {\n    "AfterTool": [\n      ${theirs},\n    ],\n  },\n  "mcpServers": {\n    "mine": ${server},\n  },\n}\n`
  },
  {
    name: "comments everywhere",
    text: `// settings\n{\n  /* one */ "hooks": { // two\n    // three\n    "AfterTool": [ ${theirs} /* four */ ]\n    // five\n  }, // six\n  "mcpServers": { /* seven */ "mine": ${server} } // eight\n}\n// nine\n`
  },
  {
    name: "hooks of others on every event",
    text: `{\n    "hooks": {\n        "BeforeTool": [${theirs}, ${theirs}],\n        "SessionEnd": [${theirs}]\n    },\n    "hooksConfig": { "disabled": ["x"] }\n}\n`
  },
  {
    name: "empty containers of the user's own",
    text: `{\n  "hooks": {\n    "AfterTool": []\n  },\n  "mcpServers": {}\n}\n`,
    withoutRecord: `{}\n`
  },
  {
    name: "groups and handlers of other shapes",
    text: `{"hooks":{"AfterTool":["text",null,{"hooks":"no list"},{"hooks":[1,{"type":"http"}]}],"Mine":{"not":"a list"}},"mcpServers":{"x":7}}\n`
  },
  { name: "uneven indentation", text: `  {\n     "ui": {\n\n\n   "theme": "a" }}\n\n\n` }
]
