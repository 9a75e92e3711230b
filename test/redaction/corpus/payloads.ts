import type { InnocentKind } from "./innocent.ts"
import { drawKey, drawPassword, type KeyedKind } from "./keyed.ts"
import { alnum, base64, digits, hex, lower, type Random, upper } from "./random.ts"

// What hooks deliver: the same few texts, each as a tool shows or carries it.

const q = JSON.stringify
const one = (value: unknown, ...secrets: Array<string>) => ({ value, secrets })

const lines = (text: string, frame: (line: string, index: number) => string): string =>
  text.split("\n").map(frame).join("\n")

/** A text as the output of a command, a file with numbered lines, a patch, or in JSON of a harness. */
const carried = (r: Random, text: string): unknown =>
  r.pick([
    () => ({ tool_name: "Bash", tool_response: { stdout: text, stderr: "" } }),
    () => ({ tool_name: "Read", tool_response: lines(text, (line, i) => `${String(i + 1).padStart(6)}→${line}`) }),
    () => ({ tool_response: { content: lines(text, (line, i) => `${String(i + 1).padStart(6)}\t${line}`) } }),
    () => ({ tool_response: q({ output: text, metadata: { exit_code: 0 } }) }),
    () => ({ tool_input: { patch: `*** Begin Patch\n*** Add File: a\n${lines(text, (line) => `+${line}`)}` } }),
    () => ({ tool_response: { llmContent: `Command: cat a\nDirectory: (root)\nOutput: ${text}\nExit Code: 0` } })
  ])()

/** An object as itself, in JSON, and in JSON in JSON. */
const carriedObject = (r: Random, value: unknown): unknown =>
  r.pick([
    () => value,
    () => q(value),
    () => q(value, undefined, 2),
    () => q({ output: q(value, undefined, 2) }),
    () => carried(r, q(value, undefined, 2))
  ])()

/** An object as itself or as the whole of a text. */
const nested = (r: Random, value: unknown): unknown =>
  r.pick([() => value, () => q(value), () => q(value, undefined, 2), () => q({ output: q(value) })])()

const user = (r: Random): string => r.of(lower, 6)

