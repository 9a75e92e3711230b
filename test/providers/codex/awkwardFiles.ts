/** A file as a user may have it. Undefined: there is none. */
export interface AwkwardFile {
  readonly name: string
  readonly text: string | undefined
}

const theirs = `{ "hooks": [{ "type": "command", "command": "other-tool hook codex", "timeout": 5 }] }`

export const awkwardHooks: ReadonlyArray<AwkwardFile> = [
  { name: "no file", text: undefined },
  { name: "an empty file", text: "" },
  { name: "an empty object", text: "{}" },
  { name: "an empty object over two lines", text: "{\n}\n" },
  { name: "no final line break", text: `{\n  "description": "mine"\n}` },
  { name: "a byte order mark", text: `\uFEFF{\n  "hooks": {}\n}\n` },
  { name: "CRLF", text: `{\r\n  "hooks": {\r\n    "Stop": [${theirs}]\r\n  }\r\n}\r\n` },
  { name: "tabs", text: `{\n\t"description": "mine",\n\t"hooks": {\n\t\t"PreToolUse": [${theirs}]\n\t}\n}\n` },
  { name: "one line", text: `{"hooks":{"Stop":[${theirs}]}}` },
  { name: "comments", text: `// mine\n{\n  "hooks": { /* none */ }\n}\n` },
  { name: "a trailing comma", text: `{\n  "hooks": {\n    "Stop": [${theirs},],\n  },\n}\n` },
  {
    name: "hooks of others on many events, with matchers",
    text: `{\n    "hooks": {\n        "PreToolUse": [\n            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "guard" } ] },\n            ${theirs}\n        ],\n        "SessionEnd": [${theirs}, ${theirs}]\n    }\n}\n`
  },
  { name: "an empty list of the user's own", text: `{\n  "hooks": {\n    "Stop": []\n  }\n}\n` },
  { name: "an event that Codex does not know", text: `{"hooks":{"MoonRise":[${theirs}]}}\n` }
]

export const awkwardConfigs: ReadonlyArray<AwkwardFile> = [
  { name: "no file", text: undefined },
  { name: "an empty file", text: "" },
  { name: "comments only", text: "# mine\n" },
  { name: "no final line break", text: `model = "x"` },
  { name: "blank lines at the end", text: `model = "x"\n\n\n` },
  { name: "a byte order mark", text: `\uFEFFmodel = "x"\n` },
  { name: "CRLF", text: `# mine\r\nmodel = "x"\r\n\r\n[features]\r\nplugins = false # quiet\r\n` },
  {
    name: "another server, with an environment",
    text: `[mcp_servers.tiny]\ncommand = "node"\nargs = [\n  "a.js", # why\n  "]",\n]\n\n[mcp_servers.tiny.env]\nA = "b"\n`
  },
  { name: "servers as dotted keys", text: `mcp_servers.tiny.command = "node"\nmodel = "x"\n` },
  {
    name: "text over many lines that looks like a table",
    text: `notice = """\n[mcp_servers.lint-ai]\ncommand = "no" \\\n"""\nother = '''\n# [x]\n'''\n[a]\nb = 1\n`
  },
  {
    name: "trust and projects that Codex wrote",
    text: `model = "x"\n\n[projects."/home/dev/a.b"]\ntrust_level = "trusted"\n\n[hooks.state."/h/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n`
  },
  {
    name: "dates, large numbers, arrays of tables and quoted keys",
    text: `at = 2026-11-30T04:00:00Z\nbig = 9223372036854775807\n"a b".'c' = [ { x = 1 }, { x = 2 } ]\n\n[[products]]\nname = "one"\n\n[[products]]\nname = "two"\n`
  }
]

export const awkwardMemories: ReadonlyArray<AwkwardFile> = [
  { name: "no file", text: undefined },
  { name: "an empty file", text: "" },
  { name: "text without a final line break", text: "# Project\n\nDo it well." },
  { name: "CRLF", text: "# Project\r\n\r\nDo it well.\r\n" }
]
