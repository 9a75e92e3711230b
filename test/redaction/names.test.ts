import { assert, describe, it } from "@effect/vitest"
import { classifyName } from "../../src/redaction/names.ts"

const table: ReadonlyArray<readonly [expected: ReturnType<typeof classifyName>, names: string]> = [
  [
    "password",
    "password dbPassword DB_PASSWORD db-password spring.datasource.password PGPASSWORD smtp_pass rootPwd passphrase motDePasse contraseña 密码 PASSWORD_2 password07 dbPassword12 password_old com.example.password mqttpass recovery_code backupCode"
  ],
  [
    "secret",
    "token accessToken ACCESS_TOKEN api-key APIKey apiKey X-Api-Key clientSecret client_secret jwt privateKey secret_key_base awsSecretAccessKey SECURE_AUTH_SALT cookie_salt pepper _authToken githubPat tokens credentials sastoken mapsapikey webhookkey awssecretkey recoveryKey cookie_key clé_api klucz_prywatny ApiSchlüssel ключ_доступа redisCred SNYK_KEY statuspage_key deviceKey secret_id APPROLE_SECRET_ID"
  ],
  ["weak", "key auth salt sid session"],
  ["code", "pin devicePin DEVICE_PIN otp totp"],
  ["authorization", "authorization Proxy-Authorization"],
  ["cookie", "cookie Set-Cookie"],
  [
    undefined,
    "tokenizer passwordField token_type max_tokens input_tokens next_page_token csrf_token publicKey publishable_key primary_key sortKey cacheKey Sec-WebSocket-Key password_min_length tokenUrl secretName PASS secretary bypass compass monkey keyboard passwordPolicy token_count [REDACTED:password] nexttoken csrftoken signingkey client_secret_id token_secret_id file_key password2026 bypass example_password"
  ]
]

describe("classifyName", () => {
  for (const [expected, names] of table) {
    it(`calls these ${expected ?? "harmless"}`, () => {
      for (const name of names.split(" ")) assert.strictEqual(classifyName(name), expected, name)
    })
  }
})
