import { base64url, type Random } from "./random.ts"
import { escaped } from "./row.ts"

/** A text in which an agent meets a token. */
export type Carrier = (token: string, random: Random) => unknown

const q = JSON.stringify

/** Places for a token that would be found anywhere: prompts, files, commands, logs, JSON, colours. */
export const carriers: Readonly<Record<string, Carrier>> = {
  bare: (token) => token,
  prompt: (token) => `can you try it with ${token} first? it should work on staging`,
  promptEnd: (token) => `the token you asked for:\n\n${token}`,
  dotenv: (token) => `LOG_LEVEL=debug\nSERVICE_CREDENTIAL=${token}\nPORT=8080\n`,
  exported: (token) => `$ tail -2 ~/.profile\nexport SERVICE_CREDENTIAL="${token}"\nexport EDITOR=vim`,
  bearer: (token) => `curl -s -H "Authorization: Bearer ${token}" https://api.example.com/v2/me`,
  httpHeader: (token) =>
    `> GET /v1/items HTTP/2\n> Host: api.example.com\n> X-Service-Credential: ${token}\n> Accept: */*\n\n< HTTP/2 200`,
  json: (token) => q({ service: "billing", credential: token, retries: 3 }, null, 2),
  jsonCompact: (token) => `{"service":"billing","credential":${q(token)},"retries":3}`,
  jsonTwice: (token) => q({ stdout: q({ credential: token, ok: true }) }),
  jsonThrice: (token) => q({ event: q({ stdout: q({ credential: token }) }) }),
  tree: (token) => ({ tool_name: "Bash", tool_input: { command: `deploy --with ${token} --yes`, timeout: 30 } }),
  treeArray: (token) => ({ args: ["deploy", "--credential", token, "--yes"] }),
  treeKey: (token) => ({ usage: { [token]: 12 } }),
  python: (token) => `import acme\n\nclient = acme.Client("${token}", timeout=5)\n`,
  typescript: (token) => `const client = createClient({ credential: '${token}', retries: 2 })`,
  go: (token) => `client := acme.New(\`${token}\`)\nif client == nil {\n\treturn\n}`,
  yaml: (token) => `service:\n  name: billing\n  credential: ${token}\n  replicas: 2\n`,
  yamlQuoted: (token) => `credentials:\n  - "${token}"\n  - other\n`,
  toml: (token) => `[service]\ncredential = "${token}"\nport = 80\n`,
  readTool: (token) => `     1→# config\n     2→CREDENTIAL=${token}\n     3→DEBUG=1\n`,
  grepOutput: (token) => `src/config.ts:12:  const value = "${token}"\nsrc/config.ts:13:  const port = 80`,
  diff: (token) =>
    `diff --git a/x.env b/x.env\n--- a/x.env\n+++ b/x.env\n@@ -1,2 +1,2 @@\n-CREDENTIAL=\n+CREDENTIAL=${token}\n PORT=80`,
  flag: (token) => `$ acme deploy --env prod --with=${token} --yes\nDone in 3.1s`,
  log: (token) => `2026-03-01T10:00:00.000Z WARN [http] retry 2/5 with ${token} after 500ms`,
  logQuoted: (token) => `level=warn msg="using fallback" value="${token}" attempt=2`,
  query: (token) => `GET https://api.example.com/v1/items?limit=5&value=${encodeURIComponent(token)} 200 12ms`,
  path: (token) => `https://api.example.com/hooks/${/^[\w.~-]+$/.test(token) ? token : `?v=${token}`} returned 204`,
  markdown: (token) => `Use \`${token}\` for the sandbox, then rotate it. All checks pass.`,
  table: (token) => `| name | value |\n| --- | --- |\n| staging | ${token} |\n`,
  html: (token) => `<meta name="service" content="${token}">\n<p>Hello</p>`,
  xml: (token) => `<config>\n  <item>${token}</item>\n  <port>80</port>\n</config>`,
  ansi: (token) => `\u001b[32m✓\u001b[0m credential \u001b[1m${token}\u001b[22m accepted`,
  ansiEscaped: (token) => `\\u001b[33m${token}\\u001b[39m accepted`,
  lineEnds: (token) => `first\\n${token}\\nsecond`,
  tabbed: (token) => `name\tvalue\tage\nstaging\t${token}\t3d`,
  crlf: (token) => `NAME=billing\r\nCREDENTIAL=${token}\r\nPORT=80\r\n`,
  docker: (token) => `docker run --rm -e CREDENTIAL=${token} -p 8080:80 example/app:1.2`,
  kubectl: (token) => `$ kubectl get cm app -o yaml\ndata:\n  credential: ${token}\n  mode: live\n`,
  python_error: (token) =>
    `Traceback (most recent call last):\n  File "app.py", line 3, in <module>\nValueError: bad credential '${token}'`,
  parentheses: (token) => `the old one (${token}) was revoked yesterday`,
  sentence: (token) => `It printed ${token}. Then it stopped.`,
  comma: (token) => `values: alpha, ${token}, omega`,
  interleaved: (token, random) => `${random.of(base64url, 3)} ${token} ${random.of(base64url, 3)}`,
  zeroWidth: (token) => `pasted: ${token.slice(0, 9)}\u200b${token.slice(9)} from the wiki`,
  coloured: (token) =>
    `match: ${token.slice(0, 7)}\u001b[01;31m\u001b[K${token.slice(7, 12)}\u001b[m\u001b[K${token.slice(12)} found`,
  control: (token) => `pasted ${token.slice(0, 8)}\u0007${token.slice(8)} again`,
  notebook: (token) =>
    q({ cells: [{ cell_type: "code", source: [`client = acme.Client("${escaped(token)}")\n`, "client.ping()\n"] }] })
}
