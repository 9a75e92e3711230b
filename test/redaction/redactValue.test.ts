import { assert, describe, it } from "@effect/vitest"
import { type Deadline, unlimited } from "../../src/platform/Deadline.ts"
import { compileUserRules } from "../../src/redaction/extraRules.ts"
import { defaultLimits, type RedactionLimits } from "../../src/redaction/limits.ts"
import { redactValue } from "../../src/redaction/redactValue.ts"

const redact = (value: unknown, limits: Partial<RedactionLimits> = {}, deadline: Deadline = unlimited) =>
  redactValue(value, "payload", { deadline, limits: { ...defaultLimits, ...limits } })

// Put together here, so that no scanner takes the file for a leak.
const token = ["gh", "p_", "n3Kq8ZtX1vBc5LmR7wYd2PfH9sJa4GuE6iTo"].join("")
const other = ["gh", "p_", "Qz7Lm2Xc9VbN4kJh6GfD8sAp1OiU3yTr5EwQ"].join("")
const key = "f3Kd92Lm0QpZx8Vb7Nc1Rt5Yw6Hj4Gs2"

describe("redactValue", () => {
  it("reads names in the tree", () => {
    const { value, paths, rules } = redact({
      db: { password: "Tr0ub4dor&3", port: 5432 },
      apiKey: key,
      note: "password"
    })
    assert.deepStrictEqual(value, {
      db: { password: "[REDACTED:password]", port: 5432 },
      apiKey: "[REDACTED:secret]",
      note: "password"
    })
    assert.deepStrictEqual(paths, ["payload.db.password", "payload.apiKey"])
    assert.deepStrictEqual(rules, ["password", "secret"])
  })

  it("replaces a numeric password, and leaves numbers under other names alone", () => {
    assert.deepStrictEqual(redact({ password: 84213907, max_tokens: 4096, token: 5, pin: 3 }).value, {
      password: "[REDACTED:password]",
      max_tokens: 4096,
      token: 5,
      pin: 3
    })
  })

  it("finds a bearer token behind a letter of another script, and behind a wide blank", () => {
    assert.strictEqual(redact(`ключ: жBearer ${key}`).value, "ключ: жBearer [REDACTED:bearer-token]")
    assert.strictEqual(redact(`Bearer\u2003${key}`).value, "Bearer\u2003[REDACTED:bearer-token]")
  })

  it("takes a value for what it is, and not for the beginning of the call behind it", () => {
    for (const call of ["bcrypt.hashSync('a', 10)", "password: hash('x')", "String(1)", "from('x')"])
      assert.strictEqual(redact(`DB_PASSWORD=${key} ${call}`).value, `DB_PASSWORD=[REDACTED:password] ${call}`)
    assert.strictEqual(
      redact(`const password = new Buffer('${key}')`).value,
      "const password = new Buffer('[REDACTED:password]')"
    )
  })

  it("changes nothing when it reads its output again, also where the name of a list had to go", () => {
    for (const name of [
      "://a:b@cBearer ",
      "token=f3Kd92Lm0QpZx8Vb7Nc1Rt5Yw6Hj4Gs2 Authorization",
      "cookie: a=b; Set-Cookie"
    ]) {
      const { value } = redact({ [name]: [71.7, "password", [[564.9018031544983], "PATH=/bin", [48213]]] })
      assert.deepStrictEqual(redact(value).value, value)
      assert.notInclude(JSON.stringify(value), "48213")
    }
  })

  it("leaves what tools put before lines, and what stands on the other lines", () => {
    for (const start of ["    12→", "12\t", "> ", "src/app.yml:12:", "2026-03-01T10:00:00Z "])
      assert.strictEqual(
        redact(`${start}client_secret: >-\n${start}  ${key}\n${start}port: 80`).value,
        `${start}client_secret: >-\n${start}  [REDACTED:secret]\n${start}port: 80`
      )
    assert.strictEqual(
      redact(`@@ -1 +1,2 @@\n+- name: API_TOKEN\n+  value: ${key}\n-old: 1`).value,
      "@@ -1 +1,2 @@\n+- name: API_TOKEN\n+  value: [REDACTED:secret]\n-old: 1"
    )
  })

  it("looks for the literals of a user in what tools put before lines as well", () => {
    const user = compileUserRules({
      extra: [{ id: "acme", literals: ["src/heron.ts"] }],
      allow: [],
      limits: defaultLimits
    })
    assert.strictEqual(
      redactValue("src/heron.ts:1:a\nsrc/heron.ts:2:b", "", { deadline: unlimited, user }).value,
      "[REDACTED:acme]:1:a\n[REDACTED:acme]:2:b"
    )
  })

  it("takes a secret out of a string of JSON, and leaves the JSON whole", () => {
    const text = JSON.stringify({ a: `x "y"\n- name: API_TOKEN\n  value: ${key}\n`, b: `{"c":"\\"${token}\\""}` })
    const { value } = redact(text)
    assert.deepStrictEqual(JSON.parse(value as string), {
      a: 'x "y"\n- name: API_TOKEN\n  value: [REDACTED:secret]\n',
      b: '{"c":"\\"[REDACTED:github-pat]\\""}'
    })
  })

  it("finds the second half of a pair, and the end of an address, whatever stands before them", () => {
    const half = ["wJbkrXUtnFEMI", "K7MDENGbPxRfiCY", "9qLzT4vHs2aB"].join("")
    const pair = ["AK", "IA", "Q3ZKD7PLMWX2TBNV"].join("")
    const address = ["https://maker.ifttt.com/trigger/door/with/key/", "bX7kQ2mRt9LpW4sVz8NcYd"] as const
    for (let length = 0; length < 120; length++) {
      const before = "word and ".repeat(14).slice(0, length)
      for (const [text, secret] of [
        [`${before} ${pair} ${half}`, half],
        [`${before} ${address.join("")}`, address[1]]
      ] as const) {
        const value = String(redact(text).value)
        assert.isTrue(value.startsWith(before), value)
        for (let at = 0; at + 8 <= secret.length; at++) assert.notInclude(value, secret.slice(at, at + 8))
      }
    }
  })

  it("finds the password of a command that begins with a letter beyond ASCII", () => {
    assert.strictEqual(redact("mysql -u root -pétoile7 shop").value, "mysql -u root -p[REDACTED:command-argument] shop")
  })

  it("scans keys, keeps two secret keys apart, and shows no secret in a path", () => {
    const { value, paths } = redact({ [token]: 1, [other]: { note: `see ${token}` } })
    assert.deepStrictEqual(value, {
      "[REDACTED:github-pat]": 1,
      "[REDACTED:github-pat]#2": { note: "see [REDACTED:github-pat]" }
    })
    assert.notInclude(JSON.stringify(paths), token.slice(6, 18))
    assert.notInclude(JSON.stringify(paths), other.slice(6, 18))
  })

  it("keeps a key named __proto__ as a key", () => {
    const { value } = redact(JSON.parse(`{"__proto__": {"password": "hunter2x9"}, "a": 1}`))
    assert.strictEqual(JSON.stringify(value), '{"__proto__":{"password":"[REDACTED:password]"},"a":1}')
  })

  it("leaves the sealed fields of the providers alone, and scans a key of that name anywhere else", () => {
    const sealed = Buffer.from("x".repeat(90)).toString("base64")
    const thinking = { type: "thinking", thinking: "hm", signature: sealed }
    assert.deepStrictEqual(redact({ content: [thinking, { type: "reasoning", encrypted_content: sealed }] }).value, {
      content: [thinking, { type: "reasoning", encrypted_content: sealed }]
    })
    assert.deepStrictEqual(redact({ output: { signature: `key ${token}`, id: token, hash: token } }).value, {
      output: { signature: "key [REDACTED:github-pat]", id: "[REDACTED:github-pat]", hash: "[REDACTED:github-pat]" }
    })
    // The exemption is for sealed text: anything that does not look it is scanned.
    assert.deepStrictEqual(redact({ encrypted_content: `token: ${token}` }).value, {
      encrypted_content: "token: [REDACTED:github-pat]"
    })
  })

  it("drops image data", () => {
    const data = Buffer.alloc(3000, 7).toString("base64")
    assert.deepStrictEqual(redact({ type: "image", source: { type: "base64", media_type: "image/png", data } }).value, {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "[REDACTED:media-data]" }
    })
    assert.deepStrictEqual(redact({ type: "input_image", image_url: `data:image/png;base64,${data}` }).value, {
      type: "input_image",
      image_url: "[REDACTED:media-data]"
    })
  })

  it("redacts whole environments, and not a configuration that sets a variable or two", () => {
    assert.deepStrictEqual(redact({ env: { PATH: "/bin", HOME: "/root", USER: "root", THING: "abc" } }).value, {
      env: {
        PATH: "[REDACTED:env-dump]",
        HOME: "[REDACTED:env-dump]",
        USER: "[REDACTED:env-dump]",
        THING: "[REDACTED:env-dump]"
      }
    })
    assert.deepStrictEqual(redact({ Env: ["PATH=/bin", "THING=abc"] }).value, {
      Env: ["PATH=[REDACTED:env-dump]", "THING=[REDACTED:env-dump]"]
    })
    const config = { env: { NODE_ENV: "test", PATH: "/opt/bin" }, lines: ["MODE=live", "PORT=1"] }
    assert.strictEqual(redact(config).value, config)
  })

  it("omits what prints an environment or the processes, though all of it be plain words: the next one may hold anything", () => {
    const environment = "$ env\nSHELL=/bin/bash\nHOME=/home/dev\nLANG=C.UTF-8\nTERM=xterm\n"
    assert.strictEqual(redact(environment).value, "$ env\n[REDACTED:env-dump]\n")
    const container = '{"Config": {"Env": ["PATH=/usr/bin:/bin", "NODE_VERSION=22.1.0"]}}'
    assert.strictEqual(
      redact(container).value,
      '{"Config": {"Env": ["PATH=[REDACTED:env-dump]", "NODE_VERSION=[REDACTED:env-dump]"]}}'
    )
    const table =
      "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n" +
      "root           1  0.0  0.1 168000 11000 ?        Ss   May01   0:09 /sbin/init splash\n"
    assert.strictEqual(redact(table).value, "[REDACTED:process-table]\n")
  })

  it("does not let its own markers turn the rest of a list into something else", () => {
    for (const value of [
      { password: ["PATH=/bin", 530573] },
      ["password", 530573, "PATH=/bin"],
      { password: ["hunter2Secret9", 1561293] }
    ]) {
      const once = redact(value).value
      assert.deepStrictEqual(redact(once).value, once)
    }
  })

  it("scans both ends of a huge string and withholds the middle", () => {
    const text = `${token}${" word".repeat(20_000)} ${other}`
    const { value, unscanned, rules } = redact(text, { stringLength: 4096 })
    assert.match(String(value), /^\[REDACTED:github-pat\] word/)
    assert.match(String(value), / word \[REDACTED:github-pat\]$/)
    assert.strictEqual(String(value).split("[REDACTED:unscanned]").length, 2)
    assert.strictEqual(unscanned, 1)
    assert.include(rules, "unscanned")
  })

  it("takes a secret that crosses the end of the scanned head whole", () => {
    const filler = "word ".repeat(2000)
    for (let shift = 0; shift < 48; shift += 3) {
      const text = `${filler.slice(0, 2048 - 41 + shift)} ${token} ${filler.repeat(20)}`
      const value = String(redact(text, { stringLength: 4096 }).value)
      assert.notInclude(value, token.slice(4, 12), `shift ${shift}`)
      assert.notInclude(value, token.slice(-12), `shift ${shift}`)
    }
  })

  it("withholds what comes after the budget of the event", () => {
    const { value, unscanned } = redact(["a".repeat(60), "b".repeat(60), "c".repeat(60)], { totalLength: 130 })
    assert.deepStrictEqual(value, ["a".repeat(60), "b".repeat(60), "[REDACTED:unscanned]"])
    assert.strictEqual(unscanned, 1)
  })

  it("withholds a string whose scan takes more work than it may", () => {
    const { value } = redact("token=".repeat(50_000), { workPerCharacter: 0 })
    assert.strictEqual(value, "[REDACTED:unscanned]")
  })

  it("withholds what is nested too deep", () => {
    let value: unknown = "text"
    for (let i = 0; i < 20; i++) value = [value]
    const { value: redacted, unscanned } = redact(value, { depth: 5 })
    assert.strictEqual(JSON.stringify(redacted), '[[[[[["[REDACTED:unscanned]"]]]]]]')
    assert.strictEqual(unscanned, 1)
  })

  it("asks the deadline between leaves", () => {
    let asked = 0
    const deadline: Deadline = { budgetMs: 10, remainingMs: () => (++asked > 3 ? 0 : 5) }
    const { value } = redact(["one text", "two text", "three text", "four text"], {}, deadline)
    assert.deepStrictEqual(value, ["one text", "two text", "three text", "[REDACTED:unscanned]"])
  })

  it("redacts what hidden characters split, together with them", () => {
    const split = `${token.slice(0, 9)}\u200b${token.slice(9, 20)}\u001b[0m${token.slice(20)}`
    assert.strictEqual(redact(`pasted ${split} here`).value, "pasted [REDACTED:github-pat] here")
  })

  it("finds the same beside characters of two bytes, in short and long texts", () => {
    for (const fill of ["", "→ 上 ✓ plain words in between\n".repeat(400)]) {
      const dump = `${fill}$ env | grep "→"\nAPI=→abc\n`
      assert.include(redact(dump).value as string, "[REDACTED:env-dump]")
      const row = `${fill}app 1 0 0 10:00 ? 00:00:00 → serve\n`
      assert.include(redact(row).value as string, "[REDACTED:process-table]")
      assert.strictEqual(redact(`${fill}it is 上${token}`).value, `${fill}it is 上[REDACTED:github-pat]`)
    }
  })

  it("takes no character for the ASCII one with the same low byte", () => {
    const shifted = Array.from(`Bearer ${token}\n`, (c) => String.fromCharCode(c.charCodeAt(0) + 0x4e00)).join("")
    for (const text of [shifted, shifted.repeat(200)]) assert.strictEqual(redact(text).value, text)
  })

  it("reads a list of lines as a text, and keeps its length, its signs and its line ends", () => {
    const body = [1, 2, 3].map((n) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cK${n}`)
    const lines = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----", "done"]
    const hidden = Array.from({ length: 5 }, () => "[REDACTED:private-key]")
    const patch = redact({ lines: lines.map((line) => `+${line}`) })
    assert.deepStrictEqual(patch.value, { lines: [...hidden.map((line) => `+${line}`), "+done"] })
    assert.deepStrictEqual(
      patch.paths,
      [0, 1, 2, 3, 4].map((n) => `payload.lines[${n}]`)
    )
    assert.deepStrictEqual(patch.rules, ["private-key"])
    const cell = redact({ source: lines.map((line) => `${line}\n`) })
    assert.deepStrictEqual(cell.value, { source: [...hidden.map((line) => `${line}\n`), "done\n"] })
    for (const { value } of [patch, cell]) assert.deepStrictEqual(redact(value).value, value)
  })

  it("reads a list of arguments as the command that it is, and leaves the flags of other commands", () => {
    const command = ["curl", "-sS", "-u", "svc:Tr0ub4dor&3 x", "https://api.example.com"]
    const { value, paths, rules } = redact({ command, text: JSON.stringify({ command }) })
    assert.deepStrictEqual(value, {
      command: ["curl", "-sS", "-u", "svc:[REDACTED:command-argument]", "https://api.example.com"],
      text: JSON.stringify({ command: ["curl", "-sS", "-u", "[REDACTED:secret]", "https://api.example.com"] })
    })
    assert.deepStrictEqual(paths, ["payload.command[3]", "payload.text"])
    assert.deepStrictEqual(rules, ["command-argument", "secret"])
    const container = ["docker", "run", "-u", "1000:1000", "-p", "8080:80", "example/app"]
    assert.deepStrictEqual(redact({ container }).value, { container })
  })
  it("knows what a command printed from the command beside it", () => {
    const shown = (command: unknown, stdout: string) =>
      redact({ tool_input: { command }, tool_response: { stdout } }).value as { tool_response: { stdout: string } }
    const hidden = "[REDACTED:command-output]"
    assert.strictEqual(shown("openssl rand -hex 16", "9f86d081884c7d659a2feaa0c55ad015").tool_response.stdout, hidden)
    const printed = shown(["bash", "-lc", "cd a && gcloud auth print-access-token"], key)
    assert.strictEqual(printed.tool_response.stdout, "[REDACTED:secret]")
    const commit = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
    assert.strictEqual(shown("git rev-parse HEAD", commit).tool_response.stdout, commit)
    assert.strictEqual(shown("cat src/token.ts", "src/index.ts:12").tool_response.stdout, "src/index.ts:12")
  })

  it("reads the names of columns in values and in JSON, at any depth", () => {
    const table = { columns: ["id", "api_token"], rows: [["a1", key]] }
    const hidden = { columns: ["id", "api_token"], rows: [["a1", "[REDACTED:secret]"]] }
    assert.deepStrictEqual(redact(table).value, hidden)
    assert.strictEqual(redact(JSON.stringify(table)).value, JSON.stringify(hidden))
    const deep = (value: unknown) => JSON.stringify({ output: JSON.stringify(value) })
    assert.strictEqual(redact(deep(table)).value, deep(hidden))
  })
})
