import type { InnocentKind } from "./innocent.ts"
import { alnum, base64, base64url, digits, hex, type Random } from "./random.ts"

const upperHex = (r: Random, length: number): string => r.of(hex, length).toUpperCase()
const pairs = (r: Random, count: number): string => Array.from({ length: count }, () => r.of(hex, 2)).join(":")
const base58 = alnum.replace(/[0OIl]/g, "")

/** Values that stand under the name of a secret and are something else: public keys, algorithms, addresses, types, names of other things. */
export const innocentNeighbours: ReadonlyArray<InnocentKind> = [
  {
    kind: "public-material",
    templates: [
      (r) =>
        `debug1: Server host key: ssh-ed25519 SHA256:${r.of(base64, 43)}\ndebug1: Offering public key: /home/dev/.ssh/id_ed25519 ED25519 SHA256:${r.of(base64, 43)} agent`,
      (r) =>
        `gpg:                using RSA key ${upperHex(r, 40)}\ngpg: Good signature from "Release <release@example.com>"`,
      (r) =>
        `user.signingkey=${upperHex(r, 16)}\n[user]\n\tsigningkey = ${r.of(hex, 40)}\n==> Locally signing key ${upperHex(r, 40)}...`,
      (r) => ({
        manifest_version: 3,
        key: `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${r.of(base64, 340)}IDAQAB`
      }),
      (r) => ({
        log_id: r.bytes(32).toString("base64"),
        key: `MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${r.of(base64, 86)}==`
      }),
      (r) => `did:key:z6Mk${r.of(base58, 44)}\nsigning_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.of(base64, 43)}`,
      (r) =>
        `ENV GPG_KEY ${upperHex(r, 40)}\n<pin digest="SHA-256">${r.bytes(32).toString("base64")}</pin>\nhost key fingerprint: ${pairs(r, 16)}`,
      (r) => `objectSid:: AQUAAAAAAAUVAAAA${r.of(base64, 20)}\nobjectGUID:: ${r.bytes(16).toString("base64")}`,
      (r) =>
        `cipher: aes-256-gcm\nsigningKey: "ed25519"\nencryption_key = "RSASSA_PSS_SHA_256"\npassword: "SCRAM-SHA-256"\ntoken: HS256\nbits: ${r.int(1, 9)}`
    ]
  },
  {
    kind: "addresses",
    templates: [
      (r) => `Contract: token=0x${r.of(hex, 40)}, pool key 0x${r.of(hex, 64)}\naddress token = 0x${r.of(hex, 40)};`,
      (r) => `#1  0x0000${r.of(hex, 12)} in token_sign (secret=0x${r.of(hex, 12)} "", key=0x0, len=32)`,
      (r) =>
        `--kms-key=projects/my-project/locations/us-central1/keyRings/my-ring/cryptoKeys/my-key-${r.int(1, 9)}\nkms_key = "alias/aws/s3"`,
      (r) =>
        `uses: docker://alpine:3.${r.int(1, 20)}@sha256:${r.of(hex, 64)}\nhttps://cdn.example.com/npm/vue@3.4.1/dist/vue.js`,
      () =>
        "amqp://guest:guest@localhost:5672/\nftp://anonymous:anonymous@ftp.example.com\nmysql://root:root@127.0.0.1/app",
      () => "redis[s]://[[username][:password]@][host][:port][/db]\nhttps://user:{password}@example.com\n://a:b@c",
      (r) => ({
        key: `cus_${r.of(alnum, 14)}`,
        session: `evt_1${r.of(alnum, 23)}`,
        cacheKey: `toolu_01${r.of(alnum, 22)}`
      })
    ]
  },
  {
    kind: "slugs",
    templates: [
      (r) =>
        `secret: default-token-x7k2p\ntoken: k8s-sa-token-${r.int(1, 9)}\napi_key: us-central1-a\nclient_secret: web-tls-${r.int(10, 99)}`,
      (r) =>
        `ERROR: permission denied for secret "db-password${r.int(1, 9)}"\nError: secret "prod/api-key-${r.int(1, 9)}" not found`,
      (r) =>
        `[+] AWS::SecretsManager::Secret DbSecret DbSecret${upperHex(r, 8)}\nkey: USER#${r.of(digits, 3)}\ntoken: tenant#42`,
      () =>
        "secret_type: caching_sha2_password\nkeySpec: ECC_NIST_P256\nsecretKey: 'EC_SIGN_P256_SHA256'\ntoken = 'base64url'",
      () =>
        "'gss_krb5_lucid_key', 'gss_krb5_rfc1964_keydata', 'gss_name'\nstatus:informative cert:key+cert chkeypass:key+cert",
      () =>
        "#define CKF_CLOCK_ON_TOKEN 0x00000040UL\n#define CKO_PRIVATE_KEY 0x00000003UL\n'secret': 'V1SecretProjection',\n'service_account_token': 'V1ServiceAccountTokenProjection'\nPASSWORD = '##invalid-password##'",
      (r) => `apt\tpasswd\t1:4.${r.int(1, 20)}+dfsg1-1+deb12u1\napt\tlibsecret-1-0\t0.20.5-3`
    ]
  },
  {
    kind: "code-under-names",
    templates: [
      (r) =>
        `const Env = z.object({\n  JWT_SECRET: z.string().min(${r.int(16, 64)}),\n  API_KEY: z.string().startsWith("sk-"),\n})`,
      () =>
        "password: 'varchar(255)',\ntoken: 'sa.String(255)',\nsecret: \"crypto.randomBytes(32)\",\napiKey: 'sha256(input)'",
      () => "pass: /^show/i,\ntoken: /[a-z0-9]{32}/,\nsecret = /secret|token/gi",
      () => "connect(\n    password=pending,\n    token=user.token,\n    secret=opts.secret,\n)",
      (r) => `password = 24-character string\ntoken: base64-encoded 32 bytes\nsecret: ${r.int(16, 64)}-byte hex`,
      () =>
        "token: '%env(TOKEN)%'\npassword: @@PASSWORD@@\nsecret: ~token~\napi_key: ###REDACTED###\nkey: sk-ab...wxyz\njwt: your-256-bit-secret",
      () =>
        "https://example.com/data?api_key=%3Cyour-key%3E&token=%24%7BTOKEN%7D&password=Enter%20your%20password\nhttps://example.com/?access_token={token}",
      () => "vault kv put secret/db password=@pw.txt token=@token.json\ncurl -d password=@/run/secrets/pw"
    ]
  },
  {
    kind: "labels",
    templates: [
      () => "login.password=Wachtwoord\nlogin.token=Geheimnis\npassword=Enter your password\nuser.password=Heslo",
      () => ({ password: "Wachtwoord", secret: "Geheimnis", user_password: "Senha", token: "Токен", apiKey: "密钥" }),
      () => "\x1b[32mpassword=\x1b[0m\n\x1b[32mssl.key.password = null\x1b[0m\n\x1b[33mtoken: ${TOKEN}\x1b[0m",
      (r) =>
        `curl -u username:\x1b[01;31m\x1b[Kpassword\x1b[m\x1b[K https://example.com\n\x1b[36mcacheKey=v1/${r.of(hex, 40)}\x1b[0m`,
      () => 'M.\x1b[01;31m\x1b[Kpassword\x1b[m\x1b[K = vim.fn.input("Password: ")\x1b[0m\n\x1b[31m"token": true\x1b[0m'
    ]
  },
  {
    kind: "commands-alike",
    templates: [
      (r) =>
        `oc process -f template.yaml -p NAME=app -p REPLICAS=${r.int(1, 9)}\nconan install . -pr default -p x86\ncurl -A "Mozilla/5.0 (X11; Linux x86_64; rv:${r.int(90, 130)}.0) Gecko/20100101" https://example.com`,
      () => "ALTER LOGIN sa DISABLE\nALTER LOGIN app ENABLE\n@return: the object identified by 'name'.",
      () =>
        "These are the variables that your service must set\nPORT=3000\nHOST=0.0.0.0\n\nThe defaults come from the env\nREGION=eu-west-1",
      () => 'machine HOSTNAME login USERID password "PASSWORD"\nmachine {host} login {user-id} password "{password}"',
      () =>
        "argon2: $argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>\nsha512crypt: $6$<salt>$<hash>\nbcrypt: $2b$<cost>$<salt and hash>"
    ]
  },
  {
    kind: "documents-with-secrets-named",
    templates: [
      () =>
        "A resource of kind: Secret holds the password. The keys under data: are base64:\n\n    data:\n      password: <base64>\n      level: debug\n\nname: next document\nmode: live",
      () =>
        "kind: Secret\nmetadata:\n  name: db\nstringData:\n  password: ${DB_PASSWORD}\n\nThe service reads:\n\ndata:\n  mode: live\n  level: debug\n",
      (r) =>
        `kind: ConfigMap\ndata:\n  nginx.conf: |\n    listen 443;\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: db-${r.int(1, 9)}\ntype: Opaque\n`
    ]
  },
  {
    kind: "base64-of-zeros",
    templates: [
      (r) =>
        Array.from({ length: 4 }, () => `${"A".repeat(r.int(40, 60))}${r.of(base64, 4)}${"A".repeat(12)}`).join("\n"),
      (r) => `EAAAAAAAAABcAAAAAAAAAAAAAAAAAAAAE${"A".repeat(r.int(20, 40))}9wAAAAEA\n${"A".repeat(64)}`,
      (r) => `pip/_vendor/version.py,sha256=qaN-fw_${r.of(base64url, 36)},160`,
      () => "class KrmapihostingProjectsLocationsKrmApiHostsListRequest(_messages.Message):"
    ]
  },
  {
    kind: "names-in-passing",
    templates: [
      (r) => ({
        type: "Secret Keyword",
        hashed_secret: r.of(hex, 40),
        token_fingerprint: r.of(hex, 64),
        is_verified: false
      }),
      (r) => `metadata:\n  annotations:\n    checksum/secret: ${r.of(hex, 64)}\n    checksum/token: ${r.of(hex, 64)}`,
      () =>
        "environment:\n  - DB_PASSWORD=${DB_PASSWORD:?err}\n  - API_TOKEN=${API_TOKEN:?set-it-2}\n  - KEY=${KEY:+given}",
      () => "labels:\n  api_key: API-Schlüssel\n  secret: Schlüsselwort-Größe\n  token: Zugangs-Token-Prüfung",
      (r) => `untrusted comment: signature from minisign secret key\nRUR${r.of(base64, 97)}`,
      (r) => ({
        dependencies: { "secure-password": "^4.0.0", "token-types": `~5.${r.int(0, 9)}.1`, "csrf-secret": ">=2.1.0" }
      }),
      (r) =>
        `docker run --rm -e POSTGRES_PASSWORD -e API_KEY acme/api:${r.of(hex, 7)}\ndocker run -e TOKEN ghcr.io/acme/token-${r.int(1, 9)}:1.2`,
      (r) => ({ method: "tools/call", params: { _meta: { progressToken: r.uuid() } }, workDoneToken: r.uuid() })
    ]
  }
]
