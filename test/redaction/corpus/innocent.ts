import { alnum, base64, base64url, digits, hex, lower, type Random } from "./random.ts"

/** Texts that look dangerous and hold nothing secret. */
export interface InnocentKind {
  readonly kind: string
  readonly templates: ReadonlyArray<(random: Random) => unknown>
}

const q = JSON.stringify
const topics = [
  "auth",
  "token",
  "parser",
  "cache",
  "session",
  "login",
  "secret",
  "password",
  "profile",
  "config",
  "stream",
  "schema",
  "key",
  "credential"
]
const topic = (r: Random): string => r.pick(topics)
const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n")

export const innocentKinds: ReadonlyArray<InnocentKind> = [
  {
    kind: "git",
    templates: [
      (r) => times(4, () => `${r.of(hex, 7)} fix(${topic(r)}): handle an empty ${topic(r)}`),
      (r) =>
        `commit ${r.of(hex, 40)}\nAuthor: A Person <a@example.com>\nDate:   Mon May 4 10:00:00 2026 +0200\n\n    Rotate the ${topic(r)} token`,
      (r) =>
        `diff --git a/src/${topic(r)}.ts b/src/${topic(r)}.ts\nindex ${r.of(hex, 9)}..${r.of(hex, 9)} 100644\n@@ -1,2 +1,2 @@\n-const token = await getToken()\n+const token = await getToken({ refresh: true })`,
      (r) => `https://git.example.com/team/app/commit/${r.of(hex, 40)}`,
      (r) =>
        `* branch main -> FETCH_HEAD\nUpdating ${r.of(hex, 8)}..${r.of(hex, 8)}\nFast-forward\n src/auth/token.ts | 12 +++---`,
      (r) =>
        `tree ${r.of(hex, 40)}\nparent ${r.of(hex, 40)}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n ${r.of(base64, 64)}\n ${r.of(base64, 64)}\n =${r.of(base64, 4)}\n -----END PGP SIGNATURE-----`
    ]
  },
  {
    kind: "ids",
    templates: [
      (r) => times(3, () => `request ${r.uuid()} done in ${r.int(1, 900)}ms`),
      (r) => ({ id: r.uuid(), parent_id: r.uuid(), session_id: r.uuid(), trace: r.of(hex, 32) }),
      (r) => q({ _id: r.of(hex, 24), traceId: r.of(hex, 32), spanId: r.of(hex, 16) }),
      (r) => `tool_use_id: toolu_01${r.of(alnum, 22)}\nmessage: msg_01${r.of(alnum, 22)}`,
      (r) => ({
        id: `call_${r.of(alnum, 24)}`,
        type: "function_call",
        name: "read_file",
        response_id: `resp_${r.of(hex, 48)}`
      }),
      (r) => `run chatcmpl-${r.of(alnum, 29)} used model x`,
      (r) => ({
        session_id: r.uuid(),
        prompt_id: r.uuid(),
        hook_event_name: "PreToolUse",
        tool_input: { command: 'npm test -- --grep "password reset"' }
      }),
      (r) => `cus_${r.of(alnum, 14)} paid in_${r.of(alnum, 24)} with pm_${r.of(alnum, 24)}`,
      (r) => `arn:aws:iam::${r.of(digits, 12)}:role/app-session-token-reader`,
      (r) => ({ nodes: [{ key: r.of(hex, 40) }, { key: r.uuid() }], next_page_token: r.of(base64url, 24) })
    ]
  },
  {
    kind: "locks",
    templates: [
      (r) =>
        `"node_modules/csrf-token": {\n  "version": "3.${r.int(0, 9)}.1",\n  "resolved": "https://npm.example.com/csrf-token/-/csrf-token-3.0.1.tgz",\n  "integrity": "sha512-${r.bytes(64).toString("base64")}"\n},`,
      (r) => `[[package]]\nname = "secrecy"\nversion = "0.8.0"\nchecksum = "${r.of(hex, 64)}"`,
      (r) =>
        `example.com/jwt v5.2.1 h1:${r.bytes(32).toString("base64")}\nexample.com/jwt v5.2.1/go.mod h1:${r.bytes(32).toString("base64")}`,
      (r) =>
        `"token-types@^5.0.0":\n  version "5.0.1"\n  resolved "https://npm.example.com/token-types/-/token-types-5.0.1.tgz#${r.of(hex, 40)}"\n  integrity sha512-${r.bytes(64).toString("base64")}`,
      (r) => `passlib==1.7.4 \\\n    --hash=sha256:${r.of(hex, 64)} \\\n    --hash=sha256:${r.of(hex, 64)}`,
      (r) =>
        `packages:\n  '@auth/core@0.${r.int(1, 40)}.0':\n    resolution: {integrity: sha512-${r.bytes(64).toString("base64")}}\n    engines: {node: '>=18'}`
    ]
  },
  {
    kind: "digests",
    templates: [
      (r) => `node@sha256:${r.of(hex, 64)}: Pulling from library/node\n${r.of(hex, 12)}: Pull complete`,
      (r) => times(3, () => `${r.of(hex, 64)}  ${topic(r)}-1.${r.int(0, 9)}.tar.gz`),
      (r) => `MD5 (key.iso) = ${r.of(hex, 32)}\nSHA1 (key.iso) = ${r.of(hex, 40)}`,
      (r) => `etag: "${r.of(hex, 32)}"\nx-request-id: ${r.uuid()}\ncf-ray: ${r.of(hex, 16)}-AMS`,
      (r) =>
        `dist/assets/token-${r.of(alnum, 8)}.js   12.1 kB | gzip: 4.2 kB\ndist/assets/vendor-${r.of(alnum, 8)}.css  1.2 kB`,
      (r) => `tx 0x${r.of(hex, 64)} in block ${r.int(1000, 9999999)} from 0x${r.of(hex, 40)}`,
      (r) => `SHA256:${r.bytes(32).toString("base64").replace("=", "")} user@host (ED25519)`,
      (r) => `script-src 'sha256-${r.bytes(32).toString("base64")}' 'nonce-${r.bytes(12).toString("base64")}'`
    ]
  },
  {
    kind: "blobs",
    templates: [
      (r) => `<img src="data:image/png;base64,iVBORw0KGgo${r.bytes(r.int(200, 900)).toString("base64")}" alt="key">`,
      (r) =>
        `//# sourceMappingURL=data:application/json;base64,${Buffer.from(q({ version: 3, sources: ["../src/token.ts"], mappings: `AAAA,${r.of("ABCDEG;,", 40)}` })).toString("base64")}`,
      (r) => `\u0000\u0001PNG\r\n\u001a ${r.of(base64, 80)} \ufffd\ufffd ${r.of(base64url, 60)}`,
      (r) =>
        times(
          3,
          (i) =>
            `0000${(i * 16).toString(16).padStart(4, "0")}: ${times(8, () => r.of(hex, 4)).replaceAll("\n", " ")}  ................`
        ),
      (r) => ({
        type: "image",
        source: { type: "base64", media_type: "image/png", data: r.bytes(400).toString("base64") }
      }),
      (r) => ({
        type: "thinking",
        thinking: "The token is read from the environment.",
        signature: r.bytes(300).toString("base64")
      }),
      (r) => ({ type: "reasoning", encrypted_content: r.bytes(300).toString("base64"), summary: [] }),
      (r) =>
        `@font-face{font-family:Key;src:url(data:font/woff2;base64,d09GMgABAAAA${r.bytes(300).toString("base64")}) format("woff2")}`,
      (r) => `wasm: ${r.bytes(120).toString("base64")}`
    ]
  },
  {
    kind: "code",
    templates: [
      () =>
        "const token = await getToken(userId)\nif (!token) throw new Error('missing token')\nreturn verify(token, process.env.JWT_SECRET)",
      () => "if (password === confirmPassword) setPassword(password)\nheaders['Authorization'] = `Bearer ${token}`",
      () =>
        "const apiKey = process.env.API_KEY ?? ''\nconst client = new Client({ apiKey, secret: config.get('secret') })",
      () => "  secretOrKey: config.get<string>('JWT_SECRET'),\n  passwordField: 'password',\n  usernameField: 'email',",
      () =>
        'password = os.environ["DB_PASSWORD"]\ntoken = request.headers.get("Authorization", "").removeprefix("Bearer ")',
      () =>
        "def verify_password(plain_password: str, hashed_password: str) -> bool:\n    return context.verify(plain_password, hashed_password)",
      () =>
        "tokens = tokenizer.encode(text, add_special_tokens=True)\nmax_tokens = min(4096, len(tokens))\npad_token_id = 50256",
      () => 'apiKey := os.Getenv("API_KEY")\nif apiKey == "" {\n\treturn errors.New("API_KEY not set")\n}',
      () => 'let token = env::var("APP_TOKEN").context("APP_TOKEN")?;\nreq.bearer_auth(&token)',
      () => "public void setPassword(String password) { this.password = encoder.encode(password); }",
      () =>
        "interface LoginForm {\n  username: string\n  password: string\n  rememberMe?: boolean\n}\ntype Token = { accessToken: string; refreshToken: string | null }",
      () =>
        "export class TokenService {\n  private secret: string\n  constructor(secret: string) { this.secret = secret }\n}",
      () =>
        "for (const key of Object.keys(map)) {\n  const value = map[key]\n  out[key] = transform(value, { key, token: key.toUpperCase() })\n}",
      () =>
        "const KEY_ESC = 27\nwhile (key != KEY_ESC) key = getch();\nif (event.key === 'Enter' && token == null) submit()",
      () =>
        "assert token is not None, 'token missing'\nassert_eq!(token.kind, TokenKind::Identifier);\nexpect(token.type).toBe('string2')",
      (r) =>
        `!function(e,t){"object"==typeof exports?t(exports):t(e.${topic(r)}={})}(this,(function(e){"use strict";e.token=t1,e.password=function(e){return e.length>8},e.key="${topic(r)}"}));`,
      () => "const RE = /(?:password|passwd|secret)\\s*[:=]\\s*['\"]?([^'\"\\s]{8,})/gi",
      () =>
        "{ id: 'a', re: /\\b(?:AKIA|ASIA)[A-Z2-7]{16}\\b/ }, { id: 'b', re: /ghp_[0-9a-zA-Z]{36}/ }, prefix: 'xoxb-'",
      () =>
        "token_url = f\"{base_url}/oauth2/v2.0/token\"\nauth_url = base_url + '/authorize2'\nsecret_name = 'projects/1/secrets/db/versions/3'",
      () =>
        'sk_state = sk->sk_state; rk_live = 1; key_event_handler(pat_id);\nre_export(hf_hub_download(repo_id="base-uncased"))',
      () =>
        "const STORAGE_KEY = 'app.settings.v2'\nconst CACHE_KEY = `user:${id}:profile`\nqueryKey: ['session', userId2]",
      () => '@Value("${spring.datasource.password}") private String password;\n@Column(name = "password_hash2")',
      () => 'passwordInput.sendKeys(user.getPassword());\ndriver.findElement(By.id("password1")).click();',
      () => "SELECT id, password_hash, api_token FROM users WHERE token = $1 AND secret_id = :secret2",
      () =>
        "CREATE TABLE users (\n  id uuid PRIMARY KEY,\n  password_hash VARCHAR(255) NOT NULL,\n  api_token TEXT UNIQUE,\n  secret_question TEXT\n);",
      () =>
        "if (key.startsWith('sk-') || key.startsWith('pk_live_')) return 'provider'\nconst masked = key.slice(0, 4) + '****'",
      () =>
        "struct Session { token: Option<String>, key: [u8; 32], auth: AuthKind }\nimpl Token { fn secret(&self) -> &Secret<String> { &self.secret } }",
      () =>
        'func (c *Client) SetToken(token string) { c.token = token; c.headers.Set("Authorization", "Bearer "+token) }',
      () =>
        "password: z.string().min(8).max(128),\ntoken: Schema.String.pipe(Schema.minLength(32)),\napiKey: yup.string().required(),",
      () =>
        "encryption_key = Fernet.generate_key()\nsecret_key = secrets.token_urlsafe(32)\npassword = getpass.getpass('Password: ')",
      () => "auth: { type: 'oauth2', flow: 'authorization_code', tokenEndpointAuthMethod: 'client_secret_basic' }",
      () => "KeyError: 'password'\nKeyError: 'API_KEY'\n  File \"/srv/app/auth.py\", line 42, in token"
    ]
  },
  {
    kind: "placeholders",
    templates: [
      () => "API_KEY=your-api-key-here\nDB_PASSWORD=\nSECRET_KEY=<your-secret-key>\nTOKEN=changeme",
      () =>
        "export APP_TOKEN=<YOUR_TOKEN>\nexport OTHER_KEY=sk-ant-...\nexport THIRD=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      () => 'api_key: "YOUR_API_KEY"\npassword: "********"\ntoken: xxxxxxxxxxxxxxxxxxxx',
      () => "env:\n  APP_TOKEN: ${{ secrets.APP_TOKEN }}\n  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}",
      () => "DB_PASSWORD=${DB_PASSWORD:-}\nAPI_KEY=$API_KEY\nTOKEN=$(gh auth token)\nSECRET=`cat secret.txt`",
      () =>
        'password = var.db_password\ntoken    = data.vault_generic_secret.app.data["token"]\nsecret   = random_password.db.result',
      () =>
        "postgres://${DB_USER}:${DB_PASS}@db:5432/app\nmongodb+srv://<username>:<password>@cluster.example.net/test",
      () => "DATABASE_URL=postgres://localhost:5432/app\nREDIS_URL=redis://localhost:6379/0",
      () =>
        "API_KEY=op://vault/item/field\nPASSWORD=vault:secret/data/app#password\nTOKEN=arn:aws:secretsmanager:eu-west-1:1:secret:app",
      () => '{"password":"[REDACTED:password]","token":"[REDACTED:secret]","note":"<redacted>"}',
      () => "password: ENC[AES256_GCM,data:Zm9vYmFyYmF6,iv:cXV4,tag:YWJj,type:str]",
      () =>
        "# .env.example\nNODE_ENV=development\nPORT=3000\nSTRIPE_SECRET_KEY=\nJWT_SECRET=replace-me\nDATABASE_URL=postgres://localhost/app\nSMTP_PASSWORD=example\n",
      () => 'export PATH="$HOME/bin:$PATH"',
      () => "PASSWORD=%s\nTOKEN=%(token)s\nSECRET={secret}\nKEY=__KEY__\nAUTH=@auth.token@"
    ]
  },
  {
    kind: "texts",
    templates: [
      () =>
        "Set the `Authorization` header to `Bearer <token>`. Basic authentication is not supported. Cookie: a small piece of data.",
      () => "The bearer token authentication flow uses short-lived credentials; refresh tokens rotate on use.",
      () =>
        "Password requirements: at least 12 characters, one uppercase letter, one symbol. Passwords expire after 90 days.",
      () =>
        "Password: must be at least 8 characters\nSecret: keep it out of the repository\nToken: see docs/tokens2.md",
      () =>
        q(
          {
            login: {
              password: "Passwort",
              forgot_password: "Passwort vergessen?",
              secret: "Geheimnis",
              token_expired: "Ihr Token ist abgelaufen"
            }
          },
          null,
          2
        ),
      () =>
        '"password": "Mot de passe",\n"password_confirmation": "Confirmez le mot de passe",\n"api_key": "Clé d\'API"',
      () => ({ labels: { password: "パスワード", token: "トークン", apiKey: "API キー" } }),
      () =>
        '  -p, --password <password>   Password to use when connecting\n  -t, --token <token>         API token (or set ACME_TOKEN)\n      --secret string         Secret name (default "app")',
      () =>
        "sk-learn pipeline; task-runner; risk-assessment-2026; disk-usage-report; ask-the-docs; npm_config_registry npm_lifecycle_event",
      () =>
        "Call `setDefaultModelAndProvider()` then `getAvailableProviderCount`, `normalizeToolResultImages`, `copySelectionToClipboard2`.",
      (r) =>
        `I rotated the key in ${r.of(hex, 7)} and the secret manager picked it up. The password prompt is gone; token refresh works.`,
      () =>
        "The key is stored in the keychain. The token was issued at 10:42. The secret is out: tests pass. password is required",
      () =>
        "api key: required\naccess token: optional, see https://docs.example.com/tokens\nclient secret: from the console",
      () => "Key: Cmd+Shift+P opens the palette. Key findings: 3. Primary key: user_id. Foreign key: orders_2024.",
      () => "auth=none; token=disabled; secret=false; key=Enter; password=prompt"
    ]
  },
  {
    kind: "files",
    templates: [
      () =>
        "/etc/ssl/private/server.key\nsrc/features/auth/password-reset/PasswordResetForm.tsx\ntests/fixtures/token_refresh.json",
      (r) => `/Users/me/Library/Application Support/Code/User/workspaceStorage/${r.of(hex, 32)}/state.vscdb`,
      () =>
        "-rw-r--r--  1 me staff  1234 May  4 10:00 password.ts\n-rw-------  1 me staff   411 May  4 10:00 id_ed25519\ndrwxr-xr-x  5 me staff   160 May  4 10:00 secrets",
      () =>
        "password_file: /run/secrets/db_password\nsecretName: web-tls\ntls.key: /etc/tls/tls.key\ntokenPath: ~/.config/acme/token",
      (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.of(base64, 43)} me@host`,
      (r) => `-----BEGIN CERTIFICATE-----\n${times(6, () => r.of(base64, 64))}\n-----END CERTIFICATE-----`,
      (r) => `-----BEGIN PUBLIC KEY-----\n${times(3, () => r.of(base64, 64))}\n-----END PUBLIC KEY-----`,
      () =>
        'if (!pem.includes("-----BEGIN PRIVATE KEY-----")) throw new Error("expected -----BEGIN RSA PRIVATE KEY----- block")',
      () =>
        "certificate-authority: /home/me/.minikube/ca.crt\nclient-key: /home/me/.minikube/profiles/minikube/client.key"
    ]
  },
  {
    kind: "tests",
    templates: [
      (r) =>
        ` ✓ src/auth/password.test.ts (12)\n   ✓ rejects an invalid password (${r.int(1, 40)} ms)\n   ✓ refreshes the access token\n Test Files  3 passed (3)`,
      () =>
        "--- PASS: TestToken2Refresh (0.00s)\n--- PASS: TestSecret/sub_01 (0.02s)\nPASS\nok  \texample.com/auth\t0.412s",
      () => "test auth::token::expired_token_is_rejected ... ok\ntest secrets::redacts_password ... ok",
      (r) =>
        `TypeError: Cannot read properties of undefined (reading 'token')\n    at getSession (/srv/app/src/auth/session.ts:${r.int(10, 99)}:17)\n    at handler (/srv/app/.next/server/chunks/${r.int(100, 999)}.js:1:2345)`,
      () => "# pass 123456\n# fail 0\nPASS: 12 FAIL: 0\npass: 1024, skipped: 3",
      (r) =>
        `[${r.int(10, 23)}:04:11] token bucket: 120/s key=user:${r.int(1, 9999)} cache_hit=0.93 session=active auth=ok`
    ]
  },
  {
    kind: "near-secrets",
    templates: [
      (r) => `RECAPTCHA_SITE_KEY=6L${r.of(base64url, 38)}\nVAPID_PUBLIC_KEY=B${r.of(base64url, 86)}`,
      (r) => `kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB${r.of(alnum, 200)}`,
      () => 'passphrase: "enter the passphrase for the key"\n"password": "choose something that nobody guesses"',
      () =>
        "secrets:\n  - name: regcred\nkeys:\n  - id\n  - title-2\ntokens:\n  - word\ntoken:\n  description: The token\n  default: ${{ github.token }}",
      () => "| `API_KEY` | `string` | the key |\n| `DB_PASSWORD` | required | of the database |",
      (r) => `{"key": "${r.of(hex, 40)}"}\nCACHE_KEY=${r.of(hex, 40)}\nkey: ${r.of(hex, 64)}`,
      () => "USER me\nPASS tests/auth.spec.ts\nPASS: 12\na1 LOGIN disabled",
      () => 'setPassword("password", "repeat")\ncheckPassword("required", "min:8")\nauth: none\nauth = get_auth()',
      () => "echo done > token.log\necho hello-world > keys.txt\nprintf 'ready' > secrets.md",
      (r) => `==> src/token.ts <==\n${r.of(hex, 40)} is the commit`,
      (r) =>
        `github.com/acme/auth-token v1.2.3 h1:${r.of(base64, 43)}=\nlogger.info("token refreshed", { requestId: "${r.of(base64url, 21)}" })`,
      (r) =>
        `<Token id="${r.of(alnum, 24)}" class="css-${r.of(alnum, 20)}" />\nexpect(digestOf(token)).toEqual(parse("${r.of(hex, 64)}"))`,
      () => "&quot;password&quot;: &quot;required&quot;, &quot;token&quot;: null &amp;&amp; secret",
      () => "isLive ? 'token-of-the-live-site' : 'token-of-the-test-site'\npassword [y/N]: yes\ntoken ..... ok",
      () =>
        "fireEvent.change(getByLabelText('Password'), { target: { value: 'short' } })\nfill_in 'Password', with: user.password\nscreen.getByLabelText('Token').set('disabled')",
      () => "password { presence true }\nkeytar.getPassword('svc', 'user-2')\npassword: hash(plain)\nbasic('a', 'b')",
      (r) => `Sec-WebSocket-Key: ${r.bytes(16).toString("base64")}\nSec-WebSocket-Version: 13\nUpgrade: websocket`,
      (r) => `# public key: age1${r.of("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)}`,
      (r) =>
        `cache key: linux-x64-node-modules-${r.of(hex, 64)}\nCache restored from key: linux-x64-npm-${r.of(hex, 32)}`,
      (r) =>
        `LED_PIN=13\npin: 4\nconst pins = [2, 4]\npassword ${r.int(2, 9)} attempts left\nPASS=${r.int(10, 99)} FAIL=0`,
      (r) => `The commits that touch a token are:\n\n${r.of(hex, 40)}\n`,
      () => "docker build -t acme/web2:1.4 .\ntmux attach -t session2\ndoctl compute droplet list -t json2",
      () => "These files mention a password in comments:\n\nREADME2.md\n",
      () => 'routing_key: user.created\nencrypt: true\nRename "password" with "passphrase"',
      () => "$('#password').addClass('is-invalid2');\nawait expect(page.locator('#password')).toHaveText('none2')",
      () => 'statusCodes: [200, 404]\n{"error_codes": ["E1001", "E2002-A"]}',
      () => "key_mgmt=WPA-PSK\nwpa_key_mgmt=SAE WPA-PSK-SHA256\ncrypto isakmp policy 10\n authentication pre-share",
      () => "https://shop.example.com/?promo_code=SUMMER25&zip_code=10115&key=name&ticket=JIRA-1234",
      (r) => `the key for this entry: linux-x64-node20\nthe key for the release: ${r.of(hex, 40)}`,
      (r) => `1) "session:${r.of(hex, 24)}"\n2) "user:42:token"\n3) "user:43:token"\n4) "cart:${r.of(hex, 24)}"`,
      () => "type Kind = { token: 'a' | 'b'; secret?: 'none' }\nexpect(form.password).toBe('required')",
      () => 'assert.equal(typeof token, "string")\nassertEquals(secret, "none")\nset(key, "title-2")',
      () => "password VARCHAR2(64) NOT NULL,\ntoken VARCHAR(255) := NULL;",
      () => 'The default of "secret" is "none2" and "token" is "left-to-right"',
      () => 'passwords = ["required", "optional"]\ntokens: ["<s>", "</s>", "[PAD]"]\nkeys: ["id", "name-2"]',
      () => "The following variables must be set\nDB_HOST=localhost\nDB_NAME=app\nPORT=5432",
      () => "PWD=/home/user/app\nOLDPWD=/home/user\ncd $PWD && pwd",
      () =>
        "Use the --password flag to set one, or --token with a file. It is okay to pass utf-8 or IPv4-mapped names.",
      () =>
        "#define MAX_PASSWORD 128\nSYS_PASSWD = 0x115\nconst tokens = []token{0x33, 0x2e}\nprivateKey = key.Data[1:]",
      () => "connect(\n    password=primary_password,\n    token=token2,\n    key=hexPKCS8TestKey,\n)",
      () => "* private keys: `KeyFormat.pkcs8`, `KeyFormat.jwk`\nreadonly encryptionKey: Aead.Key<Aead.AesGcm>",
      () => '"trust", "reject", "md5", "password", "gss", "ssl"\nvalues = ["key", "value", "token"]',
      () => ({ ja: { pass: "1つのロール値のみ使用されています", password: "8文字以上のパスワード2" } }),
      () => "[![build](https://ci.example.com/badge.svg?style=flat)](https://ci.example.com/token)",
      () => "$ ls secrets\ndb-password2.txt\n$ cat README.md | grep password\nREADME2",
      () => "API key:\n  Go to the console and create one.\nToken:\n  see above\nSecret:\n  app-secret-v2",
      () =>
        "**Password:** required\n**Token:** see below\n- **Secret**: optional\n### Password\n\nAt least 8 characters",
      () => "<dt>Password</dt><dd>Required</dd><dt>API key</dt><dd>See docs</dd>",
      () => 'const map = { "token": { "type": "string", "value": "Identifier" }, "key": { "default": "id2" } }',
      () =>
        "| Parameter | Type | Description |\n|---|---|---|\n| api_key | string | Your API key |\n| token | string | Bearer |",
      () =>
        "securitySchemes:\n  bearerAuth:\n    scheme: bearer\n  apiKey:\n    type: apiKey\n    in: header\n    name: X-API-KEY",
      () => 'if (event.key === \'Enter\' || token == "Identifier2") skip()\nassert key == "user:1"',
      () => 'let key = String::from("id"); let token = Some("ident"); mapOf("password" to PasswordField())',
      (r) => `{"kty":"RSA","n":"${r.of(base64url, 342)}","e":"AQAB","kid":"${r.of(base64url, 27)}","use":"sig"}`,
      (r) => `cs_test_a1${r.of(alnum, 56)} pk_live_51${r.of(alnum, 97)} phc_${r.of(alnum, 43)} dpl_${r.of(alnum, 28)}`,
      (r) => ({ cookies: { theme: "dark", lang: "en" }, name: "password-input", key: r.of(hex, 24) }),
      () =>
        "projects/my-project/secrets/db-password/versions/3\narn:aws:secretsmanager:eu-west-1:1:secret:prod/db-AbCdEf",
      (r) => `sha256-${r.bytes(32).toString("base64")} nonce-${r.of(alnum, 24)} md5-${r.of(hex, 32)}`,
      () => "syn keyword\tservice\tpassword\nsyn keyword\tservice\tpop3pw\nsyn keyword\tservice\tx400"
    ]
  },
  {
    kind: "settings",
    templates: [
      () =>
        "password_min_length: 12\ntoken_ttl: 3600\naccess_token_lifetime: 3600\nsecret_rotation_days: 90\nauth: none",
      () => ({
        passwordPolicy: "strong",
        tokenEndpoint: "https://auth.example.com/oauth/token",
        requiresSecret: true,
        authMethod: "private_key_jwt",
        secretName: "web-tls"
      }),
      (r) => ({
        usage: { input_tokens: r.int(1, 9999), output_tokens: r.int(1, 999), cache_read_input_tokens: r.int(1, 99999) },
        max_tokens: 4096
      }),
      (r) =>
        `"next_page_token": "${r.of(base64url, 20)}", "token_count": ${r.int(1, 999)}, "total_tokens": ${r.int(1, 9999)}`,
      () => ({
        type: "object",
        required: ["password"],
        properties: { password: { type: "string", format: "password", minLength: 8 }, token: { $ref: "#/$defs/Token" } }
      }),
      () =>
        '<input type="password" name="password" id="password2" placeholder="Enter your password" autocomplete="current-password">\n<input type="hidden" name="csrf_token" value="{{ csrf_token() }}">',
      () => ({
        key: "settings.theme.dark2",
        keyPath: ["user", "id"],
        primaryKey: "user_id",
        sortKey: "created_at#2024"
      }),
      () => "KeyRepeat=35\nkeyboard.layout=us-intl2\nkeymap: vim\nhotkey: ctrl+shift+F12",
      () =>
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app-token-config\ndata:\n  mode: live2\n  token-ttl: 15m30s\n",
      () => '  tokenizer: cl100k_base\n  eos_token: <|endoftext|>\n  pad_token_id: 151643\n  bos_token: "<s>"',
      () =>
        "Set-Cookie: theme=dark; Path=/\nVary: Cookie, Authorization\nAccess-Control-Allow-Headers: Authorization, X-Api-Key, Cookie",
      () =>
        'HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Bearer realm="api", error="invalid_token"\nContent-Type: application/json',
      () =>
        "USER  TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT\nme    pts/0    10.0.0.2         10:00    1.00s  0.10s  0.00s w",
      () => "id,email,status\n1,a@example.com,active\n2,b@example.com,blocked\n",
      (r) =>
        `https://example.com/docs/v2/authentication/api-keys?utm_source=mail&utm_campaign=${r.of(lower, 8)}-${r.of(digits, 4)}#creating-a-token`,
      () => 'read -s -p "Password: " PASSWORD\necho "$PASSWORD" | docker login --username ci --password-stdin',
      () => 'TOKEN=$(curl -s "$URL/token" | jq -r .access_token)\nexport SECRET_KEY="$(openssl rand -hex 32)"',
      () =>
        'docker run -u 1000:1000 -p 8080:80 -e MODE=live example/app\nssh -p 2222 me@host\ncurl -u "$USER:$PASS" https://x.example.com',
      () => "mkdir -p build && cp -p a b && mysql -u root -p < dump.sql && tar -xzf key2.tgz"
    ]
  },
  {
    kind: "members-and-flags",
    templates: [
      () => "password: config.db.password,\n  token: this.s3v4.token2\n  apiKey: env.API_V2_KEY\n  secret: sha256.New",
      (r) =>
        `"js-tokens": {\n  "version": "4.0.0",\n  "resolved": "https://registry.example.org/js-tokens-4.0.0.tgz",\n  "integrity": "sha512-${r.of(base64, 86)}=="\n}`,
      (r) => `"token": {"symbol": "USDC", "address": "0x${r.of(hex, 40)}", "decimals": 6}`,
      (r) => `"secret": {"id": "${r.uuid()}", "name": "prod-db", "revision": "${r.of(hex, 40)}"}`,
      (r) => ({
        secret: { id: r.uuid(), revision: r.of(hex, 40) },
        tokens: { color: `#${r.of(hex, 6)}`, space: "24px" }
      }),
      () => "password = @Model.Password\nclient.sAdd('users:1:tokens', 'a', 'b')",
      () => 'TOKENS = {"(": "LPAREN", ")": "RPAREN"}\ntokens:\n  access: 15m\n  signing_alg: RS256',
      () =>
        "psql -U app -p 5433 -d orders\nssh -l me -p 2222 host\nmysql -u root -p orders_2024\ngit log -u -p a1b2c3d",
      () =>
        "password → Passwort\ntoken → TokenStream → AST\nToken – a short-lived credential\nPassword — 12 characters",
      () => "le mot de passe est obligatoire\nla contraseña es demasiado corta\npassword reset to default"
    ]
  },
  {
    kind: "line-starts",
    templates: [
      (r) => `1\tann\t${r.uuid()}\n2\tbob\t${r.uuid()}`,
      () => "  1 | import { token } from './token'\n  2 | \n> 3 | const password = getPassword()\n    |       ^",
      (r) => `@@ -1,2 +1,2 @@\n-  revision: ${r.of(hex, 40)}\n+  revision: ${r.of(hex, 40)}\n   token: null`,
      (r) => q({ content: `const a = "x"\n  id: ${r.uuid()}\n`, path: "src/token.ts" })
    ]
  },
  {
    kind: "forms-and-templates",
    templates: [
      () => "client_secret=&scope=read\nrefresh_token=&grant_type=password\n",
      (r) => q({ file_key: r.of(alnum, 22), node_id: "12:340" }),
      (r) => `client_secret_id=${r.of(lower, 6)}${r.of(digits, 4)}&client_secret_expires_at=1791200000\n`,
      () => 'this.resetToken = "#reset-token-box"\ncy.get(".login-token").click()\nconst password = "#password"',
      () => q({ apiKey: "{env:ACME_API_KEY}", password: "{file:~/.acme/password}" }),
      (r) => `password = f"prefix-{${topic(r)}_name}-${r.of(digits, 4)}"\ntoken = "user_{0}_2026".format(name)`,
      () => 'curl -u "svc:" x\ncurl -u ":" --negotiate x\ncurl -u <user:password> https://x\ncurl --user "$A":"$B" x',
      () => "curl -sS https://x \\\n  -o out.txt\ndocker run -u 1000:1000 alpine:3.20 id",
      () => ({
        command: ["docker", "run", "-u", "1000:1000", "curlimages/curl:8.10.1"],
        args: ["git", "push", "-u", "origin"]
      }),
      () => "<password>\n  Enter the password here\n</password>\n<token>\n  <id>4</id>\n</token>",
      () => '<Password value="Your password" onChange={setPassword} />\n<Token value={token} />',
      () => 'host, token := r.Host, getToken()\nuser, err := login("bob", "x")\nfor key, value in pairs: pass',
      () => "curl --tlspassword https://intern\nwget --user=ann --ask-password https://x\nwget --password= https://x",
      () =>
        'curl -A "probe/2.4:nightly" https://x\ncurl --user "xxxx:zzzz"\ncurl -u "ann:`pass show work/api`" https://x',
      () => `- run: echo 'export QUEUE_PASSWORD="'$STAGE_PASSWORD'"' >> .envrc`,
      () => "Authorization: 'OAuth oauth_token=81qmzxw....'",
      () => 'if ("admin" === user) {}\nif ("password" == input.type) {}\nif (null !== $password) {}'
    ]
  },
  {
    kind: "names-with-digests",
    templates: [
      (r) => `Warning  Failed  pod/web-${r.of(hex, 10)}  secret "mail-password-${r.of(hex, 8)}" not found`,
      (r) => `secret: smtp-credentials-${r.of("bcdfghkmt2456789", 10)}\nsecret "api-token-${r.of(hex, 7)}" created`,
      (r) => ({ "token/": { accessor: `auth_token_${r.of(hex, 8)}`, type: "kv" } }),
      (r) => `{"Key": "${r.of(hex, 2)}/${r.of(hex, 38)}", "ETag": "${r.of(hex, 32)}"}`,
      (r) =>
        `NAME            DIGEST            CREATED AT\nMAIL_TOKEN      ${r.of(hex, 16)}  ${r.int(1, 9)}h ago\nSESSION_SECRET  ${r.of(hex, 16)}  3 days ago\n`,
      (r) => `script-src 'sha256-${r.of(alnum, 40)}8pw=' 'nonce-${r.of(base64, 22)}=='`,
      (r) => `Cache saved with key: Linux-x64-build-${r.of(hex, 40)}-${r.of(digits, 10)}`,
      (r) => `<a data-key="${r.of(hex, 8)}">Copy</a><li data-key="${r.int(1, 99)}" data-token-index="2">`,
      (r) =>
        `SPEC CHECKSUMS:\n  Alamofire: ${r.of(hex, 40)}\n  FirebaseAuth: ${r.of(hex, 40)}\n  FirebaseCore: ${r.of(hex, 40)}\n`,
      (r) => `stash@{0}: WIP on token: ${r.of(hex, 9)} keep the session\nindex on auth: ${r.of(hex, 7)} expire`,
      (r) => `   4: billing::auth::token::refresh::h${r.of(hex, 16)}\n   5: core::token::h${r.of(hex, 16)}`,
      (r) => `const applicationServerKey = "B${r.of(base64url, 86)}"\nserver_key: B${r.of(base64url, 86)}`,
      (r) => `<div class="css-${r.of(lower + digits, 6)}-Password e${r.of(lower + digits, 8)}2 sc-${r.of(alnum, 6)}">`,
      (r) =>
        `event=put path=/registry/secrets/stage/mail-password lease=${r.of(hex, 16)}\nauth: user=svc${r.int(1, 9)} ok`,
      (r) => `"tokenColors": { "password": "#${r.of(hex, 6)}", "secret": "#${r.of(hex, 8)}" }`
    ]
  },
  {
    kind: "minified-and-constants",
    templates: [
      () => 'exports.token=exports.password=exports.verify=void 0;Object.defineProperty(t,"__esModule",{value:!0})',
      () => "e.secret=e.password=e.apiToken=void 0;e.Password=class Password{constructor(a){this.password=a.password}}",
      () => "const Method = {\n  NO_AUTH: 0x00,\n  USERNAME_PASSWORD: 0x02,\n  ACCESS_TOKEN: 0x1f\n}",
      () => 'const renderPass = encoder.begin(desc2)\nrenderPass: "opaque-layer-2",\nshadowPass = "cascade4"',
      () => 'sox in.wav out.wav highpass=120Hz2\nfilter: "lowpass=f=3000,bandpass=f=440"\nprepass: depth24_s8',
      () =>
        '<input value="" type="password"><input value="Continue" type="password">\n{"value": "Ident", "type": "token"}',
      (r) => `https://mainnet.infura.io/v3/YOUR-PROJECT-ID\nhttps://docs.infura.io/api/${r.of(hex, 8)}`,
      () => "Basic SFNT/TrueType tables\nBasic Input/Output, basic Request/Response\nopt -debug-pass=Structure2",
      () => "key,value\nlogin.password,Passwort 2\nlogin.token,Token-Nr2\nform.password,Passwort2\n",
      (r) => `name,value\ntoken,IDENT\npassword,required\ncache_key,${r.of(hex, 40)}\n`,
      () => "password: 'auth.errors.password_min8',\ntoken: 'form.token.hint2'"
    ]
  },
  {
    kind: "typed-elsewhere",
    templates: [
      () => ({ tool: "browser_type", arguments: { element: "Username or email", ref: "e4", text: "ann@example.com" } }),
      () => ({ element: "Forgot password link", text: "Forgot your password?" }),
      () => ({ selector: "#password-strength", value: "80%", text: "Fair2" }),
      () => ({ selector: "#login-password", text: "must be at least 8 characters" }),
      () => ({ id: "auth.password.label", value: "Password", key: "auth.password.hint", text: "8 or more" }),
      () => ({ id: "password", type: "password", value: "", label: "Password" }),
      () => ({ question: "Where is the password reset page?", answer: "src/pages/reset2.tsx" }),
      (r) => ({ id: "token", k: "key", v: r.int(1, 99), value: "token_type" }),
      () => ({ file_path: "/srv/app/src/password.ts", content: "export const minimum = 8\n" }),
      () => ({ file_path: "/srv/app/token.json", content: '{"type":"token","v":2}' }),
      () => ({ file_path: "/srv/app/secret.txt", content: "nothing to see here, see README.md\n" }),
      () => ({ filePath: "/srv/app/password", content: "${DB_PASSWORD}\n" }),
      () => "Status codes:\nnot-found\n404\n\nCatch phrase:\nthe quick brown fox\n",
      (r) => `$ node -e "console.log(process.version)"\nv20.${r.int(1, 19)}.2\n$ python3 -c "print(1)"\n1\n`,
      () => 'db.Bind("name=?", "value_1")\nlist.Bind("items", source2)',
      () => `- textbox "Password" [ref=e12]: Enter your password\n- link "Reset password" [ref=e14]: /reset2`,
      () => "await page.getByRole('button', { name: 'Reset password' }).click()",
      () => "page.getByRole('textbox', { name: 'Password' }).fill(user.password)\npasswords.map(p => p.value = '')",
      () => 'const rows = [{ label: "Password" }].map((row) => row.value)\nif (o["password"] === null) return',
      () => "echo 'deb https://apt.example.com stable main' | sudo tee /etc/apt/sources.list.d/token.list",
      () => "podman pull --creds bob: registry.example.com/app\nuser app on ~cache:* +@read"
    ]
  },
  {
    kind: "labels-and-routes",
    templates: [
      (r) => `Public Key\n${r.of(hex, 64)}\nCommit Hash\n${r.of(hex, 40)}`,
      () => "API Key\nCreate one in the settings of your account.\n\nAccess Token\nread:packages",
      () => "reset password\noauth2-client-v2\nforgot password\nlogin2-v3-page",
      () => "patch '/new-password' => \"admin/credentials#edit\", as: 'edit_password'",
      () => 'const oldPassword = "#old-password"\nconst resetPassword = "#new-password-form"',
      () => `echo 'export SMTP_PASSWORD="'$MAIL_PASSWORD'"' >> ci.env`,
      () => "sonar.login=admin\nPASS  test/login.test.ts\nPASS = 12",
      (r) => `x-honeycomb-team: platform-observability-2\nimage c++17:${r.of(digits, 12)}\nsum: c+d:${r.of(hex, 64)}`,
      (r) => `cache_key = ${r.of(hex, 40)}\nbuild_key: ${r.of(hex, 64)}`,
      () => "a=1; password=other; b=2\nfor (const x of y) z=1; token=next; w=2"
    ]
  }
]