export const payloadKinds: ReadonlyArray<KeyedKind> = [
  {
    kind: "carried-tables",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `id,user,api_token\n1,${user(r)},${v}\n2,${user(r)},`), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `| System | Login | Password |\n|---|---|---|\n| Wiki | ${user(r)} | ${v} |`), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(carried(r, ` id | login | secret\n----+-------+-------\n  1 | ${user(r)} | ${v}\n(1 row)`), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `host\tlogin\tpasswd\ndb.example.com\t${user(r)}\t${v}`), v)
      }
    ]
  },
  {
    kind: "carried-pairs",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(
          carriedObject(r, {
            env: [
              { name: "MODE", value: "on" },
              { name: "DB_PASSWORD", value: v }
            ]
          }),
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(carriedObject(r, [{ key: "clientSecret", value: v, type: "text" }]), v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(carriedObject(r, { Parameter: { Name: "/prod/db_password", Type: "SecureString", Value: v } }), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `<dict>\n\t<key>ApiSecret</key>\n\t<string>${v}</string>\n</dict>`), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `env:\n- name: API_TOKEN\n  value: ${v}\n- name: MODE\n  value: "on"`), v)
      }
    ]
  },
  {
    kind: "json-in-text",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(
          nested(r, {
            headers: [
              ["accept", "*/*"],
              ["x-api-secret", v],
              ["etag", r.of(hex, 32)]
            ]
          }),
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(nested(r, { rawHeaders: ["Host", "api.example.com", "X-Auth-Key", v] }), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(
          nested(r, {
            columns: ["id", "email", "auth_token"],
            rows: [
              [1, "a@example.com", v],
              [2, "b", null]
            ]
          }),
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(nested(r, { fields: [{ name: "id" }, { name: "api_key" }], data: [[1, v]] }), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(
          nested(r, {
            values: [
              ["user", "secret"],
              [user(r), v]
            ]
          }),
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(nested(r, { bearer: { "git.example.com": v } }), v)
      },
      (r) => {
        const v = r.bytes(64).toString("base64")
        return one(nested(r, [{ keyName: "key1", permissions: "FULL", value: v }]), v)
      },
      (r) => {
        const v = r.of(alnum, 40)
        return one(nested(r, { request: { cookies: [{ name: "sessionid", value: v, path: "/" }] } }), v)
      }
    ]
  },
  {
    kind: "spaced-tables",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `NAME    TOKEN                 AGE\nci      ${v}   3d`), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(carried(r, `api_token\n---------\n${v}\n(1 row)`), v)
      }
    ]
  },
  {
    kind: "rows-of-pairs",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(
          carried(
            r,
            `${r.pick(["", "$ cat settings.csv\n"])}name,value\nREGION,eu-west-1\nMAIL_API_KEY,${v}\nPORT,8080`
          ),
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(`Variable;Value\nsession_secret;"${v}"\nmode;live\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`key\tvalue\r\nmail_token\t${v}\r\nport\t25\r\n`, v)
      }
    ]
  },
  {
    kind: "lines-in-lists",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one({ structuredPatch: [{ lines: [" env:", "+- name: API_TOKEN", `+  value: ${v}`, "-- name: X"] }] }, v)
      },
      (r) => {
        const body = Array.from({ length: 6 }, () => r.of(base64, 64))
        const key = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----"]
        return one(
          r.pick([{ lines: key.map((line) => `+${line}`) }, { source: key.map((line) => `${line}\n`) }, { key }]),
          ...body
        )
      },
      (r) => {
        const v = drawPassword(r)
        return one({ lines: ["+id,login,password", `+1,${user(r)},${v}`, "-2,b,"] }, v)
      }
    ]
  },
  {
    kind: "printed-by-command",
    tier: "keyed",
    templates: [
      (r) => {
        const v = r.of(hex, 64)
        return one({ tool_input: { command: "openssl rand -hex 32" }, tool_response: { stdout: v } }, v)
      },
      (r) => {
        const v = `${r.of(alnum, 16)}${r.of(digits, 2)}`
        const command = ["bash", "-lc", "cd infra && gcloud secrets versions access latest --secret=db"]
        return one({ tool_input: { command }, tool_response: { stdout: `${v}\n` } }, v)
      },
      (r) => {
        const v = `${r.of(alnum, 16)}${r.of(digits, 2)}`
        const command = "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d"
        return one({ tool_input: { command }, tool_response: q({ output: v, metadata: { exit_code: 0 } }) }, v)
      }
    ]
  },
  {
    kind: "names-of-few",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        const name = r.pick([
          "recovery_code",
          "recoveryKey",
          "backup_code",
          "cookie_key",
          "webhook_hmac",
          "svc_cred",
          "PEPPER",
          "clave_secreta",
          "chave_secreta",
          "clé_secrète",
          "chiave_segreta",
          "klucz_api",
          "klucz_prywatny",
          "gizli_anahtar",
          "token_de_acceso",
          "jeton",
          "ApiSchlüssel",
          "zugangsschluessel",
          "ключ_доступа",
          "парольБД",
          "アクセスキー",
          "mdp"
        ])
        return one(r.pick([`a: 1\n${name}: ${v}\nb: 2`, `${name} = "${v}"\nstart()`, q({ a: 1, [name]: v })]), v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(r.pick([`la contraseña es ${v}`, `le mot de passe : ${v}`, `das Passwort ist ${v}`]), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`properties:\n  api_token:\n    type: string\n    example: ${v}\n  name:\n    example: ann`, v)
      },
      (r) => {
        const v = r.of(digits, 6)
        return one(r.pick([`pin_code: "${v}"\nname: x`, q({ mfaCode: v }), `PIN_CODE=${v}`]), v)
      },
      (r) => {
        const v = `${r.of(alnum, 20)}${r.of(digits, 2)}`
        return one(
          r.pick([
            `https://${v}:x-oauth-basic@git.example.com/a.git`,
            `GET /get?file=a.zip&signature=${v}&expires=1790000000`,
            `API key - ${v}`
          ]),
          v
        )
      },
      (r) => {
        const v = `${r.pick(["Quartz", "Lisbon"])}${r.of(digits, 4)}${r.pick(["!", "*", "#!"])}`
        return one(`const CLIENT_SECRET = "${v}"\nstart()`, v)
      },
      (r) => {
        const v = `${r.of("bcdfgxz", 5)}${r.of(digits, 4)}${r.of(upper, 3)}`
        return one(`const apiKey = '${v}'\nstart()`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`var hmacKey = []byte("${v}")`, v)
      },
      (r) => {
        const v = `${r.of(alnum, 20)}${r.of(digits, 4)}`
        return one(`Token created. Copy it now, it will not be shown again:\n\n    ${v}\n`, v)
      }
    ]
  },
  {
    kind: "commands-of-few",
    tier: "keyed",
    templates: [
      (r) => {
        const v = `${r.of(lower, 5)}${r.of(digits, 4)}${r.of(upper, 3)}`
        return one(`curl -fsS -u${user(r)}:${v} https://git.example.com/api`, v)
      },
      (r) => {
        const v = `${r.of(lower, 5)}${r.of(digits, 4)}${r.of(upper, 3)}`
        return one(q({ cmd: `echo "${user(r)}:${v}" | chpasswd` }), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(r.pick([`consul kv put app/db/password ${v}`, `wrangler secret put API_TOKEN <<< "${v}"`]), v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(r.pick([`*Password*: ${v}`, `密码是 ${v}`, `await user.type(label(/password/i), "${v}")`]), v)
      },
      (r) => {
        const v = `${r.of(lower, 5)}${r.of(digits, 4)}${r.of(upper, 3)}`
        return one(`# host:port:db:user:pass\ndb.example.com:5432:app:${user(r)}:${v}\n*:*:*:ro:${v}`, v)
      }
    ]
  }
]

export const innocentPayloads: ReadonlyArray<InnocentKind> = [
  {
    kind: "payloads",
    templates: [
      () => ({
        tool_input: { command: "cat /etc/passwd" },
        tool_response: { stdout: "root:x:0:0:root:/root:/bin/bash" }
      }),
      (r) => ({
        tool_input: { command: "cat tokens.json" },
        tool_response: { stdout: q({ tokens: ["a", "b"], digest: r.of(hex, 40) }) }
      }),
      (r) => nested(r, { InstanceId: `i-0${r.of(hex, 16)}`, ClientToken: r.uuid(), KeyName: "ops-key-2026" }),
      (r) => nested(r, { id: `cus_${r.of(alnum, 14)}`, key: `pk_live_${r.of(alnum, 24)}` }),
      (r) => nested(r, { columns: ["id", "token_type", "password_changed"], rows: [[1, "bearer", "2026-01-01"]] }),
      (r) =>
        nested(r, {
          fields: ["key", "value"],
          rows: [
            ["theme", "dark"],
            ["etag", r.of(hex, 32)]
          ]
        }),
      (r) => carried(r, "id,key,token_type\n1,theme,bearer\n2,lang,bearer"),
      (r) => carried(r, `| Field | Type |\n|---|---|\n| password | varchar(255) |\n| token | char(36) |`),
      (r) =>
        carriedObject(r, [
          { name: "password", value: "Password" },
          { name: "token", value: "string" }
        ]),
      (r) => carriedObject(r, { "password.hint": "At least 12 characters", token: { "api.example.com": "bearer" } }),
      (r) => carried(r, `password:\n  type: string\n  example: your-password\nname:\n  example: Ann1234567`),
      (r) => carried(r, "The API key has changed. Restart the server to load the new one:\n\n    npm run restart"),
      (r) => ({ tool_input: { command: "gh auth status" }, tool_response: { stdout: `Logged in as ${user(r)}` } }),
      (r) => carried(r, `NAME             TYPE     DATA   AGE\napi-token-x7k2p  Opaque   1      ${r.int(1, 9)}d`),
      (r) => ({ lines: [" const key = peek()", "+const token = await next()", `-import "./${r.of(hex, 12)}.js"`] }),
      (r) => ({ lines: ["+    password:", "+      type: string", `+  commit: ${r.of(hex, 40)}`] }),
      (r) => ({
        tool_input: { command: "cat src/token.ts" },
        tool_response: { stdout: `src/index.ts:${r.int(10, 99)}` }
      }),
      (r) => ({
        tool_input: { command: 'echo "$USER:$PASS" | chpasswd' },
        tool_response: { stdout: r.pick([`v${r.int(1, 9)}.31.4-rc`, `src/index.ts:${r.int(10, 99)}`]) }
      }),
      () => "status_code: 1234\nexit_code: 4321\ncountry_code: 4912",
      () => "--token - the token of the account, or its name2\npassword - at least 12 characters",
      () => "password: required|min:8|confirmed",
      (r) => carried(r, `key\tbase64\nlogo\t${r.of(base64, 12)}`)
    ]
  }
]
