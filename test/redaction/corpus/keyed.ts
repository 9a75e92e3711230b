import { alnum, base64, base64url, digits, hex, lower, type Random, upper } from "./random.ts"
import { escaped, type Row } from "./row.ts"

/** Texts whose secret is opaque: a name, a header, a URL, a command or a file format gives it away. */
export interface KeyedKind {
  readonly kind: string
  readonly tier: "keyed" | "prose"
  readonly templates: ReadonlyArray<(random: Random) => Omit<Row, "kind" | "tier">>
}

const q = JSON.stringify
const one = (value: unknown, ...secrets: Array<string>) => ({ value, secrets })

/** Passwords as people choose them and as managers make them. */
export const drawPassword = (random: Random): string =>
  random.pick([
    () => random.of(alnum, random.int(12, 22)),
    () =>
      random.pick(["Summer", "Falcon", "Orange", "Kestrel"]) +
      random.pick(["!", "#", "@", "_"]) +
      random.of(digits, 4) +
      random.pick(["", "x", "!!"]),
    () => `${random.of(alnum, 6)}${random.pick(["!", "%", "^", "*", "+", "="])}${random.of(alnum, 8)}9`,
    () => `${random.of(lower, 5)}-${random.of(lower, 6)}-${random.of(digits, 3)}${random.of(lower, 3)}`,
    () => random.of(lower, 6) + random.of(digits, 4) + random.of(upper, 1)
  ])()

/** Passwords that are written like a member of an object. */
const drawDottedPassword = (random: Random): string =>
  `${random.of(upper, 1)}${random.of(lower, 2)}${random.of(digits, 1)}${random.of(alnum, 2)}.${random.of(upper, 1)}${random.of(digits, 1)}${random.of(lower, 2)}${random.of(digits, 1)}${random.of(alnum, 3)}`

/** Passwords that need no escaping in a URL. */
const drawPlainPassword = (random: Random): string => `${random.of(alnum, random.int(8, 20))}${random.of(digits, 2)}`

/** Keys that a machine made. */
export const drawKey = (random: Random): string =>
  random.pick([
    () => random.of(alnum, 32),
    () => random.of(hex, 40),
    () => random.of(hex, 64),
    () => random.of(base64url, 42) + random.of(alnum, 1),
    () => random.of(hex, 32)
  ])()

/** Templates of which each holds the value once. */
const each = (
  draw: (random: Random) => string,
  ...texts: ReadonlyArray<(value: string) => unknown>
): KeyedKind["templates"] =>
  texts.map((text) => (random) => {
    const value = draw(random)
    return one(text(value), value)
  })

const names = [
  "API_KEY",
  "SECRET_KEY",
  "ACCESS_TOKEN",
  "CLIENT_SECRET",
  "AUTH_TOKEN",
  "WEBHOOK_SECRET",
  "ENCRYPTION_KEY",
  "SIGNING_KEY",
  "REFRESH_TOKEN",
  "SERVICE_ACCOUNT_KEY",
  "STRIPE_API_SECRET",
  "ALGOLIA_ADMIN_API_KEY",
  "DD_API_KEY",
  "SESSION_SECRET",
  "JWT_SECRET",
  "COOKIE_SECRET",
  "TWILIO_AUTH_TOKEN",
  "HASURA_ADMIN_SECRET"
]
const passwordNames = [
  "DB_PASSWORD",
  "POSTGRES_PASSWORD",
  "MYSQL_ROOT_PASSWORD",
  "REDIS_PASSWORD",
  "SMTP_PASS",
  "ADMIN_PASSWORD",
  "PGPASSWORD",
  "RABBITMQ_DEFAULT_PASS",
  "ELASTIC_PASSWD",
  "LDAP_BIND_PWD"
]
const camel = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const seedWords =
  "abandon ability able about above absent absorb abstract absurd abuse access accident account accuse".split(" ")

const pemLines = (random: Random, label: string, lines: number): ReadonlyArray<string> => [
  `-----BEGIN ${label}-----`,
  ...Array.from({ length: lines }, (_, i) => (i === 0 ? `MIIE${random.of(base64, 60)}` : random.of(base64, 64))),
  `${random.of(base64, 30)}==`,
  `-----END ${label}-----`
]
const labels = [
  "RSA PRIVATE KEY",
  "EC PRIVATE KEY",
  "PRIVATE KEY",
  "OPENSSH PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "PGP PRIVATE KEY BLOCK"
]
const pem =
  (
    render: (lines: ReadonlyArray<string>, random: Random) => unknown,
    keep: (lines: ReadonlyArray<string>) => ReadonlyArray<string> = (lines) => lines
  ) =>
  (random: Random) => {
    const lines = keep(pemLines(random, random.pick(labels), random.int(5, 24)))
    return { value: render(lines, random), secrets: lines.filter((line) => !line.startsWith("-----")) }
  }

export const keyedKinds: ReadonlyArray<KeyedKind> = [
  {
    kind: "env",
    tier: "keyed",
    templates: [
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`NODE_ENV=test\n${n}=${v}\nPORT=3000\n`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`export ${n}='${v}'\nmake deploy`, v)
      },
      (r) => {
        const n = r.pick(passwordNames),
          v = drawPassword(r)
        return one(`${n}=${v}\nDB_HOST=db\n`, v)
      },
      (r) => {
        const n = r.pick(passwordNames),
          v = drawPassword(r)
        return one(`# local\n${n}="${v}"\n# end`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`$ ${n}=${v} npm start`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`PS C:\\app> $env:${n} = "${v}"`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`C:\\app> set ${n}=${v}\r\nC:\\app> run.cmd`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`setenv ${n} ${v}\n`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`FROM node:22\nENV ${n} ${v}\nENV PORT 80\n`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one(`set -gx ${n} ${v}\n`, v)
      },
      (r) => {
        const n = r.pick(names),
          v = drawKey(r)
        return one({ command: `heroku config:set ${n}=${v} -a demo` }, v)
      }
    ]
  },
  {
    kind: "json",
    tier: "keyed",
    templates: [
      (r) => {
        const n = camel(r.pick(names)),
          v = drawKey(r)
        return one(q({ host: "db", [n]: v, pool: 5 }, null, 2), v)
      },
      (r) => {
        const n = camel(r.pick(passwordNames)),
          v = drawPassword(r)
        return one(q({ host: "db", [n]: v, pool: 5 }), v)
      },
      (r) => {
        const n = camel(r.pick(passwordNames)),
          v = drawPassword(r)
        return one({ config: { db: { [n]: v, port: 1 } } }, v)
      },
      (r) => {
        const n = r.pick(names).toLowerCase(),
          v = drawKey(r)
        return one({ tool_input: { [n]: v } }, v)
      },
      (r) => {
        const n = camel(r.pick(names)),
          v = drawKey(r)
        return one({ stdout: q({ data: { [n]: v } }) }, v)
      },
      (r) => {
        const n = camel(r.pick(names)),
          v = drawKey(r)
        return one(`{"body":"${escaped(q({ [n]: v, x: 1 }), 2)}"}`, v)
      },
      (r) => {
        const a = drawKey(r),
          b = drawKey(r)
        return one(q({ access_token: a, token_type: "bearer", expires_in: 3600, refresh_token: b }), a, b)
      },
      (r) => {
        const a = drawKey(r),
          b = drawKey(r)
        return one({ tokens: [a, b] }, a, b)
      },
      (r) => {
        const v = drawPassword(r)
        return one(
          {
            env: [
              { name: "DB_PASSWORD", value: v },
              { name: "MODE", value: "prod" }
            ]
          },
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(
          q(
            {
              env: [
                { name: "API_KEY", value: v },
                { name: "MODE", value: "prod" }
              ]
            },
            null,
            2
          ),
          v
        )
      },
      (r) => {
        const v = drawKey(r)
        return one(
          {
            headers: [
              ["Accept", "*/*"],
              ["X-Api-Key", v]
            ]
          },
          v
        )
      },
      (r) => {
        const v = drawPassword(r)
        return one({ argv: ["deploy", "--password", v, "--yes"] }, v)
      }
    ]
  },
  {
    kind: "yaml",
    tier: "keyed",
    templates: [
      (r) => {
        const n = r.pick(names).toLowerCase(),
          v = drawKey(r)
        return one(`app:\n  ${n}: ${v}\n  port: 80\n`, v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(`database:\n  user: app\n  password: '${v}'\n  pool: 5\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`database:\n  user: app\n  password: ${v} # rotate\n  pool: 5\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: ${v}\n      POSTGRES_DB: app\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=${v}\n      - POSTGRES_DB=app\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`client_secret: |\n  ${v}\nscopes:\n  - read\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`- name: API_KEY\n  value: ${v}\n- name: MODE\n  value: prod\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`- name: API_KEY\n  value: "${v}"\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`{user: app, password: ${v}, port: 5432}`, v)
      }
    ]
  },
  {
    kind: "ini",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPassword(r)
        return one(`[client]\nuser = app\npassword = ${v}\nhost = db\n`, v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(`spring.datasource.url=jdbc:h2:mem\nspring.datasource.password=${v}\nserver.port=80\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`[default]\naws_secret_access_key = ${v}\nregion = eu-west-1\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`[remote]\ntype = s3\nsecret_access_key = ${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`[auth]\nclient_secret: ${v}\nclient_id: web\n`, v)
      }
    ]
  },
  {
    kind: "xml",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`<server>\n  <id>repo</id>\n  <password>${v}</password>\n</server>`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(
          `<appSettings>\n  <add key="ApiKey" value="${v}" />\n  <add key="Mode" value="live" />\n</appSettings>`,
          v
        )
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`<property name="hibernate.connection.password" value="${v}"/>`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`<property name="javax.persistence.jdbc.password">${v}</property>`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(
          `<packageSourceCredentials>\n  <feed>\n    <add key="ClearTextPassword" value="${v}" />\n  </feed>\n</packageSourceCredentials>`,
          v
        )
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`<bean class="Pool" username="app" password="${v}" maxActive="5"/>`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`<key>apiSecret</key>\n<string>${v}</string>`, v)
      }
    ]
  },
  {
    kind: "source",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPassword(r).replace(/['"\\]/g, "x")
        return one(`conn = connect(host="db", user="app", password="${v}", port=5432)`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`const client = new Client({ apiKey: "${v}", retries: 3 })`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`private static final String API_SECRET = "${v}";`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`let api_token: &str = "${v}";`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`var accessToken string = "${v}"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`$config['secret_key'] = '${v}';`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`define('AUTH_KEY', '${v}');`, v)
      },
      (r) => {
        const v = drawPassword(r).replace(/['"\\]/g, "x")
        return one(`options.setPassword("${v}");`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`os.environ["API_KEY"] = "${v}"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`config :app, secret_key_base: "${v}"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`#define WIFI_PASSWORD "${v.slice(0, 20)}"`, v.slice(0, 20))
      },
      (r) => {
        const v = drawKey(r)
        return one(`const apiKey: string = '${v}'`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`headers = {"X-Auth-Token": "${v}"}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`client_secret => '${v}',`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`variable "db_password" {\n  type    = string\n  default = "${v}"\n}`, v)
      }
    ]
  },
  {
    kind: "headers",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(`curl -H "Authorization: Bearer ${v}" https://api.example.com`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`curl -H 'X-API-Key: ${v}' https://api.example.com`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`GET / HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: token ${v}\r\nAccept: */*\r\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`authorization: ApiKey ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one({ headers: { authorization: `Bearer ${v}`, accept: "*/*" } }, v)
      },
      (r) => {
        const v = drawKey(r)
        return one({ headers: { Authorization: `Token ${v}` } }, v)
      },
      (r) => {
        const v = Buffer.from(`svc:${drawPassword(r)}`).toString("base64")
        return one(`Authorization: Basic ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`"Proxy-Authorization": "Bearer ${v}"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`fetch(url, { headers: { 'PRIVATE-TOKEN': '${v}' } })`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`X-Vault-Token: ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`wget --header="X-Auth-Token: ${v}" https://files.example.com/a`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`http GET api.example.com X-Api-Key:${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one({ rawHeaders: ["Host", "api.example.com", "Authorization", `Bearer ${v}`] }, v)
      }
    ]
  },
  {
    kind: "cookies",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawKey(r)
        return one(`Cookie: theme=dark; session=${v}; lang=en`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`< set-cookie: connect.sid=s%3A${v}; Path=/; HttpOnly`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`curl -b "PHPSESSID=${v}" https://app.example.com`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one({ headers: { cookie: `a=1; sid=${v}` } }, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`curl --cookie 'JSESSIONID=${v}; lang=en' https://app.example.com`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`document.cookie = "auth_token=${v}; path=/"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one({ "set-cookie": [`sid=${v}; Path=/; Secure`, "theme=dark; Path=/"] }, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(q({ name: "session", value: v, domain: "app.example.com", httpOnly: true }), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`.example.com\tTRUE\t/\tTRUE\t1893456000\tsession_token\t${v}`, v)
      }
    ]
  },
  {
    kind: "urls",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`DATABASE_URL=postgres://app:${v}@db.example.com:5432/app?sslmode=require`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`redis://:${v}@cache.example.com:6379/0`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`git clone https://ci:${v}@git.example.com/team/app.git`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one({ url: `mongodb+srv://app:${v}@c0.example.net/app` }, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`broker = "amqps://svc:${v}@mq.example.com:5671/vhost"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`https://api.example.com/v1/items?api_key=${v}&limit=5`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`GET /callback?code=abc&access_token=${v} 302`, v)
      },
      (r) => {
        const v = encodeURIComponent(r.bytes(32).toString("base64"))
        return one(`https://acct.blob.core.windows.net/c/f?sv=2024-01-01&sp=r&sig=${v}`, v)
      },
      (r) => {
        const v = r.of(hex, 64)
        return one(`https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=${v}`, v)
      },
      (r) => {
        const v = r.of(base64url, 40)
        return one(`https://storage.example.com/o?Expires=1&Signature=${v}x`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`jdbc:mysql://db:3306/app?user=app&password=${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`curl -X POST -d "grant_type=password&username=a&password=${v}" https://auth.example.com/token`, v)
      },
      (r) => {
        const v = r.of(alnum, 32)
        return one(`otpauth://totp/Example:me?secret=${v.toUpperCase()}&issuer=Example`, v.toUpperCase())
      },
      (r) => {
        const v = drawKey(r)
        return one(`git remote add origin https://${v}@git.example.com/team/app.git`, v)
      }
    ]
  },
  {
    kind: "connection-strings",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`Server=sql.example.com;Database=app;User Id=sa;Password=${v};Encrypt=True;`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`"ConnectionString": "Host=db;Username=app;Pwd=${v};Pooling=true"`, v)
      },
      (r) => {
        const v = `${r.of(base64, 86)}==`
        return one(`DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=${v};EndpointSuffix=core.windows.net`, v)
      },
      (r) => {
        const v = `${r.of(base64, 43)}=`
        return one(`Endpoint=sb://x.example.com/;SharedAccessKeyName=root;SharedAccessKey=${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`host=db port=5432 dbname=app user=app password=${v} sslmode=require`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`cache.example.com:6380,password=${v},ssl=True,abortConnect=False`, v)
      }
    ]
  },
  {
    kind: "commands",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`mysql -h db -u root -p${v} app < dump.sql`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`mysqldump --user=root --password=${v} app > dump.sql`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`PGPASSWORD=${v} psql -h db -U app`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`sshpass -p ${v} ssh ops@10.0.0.9`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`docker login -u ci -p ${v} registry.example.com`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`curl -u admin:${v} https://repo.example.com/api`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`curl --user 'admin:${v}' https://repo.example.com/api`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`redis-cli -h cache -a ${v} ping`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`echo "${v}" | docker login --username ci --password-stdin`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`echo '${v}' | sudo -S apt-get update`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`acme login --token ${v} --org demo`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`acme deploy --api-key=${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`gh secret set DEPLOY_KEY --body "${v}"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`aws configure set aws_secret_access_key ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`npm config set //npm.example.com/:_authToken ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`kubectl create secret generic app --from-literal=api-key=${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`vault kv put secret/app password=${v} user=app`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`openssl enc -aes-256-cbc -k ${v} -in a -out b`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`htpasswd -b .htpasswd admin ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`mongosh -u root -p ${v} --authenticationDatabase admin`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`az login --service-principal -u app -p ${v} --tenant t`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`zip -P ${v} out.zip notes.txt`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`ldapsearch -x -D cn=admin -w ${v} -b dc=example`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`sqlcmd -S db -U sa -P ${v} -Q "select 1"`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`Connect-App -Password ${v} -Force`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`echo "app:${v}" | chpasswd`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`7z x -p${v} backup.7z`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one({ command: `helm registry login -u ci -p ${v} registry.example.com` }, v)
      }
    ]
  },
  {
    kind: "files",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`machine api.example.com\n  login me\n  password ${v}\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`machine api.example.com login me password ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`$ cat ~/.pgpass\ndb.example.com:5432:app:app:${v}\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`$ cat .pgpass\n*:*:app:owner:${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`//npm.example.com/:_authToken=${v}\nalways-auth=true`, v)
      },
      (r) => {
        const v = Buffer.from(`ci:${drawPlainPassword(r)}`).toString("base64")
        return one(`//npm.example.com/:_password="${v}"`, v)
      },
      (r) => {
        const v = Buffer.from(`ci:${drawPlainPassword(r)}`).toString("base64")
        return one(q({ auths: { "registry.example.com": { auth: v } } }, null, 2), v)
      },
      (r) => {
        const v = r.of(base64, 300)
        return one(
          `users:\n- name: admin\n  user:\n    client-certificate-data: LS0tLS1\n    client-key-data: ${v}\n`,
          v
        )
      },
      (r) => {
        const v = Buffer.from(drawPassword(r) + r.of(alnum, 8)).toString("base64")
        return one(`apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  whatever: ${v}\n`, v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(`kind: Secret\napiVersion: v1\nstringData:\n  config.yml: "${v}"\nmetadata:\n  name: x\n`, v)
      },
      (r) => {
        const v = Buffer.from(drawPassword(r) + r.of(alnum, 8)).toString("base64")
        return one({ kind: "Secret", data: { anything: v } }, v)
      },
      (r) => {
        const v = r.bytes(32).toString("base64")
        return one(`[Interface]\nPrivateKey = ${v}\nAddress = 10.1.0.2/32\n`, v)
      },
      (r) => {
        const v = r.of(hex, 64)
        return one(`PRIVATE_KEY=0x${v}\nRPC_URL=https://rpc.example.org`, v)
      },
      (r) => {
        const v = r.of(`${alnum}./`, 31)
        return one(`admin:$2y$10$${r.of(`${alnum}./`, 22)}${v}\n`, v)
      },
      (r) => {
        const v = r.of(base64, 40)
        return one(`User name,Access key ID,Secret access key\nci,${"AK"}IA${r.of(`${upper}234567`, 16)},${v}\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`id,email,password\n1,a@example.com,${v}\n2,b@example.com,x\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`| user | api_key |\n| --- | --- |\n| ci | ${v} |\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(` id | name | token\n----+------+-------\n  1 | ci   | ${v}\n(1 row)`, v)
      },
      (r) => {
        const ls = pemLines(r, "X", 4).slice(1, -1)
        return {
          value: `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 1\nAAAAC3Nz\nPrivate-Lines: ${ls.length}\n${ls.join("\n")}\nPrivate-MAC: ${r.of(hex, 64)}`,
          secrets: ls
        }
      }
    ]
  },
  {
    kind: "sql",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`CREATE USER app WITH PASSWORD '${v}';`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`ALTER USER 'app'@'%' IDENTIFIED BY '${v}';`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`INSERT INTO users (id, email, password) VALUES (1, 'a@example.com', '${v}'), (2, 'b', 'c');`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`UPDATE settings SET api_key = '${v}' WHERE id = 1;`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`CREATE LOGIN app WITH PASSWORD = N'${v}', CHECK_POLICY = OFF;`, v)
      }
    ]
  },
  {
    kind: "private-keys",
    tier: "keyed",
    templates: [
      pem((lines) => `$ cat id\n${lines.join("\n")}\n$ `),
      pem((lines) => lines.join("\r\n")),
      pem((lines) => q({ key: lines.join("\n") })),
      pem((lines) => q({ a: q({ key: `${lines.join("\n")}\n` }) })),
      pem((lines) => ({ private_key: lines.join("\n") })),
      pem((lines) => `TLS_KEY="${lines.join("\\n")}"\nPORT=1`),
      pem((lines) => `tls:\n  key: |\n${lines.map((line) => `    ${line}`).join("\n")}\n  port: 443`),
      pem((lines) => lines.map((line) => `+${line}`).join("\n")),
      pem((lines) => lines.map((line, i) => `${String(i + 1).padStart(6)}→${line}`).join("\n")),
      pem((lines) => lines.map((line, i) => `certs/key.pem:${i + 1}:${line}`).join("\n")),
      pem((lines) => lines.join(" ")),
      pem((lines) => `const key = [\n${lines.map((line) => `  "${line}",`).join("\n")}\n].join("\\n")`),
      pem((lines) => `key = "${lines.join('\\n" +\n  "')}"`),
      pem(
        (lines) => `${lines.join("\n")}\n... [output truncated]`,
        (lines) => lines.slice(0, 5)
      ),
      pem(
        (lines) => `[... 20 lines omitted ...]\n${lines.join("\n")}\n$ ls`,
        (lines) => lines.slice(3)
      ),
      pem((lines) => lines.map((line) => `> ${line}`).join("\n")),
      pem((lines) => lines.map((line) => ` * ${line}`).join("\n"))
    ]
  },
  {
    kind: "encoded",
    tier: "keyed",
    templates: [
      (r) => {
        const v = Buffer.from(`DB_PASSWORD=${drawPlainPassword(r)}\nAPI_KEY=${drawKey(r)}\n`).toString("base64")
        return one(`$ base64 -w0 .env\n${v}\n`, v)
      },
      (r) => {
        const v = Buffer.from(q({ type: "service", api_key: drawKey(r) })).toString("base64")
        return one({ payload: v }, v)
      },
      (r) => {
        const v = Buffer.from(pemLines(r, "PRIVATE KEY", 4).join("\n")).toString("base64")
        return one(`KEY_B64=${v}`, v)
      },
      (r) => {
        const text = Buffer.from(`API_KEY=${drawKey(r)}\nDB_PASSWORD=${drawPlainPassword(r)}\nMODE=live\n`).toString(
          "base64"
        )
        const ls = text.match(/.{1,76}/g) ?? []
        return { value: `$ base64 .env\n${ls.join("\n")}\n`, secrets: ls.slice(0, -1) }
      }
    ]
  },
  {
    kind: "dumps",
    tier: "keyed",
    templates: [
      (r) => {
        const v = r.of(lower, 14)
        return one(
          `$ env\nSHELL=/bin/bash\nPWD=/srv\nHOME=/root\nACME_THING=${v}\nPATH=/usr/bin:/bin\nLANG=C.UTF-8\n`,
          v
        )
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(`HOSTNAME=a1\nACME_THING=${v}\nHOME=/root\nTERM=xterm\nPATH=/usr/bin\n`, v)
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(`PATH=/usr/bin\0HOME=/root\0ACME_THING=${v}\0USER=root\0PWD=/\0`, v)
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(
          `declare -x HOME="/root"\ndeclare -x PATH="/usr/bin"\ndeclare -x PWD="/srv"\ndeclare -x ACME_THING="${v}"\n`,
          v
        )
      },
      (r) => {
        const v = r.of(lower, 14)
        return one({ Config: { Env: ["PATH=/usr/bin", `ACME_THING=${v}`, "MODE=live"] } }, v)
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(q([{ Config: { Env: ["PATH=/usr/bin", `ACME_THING=${v}`] } }], null, 4), v)
      },
      (r) => {
        const v = r.of(lower, 14)
        return one({ env: { PATH: "/usr/bin", HOME: "/root", USER: "root", ACME_THING: v } }, v)
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(
          `  PID TTY          TIME CMD\n    1 ?        00:00:01 node server.js --thing ${v}\n   23 pts/0    00:00:00 ps\n`,
          v
        )
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(
          `USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot           1  0.0  0.1   2616  1500 ?        Ss   10:00   0:00 sh -c run --thing ${v}\n`,
          v
        )
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(
          `UID          PID    PPID  C STIME TTY          TIME CMD\napp           12       1  0 10:00 ?        00:00:00 worker --thing ${v}\n`,
          v
        )
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(`app      4242  0.0  0.4 123456  7890 pts/1    S+   10:01   0:02 worker --thing ${v}`, v)
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(
          `{\n  PATH: '/usr/bin',\n  HOME: '/root',\n  USER: 'root',\n  ACME_THING: '${v}',\n  PWD: '/srv'\n}`,
          v
        )
      },
      (r) => {
        const v = r.of(lower, 14)
        return one(`$ docker exec web printenv\nPATH=/usr/bin\nACME_THING=${v}\n`, v)
      }
    ]
  },
  {
    kind: "cut",
    tier: "keyed",
    templates: [
      (r) => {
        const v = r.of(alnum, r.int(12, 25))
        return one(`token: ${"gh"}p_${v}`, v)
      },
      (r) => {
        const v = r.of(base64url, 30)
        return one(`key ${"sk"}-ant-api03-${v}… [truncated 900 chars]`, v)
      },
      (r) => {
        const v = r.of(alnum, 20)
        return one(`using ${"glp"}at-${v.slice(0, 14)}... (truncated)`, v.slice(0, 14))
      }
    ]
  },
  {
    kind: "other-languages",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPassword(r).replace(/[#"]/g, "x")
        return one(`passwort = "${v}"`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`contraseña: ${v}\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`密码：${v}\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(q({ motDePasse: v }), v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`пароль: ${v}\n`, v)
      }
    ]
  },
  {
    kind: "literals",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`let db_password = String::from("${v}");`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`Config { host: "a".into(), api_token: Some("${v}".to_owned()) }`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`    redis_password: str = Field(default="${v}")`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`const sessionSecret = process.env.SESSION_SECRET || '${v}'`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`api_token = os.getenv("API_TOKEN") or "${v}"`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`bind_pw = os.getenv('BIND_PW', default='${v}')`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`public string DatabasePassword { get; set; } = "${v}";`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`static char account_password[] = "${v}";`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`const std::string bot_token{"${v}"};`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`Dim appSecret As String = "${v}"`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`const ingest_key: []const u8 = "${v}";`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`mapOf("host" to "a", "proxy_password" to "${v}")`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`buildConfigField("String", "API_SECRET", "\\"${v}\\"")`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`keystore_password = """${v}"""`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`backup_passphrase = (\n    "${v}"\n)`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`if ldap_password == "${v}":`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`parser.add_argument("--bot-token", default="${v}")`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`{:host "db" :truststore-password "${v}"}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`{consumer_secret, "${v}"}.`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`declare -A cfg=([host]=db [hmac_secret]="${v}")`, v)
      }
    ]
  },
  {
    kind: "printed",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`Config {\n    smtp_password: Secret(\n        "${v}",\n    ),\n}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`array(2) {\n  ["webhook_secret"]=>\n  string(${v.length}) "${v}"\n}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`Array\n(\n    [host] => a\n    [db_password] => ${v}\n)`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`a:1:{s:9:"api_token";s:${v.length}:"${v}";}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`{ a: 1, accountPassword: \u001b[32m'${v}'\u001b[39m }`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`>>> shared_secret\n'${v}'`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`$ echo $API_KEY\n${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`$ terraform output -raw access_key\n${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`$ kubectl get secret s -o jsonpath='{.data.api-key}' | base64 -d\n${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`Incorrect api secret provided: ${v}.`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`ValueError: Invalid encryption_key '${v}'`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`Here is the client secret:\n${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`API key:\n\`\`\`\n${v}\n\`\`\`\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`### Auth Token\n\n\`${v}\`\n`, v)
      },
      (r) => {
        const v = `${r.of(alnum, 31)}7`
        return one(`**Bearer Token:** ${v}\n`, v)
      },
      (r) => {
        const v = `${r.of(alnum, 31)}7`
        return one(`- **Deploy Token**: \`${v}\`\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`| Key | Value |\n|---|---|\n| host | a |\n| API_SECRET | ${v} |\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`┌────┬──────┐\n│ id │ app_secret │\n├────┼──────┤\n│ 1  │ ${v} │\n└────┴──────┘`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`-[ RECORD 1 ]---\nid       | 1\nauth_token | ${v}\n`, v)
      },
      (r) => {
        const v = `${r.of(alnum, 31)}7`
        return one(`NAME         VALUE\nhost         a\nAUTH_TOKEN   ${v}\n`, v)
      },
      (r) => {
        const v = `${r.of(alnum, 31)}7`
        return one(`<dt>Access Token</dt><dd><code>${v}</code></dd>`, v)
      }
    ]
  },
  {
    kind: "records",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`{"value":"${v}","name":"ADMIN_PASSWORD"}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`- value: "${v}"\n  name: WIFI_PASSWORD\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one({ Parameters: [{ ParameterKey: "DbPassword", ParameterValue: v }] }, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(q({ db_password: { sensitive: true, type: "string", value: v } }, null, 2), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(q({ Parameter: { Name: "/app/secret_key", Type: "SecureString", Value: v } }, null, 4), v)
      },
      (r) => {
        const v = drawKey(r)
        return one(
          `<env-entry>\n <env-entry-name>auth_token</env-entry-name>\n <env-entry-value>${v}</env-entry-value>\n</env-entry>`,
          v
        )
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`<keystorePassword><![CDATA[${v}]]></keystorePassword>`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`--b\r\nContent-Disposition: form-data; name="redis_password"\r\n\r\n${v}\r\n--b--`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`api_token: !!str ${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`api_token: &shared ${v}\n`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`Driver={x};Server=db;Uid=sa;Pwd={${v}};`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`root:${v}@tcp(127.0.0.1:3306)/db?parseTime=true`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`jdbc:oracle:thin:scott/${v}@//db:1521/x`, v)
      },
      (r) => {
        const v = r.of(base64url, 48)
        return one({ cookies: [{ name: "session_id", value: v, domain: "app.example.com" }] }, v)
      },
      (r) => {
        const v = r.of(base64url, 48)
        return one({ cookies: { session_id: v, theme: "dark" } }, v)
      },
      (r) => {
        const v = r.of(hex, 32)
        return one(`Authorization: Digest username="a", realm="r", nonce="n", uri="/", response="${v}"`, v)
      },
      (r) => {
        const v = encodeURIComponent(r.bytes(32).toString("base64"))
        return one(`sv=2022-11-02&ss=b&srt=sco&sp=rl&se=2026-01-01T00:00:00Z&spr=https&sig=${v}`, v)
      },
      (r) => {
        const v = r.of(base64url, 43)
        return one(q({ kty: "EC", crv: "P-256", x: r.of(base64url, 43), y: r.of(base64url, 43), d: v }), v)
      },
      (r) => {
        const v = r.of(base64url, 43)
        return one({ kty: "oct", k: v, alg: "HS256" }, v)
      },
      (r) => {
        const v = r.of(base64url, 43)
        return one(`const jwk = { kty: "OKP", crv: "Ed25519", d: "${v}", x: "${r.of(base64url, 43)}" }`, v)
      },
      (r) => {
        const v = `${r.of(base64, 171)}=`
        return one(
          `<RSAKeyValue><Modulus>${r.of(base64, 171)}=</Modulus><Exponent>AQAB</Exponent><D>${v}</D></RSAKeyValue>`,
          v
        )
      },
      (r) => {
        const v = Array.from({ length: 12 }, () => r.pick(seedWords)).join(" ")
        return one(`seed phrase: ${v}\n`, v)
      },
      (r) => {
        const v = Array.from({ length: 24 }, () => r.pick(seedWords)).join(" ")
        return one({ mnemonic: v }, v)
      },
      (r) => {
        const lines = Array.from({ length: 16 }, () => r.of(hex, 32))
        return {
          value: `-----BEGIN OpenVPN Static key V1-----\n${lines.join("\n")}\n-----END OpenVPN Static key V1-----`,
          secrets: lines
        }
      }
    ]
  },
  {
    kind: "more-commands",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`$sec = ConvertTo-SecureString "${v}" -AsPlainText -Force`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`SetEnv SMTP_PASSWORD ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`netlify env:set REFRESH_TOKEN ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`keytool -genkey -alias a -storepass ${v} -keypass ${v} -keystore k.jks`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`cypher-shell -u neo4j -p ${v} "MATCH (n)"`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`curl -su 'user:${v}' https://x.example.com`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`http -A bearer -a ${v} https://x.example.com`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`lftp -u user,${v} sftp://x.example.com`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`echo '${v}' | gpg --batch --passphrase-fd 0 -d x`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`ssh-keygen -t ed25519 -N '${v}' -f k`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`sudo -S whoami <<< "${v}"`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`net user admin ${v} /add`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`oc login https://api.example.com:6443 -u admin -p ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`gh secret set ABC -b"${v}"`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`etcdctl --user root:${v} get x`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`twine upload -u me -p ${v} dist/*`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`poetry config http-basic.x user ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`bundle config set --global gems.example.com user:${v}`, v)
      },
      (r) => {
        const v = `${r.of(alnum, 38)}k9`
        return one(`mc alias set m https://s3.example.com ${r.of(alnum, 20)} ${v}`, v)
      },
      (r) => {
        const v = r.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)
        return one(`oathtool --totp -b ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`ACL SETUSER app on >${v} ~* +@all`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`SET PASSWORD FOR 'app'@'localhost' = '${v}';`, v)
      }
    ]
  },
  {
    kind: "salts-and-codes",
    tier: "keyed",
    templates: [
      (r) => {
        const v = r.of(hex, 32)
        return one(`COOKIE_SALT=${v}\nCOOKIE_NAME=app`, v)
      },
      (r) => {
        const v = r.of(`${alnum}!@#%^&*()-_[]{}<>~+=,.;:/?|`, 64)
        return one(`define('SECURE_AUTH_SALT', '${v}');\ndefine('AUTH_KEY',         '${v}');`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`PASSWORD_PEPPER=${v}`, v)
      },
      (r) => {
        const v = `${r.int(1, 9)}${r.of(digits, 5)}`
        return one(q({ pin: v, card: "visa" }), v)
      },
      (r) => {
        const v = `${r.int(1, 9)}${r.of(digits, 5)}`
        return one({ otp: v, phone: "none" }, v)
      },
      (r) => {
        const v = `${r.int(1, 9)}${r.of(digits, 7)}`
        return one(`DEVICE_PIN=${v}\nDEVICE=usb0`, v)
      }
    ]
  },
  {
    kind: "files-of-systems",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`bind 0.0.0.0\nrequirepass ${v}\nmaxmemory 1gb`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`rocommunity ${v} 10.0.0.0/8\nsyslocation dc1`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`snmp-server community ${v} RO`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`snmpwalk -v2c -c ${v} 10.0.0.1 sysDescr.0`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`snmpget -v3 -u me -l authPriv -a SHA -A ${v} -x AES -X ${v} 10.0.0.1`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`username admin privilege 15 password 0 ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`[smtp.example.com]:587 bot@example.com:${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`/msg NickServ IDENTIFY ${v}`, v)
      },
      (r) => {
        const v = Buffer.from(drawPlainPassword(r)).toString("base64")
        return one(`<Server>\n  <User>me</User>\n  <Pass encoding="base64">${v}</Pass>\n</Server>`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(
          `Please use the following password to proceed to installation:\n\n${v}\n\nThis may also be found at: /var/lib/first`,
          v
        )
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`$ argocd admin initial-password -n argocd\n${v}\n`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(
          `    Environment:\n      LOG_LEVEL:  info\n      API_KEY:    ${v}\n    Mounts:\n      /tmp from tmp (rw)`,
          v
        )
      },
      (r) => {
        const v = r.of(hex, 32)
        return one(`https://api.example.com/data?q=Oslo&appid=${v}&units=metric`, v)
      },
      (r) => {
        const v = r.of(alnum, 24)
        return one(`https://app.example.com/join?invite_code=${v}`, v)
      }
    ]
  },
  {
    kind: "calls-with-a-password",
    tier: "keyed",
    templates: each(
      drawPlainPassword,
      (v) => `my $dbh = DBI->connect("dbi:Pg:dbname=app", "app", "${v}");`,
      (v) => `new PasswordAuthentication("svc", "${v}".toCharArray())`,
      (v) => `credentials += Credentials("Realm", "host", "ci", "${v}")`,
      (v) => `new Sequelize('app', 'me', '${v}', { dialect: 'postgres' })`,
      (v) => `User.objects.create_superuser('admin', 'a@example.com', '${v}')`,
      (v) => `bcrypt.hashSync('${v}', 10)`,
      (v) => `driver.find_element(By.ID, "password").send_keys("${v}")`,
      (v) => `await page.type('#password', '${v}');`,
      (v) => `When I fill in "Password" with "${v}"`,
      (v) => `User.create!(email: 'a@example.com', password: '${v}', password_confirmation: '${v}')`
    )
  },
  {
    kind: "networks-and-machines",
    tier: "keyed",
    templates: each(
      drawPlainPassword,
      (v) => `crypto isakmp key ${v} address 10.0.0.1`,
      (v) => `tacacs-server key 7 ${v}`,
      (v) => `  pac key 7 ${v}`,
      (v) => ` ip ospf authentication-key ${v}`,
      (v) => `set security ike policy p pre-shared-key ascii-text "${v}"`,
      (v) => `nmcli con add type wifi con-name h ssid Home wifi-sec.psk ${v}`,
      (v) => `<keyMaterial>${v}</keyMaterial>`,
      (v) => `    Key Content            : ${v}`,
      (v) => `xfreerdp /u:me /p:${v} /v:host`,
      (v) => `signtool sign /f cert.pfx /p ${v} app.exe`,
      (v) => `schtasks /create /tn x /ru me /rp ${v} /sc daily`,
      (v) => `evil-winrm -i 10.0.0.1 -u admin -p '${v}'`,
      (v) => `turnserver --user me:${v} --realm x`,
      (v) => `(echo ${v}; echo ${v}) | smbpasswd -s -a me`,
      (v) => `echo ${v} | openconnect --passwd-on-stdin vpn.example.com`,
      (v) => `keytool -importkeystore -srckeystore a.p12 -srcstorepass ${v}`,
      (v) => `Password for the [elastic] user successfully reset.\nNew value: ${v}`,
      (v) => `Changed password for user elastic\nPASSWORD elastic = ${v}`,
      (v) => `npmRegistries:\n  "//npm.example.com":\n    npmAuthIdent: "ci:${v}"`
    )
  },
  {
    kind: "keys-of-tools",
    tier: "keyed",
    templates: [
      ...each(
        (r) => r.bytes(32).toString("base64"),
        (v) => `nsupdate -y hmac-sha256:acme:${v}`,
        (v) => `"encrypt": "${v}"`,
        (v) => `wg set wg0 private-key <(echo ${v})`,
        (v) => `vault operator unseal ${v}`,
        (v) => `'key' => 'base64:${v}',`
      ),
      ...each(
        (r) => `0x${r.of(hex, 64)}`,
        (v) => `networks: { sepolia: { url: RPC, accounts: ["${v}"] } }`,
        (v) => `Private Keys\n==================\n(0) ${v}\n\nListening on 127.0.0.1:8545`
      ),
      ...each(
        (r) => r.of(hex, 32),
        (v) => `pagerduty_configs:\n- routing_key: ${v}`,
        (v) => `doctl auth init -t ${v}`,
        (v) => `codecov -t ${v}`
      ),
      ...each(
        (r) => `${r.of(hex, 8)}-${r.of(hex, 4)}-4${r.of(hex, 3)}-a${r.of(hex, 3)}-${r.of(hex, 12)}`,
        (v) => `vault write auth/approle/login role_id=web secret_id=${v}`
      ),
      ...each(
        (r) => r.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32),
        (v) => `Enter this setup key in your app: ${v}`
      ),
      ...each(
        (r) => `${r.of(hex, 4)}7-${r.of(hex, 5)}`,
        (v) => q({ recovery_codes: [v], used: 0 })
      ),
      ...each(
        (r) => `MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg${r.of(base64, 150)}`,
        (v) => `"content": "${v}"`
      ),
      ...each(
        (r) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${r.of(base64, 900)}`,
        (v) => `SIGNING=${v}`
      )
    ]
  },
  {
    kind: "forms-of-many-languages",
    tier: "keyed",
    templates: [
      ...each(
        // Letters and digits with padding, as a quoted type is written.
        (r) => `${r.of(alnum, 41)}a7=`,
        (v) => `"CLIENT_SECRET": '${v}'\n"STAGE": 'live'`,
        (v) => `ENV.fetch("WEBHOOK_SECRET") { "${v}" }`,
        (v) => `let k = env::var("SIGNING_KEY").unwrap_or("${v}".into());`,
        (v) => `#{stage => live, client_secret => <<"${v}">>}`,
        (v) => `##vso[task.setvariable variable=API_SECRET;isOutput=true]${v}`,
        (v) => `reg add HKCU\\Environment /v API_TOKEN /t REG_SZ /d ${v} /f`,
        (v) => `<meta-data android:name="com.acme.API_SECRET" android:value="${v}" />`,
        (v) => `{"Item":{"id":{"S":"a"},"accessToken":{"S":"${v}"}}}`,
        (v) => ({ fields: { stage: { stringValue: "x" }, apiSecret: { stringValue: v }, token: { S: v } } }),
        (v) => `expect(cfg.accessToken).toBe('${v}');`,
        (v) => `assert.equal(config.accessToken, "${v}");`
      ),
      ...each(
        drawPlainPassword,
        (v) => `1) "id"\n2) "4"\n3) "db_password"\n4) "${v}"`,
        (v) => `Given the env var "DB_PASSWORD" is "${v}"`,
        (v) => `v_db_password VARCHAR2(64) := '${v}';`,
        (v) => q({ passwords: [v, v], mode: "x" })
      ),
      (r) => {
        const a = drawKey(r)
        const b = drawKey(r)
        return one(`API_KEYS = ["${a}", "${b}"]\nMODE = "x"`, a, b)
      }
    ]
  },
  {
    kind: "configurations",
    tier: "keyed",
    templates: [
      ...each(
        drawPlainPassword,
        (v) => `network WIFI:T:WPA;S:Home;P:${v};;`,
        (v) => `# Secrets for authentication using CHAP\n"me"\t*\t"${v}"\t*`,
        (v) => `binddn cn=proxy,dc=example,dc=com\nbindpw ${v}\nssl on`,
        (v) => `<AdministratorPassword>\n  <Value>${v}</Value>\n  <PlainText>true</PlainText>`,
        (v) => `net use Z: \\\\nas\\share ${v} /user:me`,
        (v) => `$ bw get password github.com\n${v}\n`,
        (v) => `expect "assword:"\nsend "${v}\\r"`,
        (v) => `cy.get('input[name=password]').type('${v}')`,
        (v) => `page.locator('[name="password"]').fill('${v}')`,
        (v) => `jelszo: ${v}\nfelhasznalo: root`,
        (v) => `parola_chiave = ${v}\nutente = root`,
        (v) => `passwords:\n  - ${v}\n  - hello`
      ),
      ...each(
        drawKey,
        (v) => `| Variable | Value | Note |\n|---|---|---|\n| \`AUTH_TOKEN\` | \`${v}\` | monthly |`,
        (v) => `Parameters:\n  EncryptionSecret:\n    Type: String\n    NoEcho: true\n    Default: ${v}`,
        (v) => `api_keys:\n  - ${v}\n  - ${v}\nmode: x`,
        (v) => `requests.get(u, cookies={"sessionid": "${v}", "lang": "en"})`,
        (v) => `GET /callback?code=${v}&state=1 302`,
        (v) => `id,name,secret_key_base,region\n5,acme,${v},eu\n`
      ),
      ...each(
        (r) =>
          r.pick(["velvet tunnel ribbon ozone", "marine 412 sugar ladder pistol", "copper lantern drift meadow raven"]),
        (v) => `passphrase: "${v}"\ncipher: aes`,
        (v) => `RESTIC_PASSWORD="${v}"`
      )
    ]
  },
  {
    kind: "dialogues-and-more-tools",
    tier: "keyed",
    templates: [
      ...each(
        drawPlainPassword,
        (v) => `a1 LOGIN me@example.com ${v}`,
        (v) => `USER me\r\n331 need password\r\nPASS ${v}\r\n230 ok`
      ),
      ...each(
        drawPlainPassword,
        (v) => `HELLO 3 AUTH default ${v}`,
        (v) => `<String>\n  <Key>Password</Key>\n  <Value ProtectInMemory="True">${v}</Value>\n</String>`,
        (v) => `db.changeUserPassword("me", "${v}")`,
        (v) => `WiFi.begin("Home", "${v}");`,
        (v) => `mosquitto_passwd -b /etc/p me ${v}`,
        (v) => `ipmitool -I lanplus -H h -U admin -P ${v} power on`,
        (v) => `net rpc shutdown -U me%${v} -S h`,
        (v) => `java -jar jenkins-cli.jar -auth me:${v} build x`
      ),
      ...each(
        (r) => Buffer.from(drawPlainPassword(r)).toString("base64"),
        (v) => `334 UGFzc3dvcmQ6\n${v}\n235 ok`
      ),
      ...each(
        (r) => r.of(hex, 40),
        (v) => `ACME_KEY=${v}\nMODE=x`,
        (v) => `new Octokit({ auth: '${v}' })`,
        (v) => `acme deploy --key ${v} --yes`,
        (v) => `TF_TOKEN_app_terraform_io=${v}`,
        (v) => `ParameterKey=ApiToken,ParameterValue=${v}`,
        (v) => `Set-Item -Path Env:ACME_TOKEN -Value '${v}'`,
        (v) => `(("ACME_TOKEN" . "${v}"))`,
        (v) => `curl -u ${v}: https://sonar.example.com/api/x`,
        (v) => `wandb login ${v}`,
        (v) => `cargo login --registry acme ${v}`,
        (v) => `docker login -u ci --password-stdin <<< ${v}`,
        (v) => `echo ${v} > /run/secrets/api_token`,
        (v) => `==> secrets/api_token.txt <==\n${v}\n`
      )
    ]
  },
  {
    kind: "literals-near-a-name",
    tier: "keyed",
    templates: [
      ...each(
        (r) => `${r.of(alnum, 30)}7aZ9`,
        (v) => `const signingKey = isLive ? "${v}" : "";`,
        (v) => `key := cmp.Or(os.Getenv("ACME_SECRET"), "${v}")`,
        (v) => `access_token: "{{ access_token | default('${v}') }}"`,
        (v) => `val acmeSecret by lazy { "${v}" }`,
        (v) => `(defvar *access-token* "${v}")`,
        (v) => `new DefinePlugin({ 'process.env.API_SECRET': JSON.stringify('${v}') })`,
        (v) => `[INFO] using webhook_secret (${v})`,
        (v) => `CLIENT_SECRET ........ ${v}`,
        (v) => `client secret [none]: ${v}`
      ),
      ...each(
        (r) => r.of(hex, 40),
        (v) => `const authToken = isLive ? "${v}" : "";`,
        (v) => `(or (System/getenv "ACME_TOKEN") "${v}")`
      ),
      ...each(
        drawPlainPassword,
        (v) => `$key = getenv('SMTP_PASSWORD') ?: '${v}';`,
        (v) => `my $k = $ENV{SMTP_PASSWORD} || '${v}';`,
        (v) => `<pre>{&quot;adminPassword&quot;: &quot;${v}&quot;}</pre>`,
        (v) => `payload=%7B%22adminPassword%22%3A%22${v}%22%7D`,
        (v) => `{"x":"{\\u0022adminPassword\\u0022:\\u0022${v}\\u0022}"}`
      )
    ]
  },
  {
    kind: "tests-that-log-in",
    tier: "keyed",
    templates: [
      ...each(
        drawPlainPassword,
        (v) => `driver.findElement(By.id("password")).sendKeys("${v}");`,
        (v) => `onView(withId(R.id.password)).perform(typeText("${v}"))`,
        (v) => `app.secureTextFields["Password"].typeText("${v}")`,
        (v) => `fill_in 'Password', with: '${v}'`,
        (v) => `browser.text_field(name: 'password').set '${v}'`,
        (v) => `fireEvent.change(getByLabelText('Password'), { target: { value: '${v}' } })`,
        (v) => `given().auth().basic("a", "${v}")`,
        (v) => `.with(httpBasic("a", "${v}"))`,
        (v) => `factory :user do\n  password { "${v}" }\nend`,
        (v) => `await db.user.create({ data: { email: 'a@example.com', password: hash('${v}') } })`,
        (v) => `echo ${v} | pass insert -e web/x`,
        (v) => `printf '${v}' | secret-tool store --label=x k v`
      ),
      ...each(
        (r) => r.of(hex, 32),
        (v) => `keytar.setPassword('svc', 'me', '${v}')`,
        (v) => `HASH_SALT=${v}`
      )
    ]
  },
  {
    kind: "sentences",
    tier: "prose",
    templates: [
      (r) => {
        const v = drawPassword(r)
        return one(`the database password is ${v} and the user is app`, v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(`Password: ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`here is the api key: ${v}`, v)
      },
      (r) => {
        const v = drawKey(r)
        return one(`the secret for the webhook is ${v}, keep it safe`, v)
      },
      (r) => {
        const v = drawPassword(r)
        return one(`log in as admin / ${v}`, v)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`requests.get(url, auth=("admin", "${v}"))`, v)
      },
      (r) => {
        const v = r.bytes(30).toString("base64")
        return one(`$ openssl rand -base64 30\n${v}`, v)
      }
    ]
  },
  {
    kind: "letters-and-dashes",
    tier: "keyed",
    templates: [
      (r) => {
        const v = `${r.of(lower + upper, 7)}-${r.of(lower + upper, 8)}_${r.of(lower + upper, 6)}`
        return one(`db:\n  password: "${v}"\n  pool: 5`, v)
      },
      (r) => {
        const v = `${r.of(lower + upper, 9)}-${r.of(lower + upper, 12)}`
        return one(q({ user: "app", dbPassword: v }), v)
      }
    ]
  },
  {
    kind: "dotted-passwords",
    tier: "keyed",
    templates: each(
      drawDottedPassword,
      (v) => `PGPASSWORD=${v} psql -h db.example.com -c "select 1"`,
      (v) => `mail:\n  host: smtp.example.com\n  password: ${v}\n  port: 587`,
      (v) => `ossrhUsername=me\nossrhPassword=${v}`,
      (v) => `echo '${v}' | docker login --username ci --password-stdin`,
      (v) => `login attempt user=ann password=${v} result=fail`,
      (v) => `airflow connections add wh --conn-login app --conn-password '${v}'`,
      (v) => `curl --user 'app:${v}' https://api.example.com/v1`
    )
  },
  {
    kind: "behind-line-starts",
    tier: "keyed",
    templates: [
      "12\t",
      "    12→",
      "+",
      "> ",
      "2026-03-01T10:00:00.000Z ",
      "2026-03-01 10:00:00 [info] ",
      "ci/app.yml:12:",
      "-",
      "\u001b[36;1m"
    ].flatMap((start) => {
      const end = start.startsWith("\u001b") ? "\u001b[0m" : ""
      const put = (text: string): string => {
        const lines = text.split("\n").map((line) => start + line + end)
        const hunk = start === "+" ? "--- a/x\n+++ b/x\n@@ -0,0 +1,3 @@\n" : start === "-" ? "@@ -1,3 +0,0 @@\n" : ""
        return hunk + lines.join("\n")
      }
      return [
        ...each(
          drawPlainPassword,
          (v) => put(`curl -u ann:${v} https://api.example.com/v1`),
          (v) => put(`mysqldump -uroot -p${v} shop`)
        ),
        ...each(
          drawPassword,
          (v) => put(`env:\n- name: DB_PASSWORD\n  value: "${v}"\n- name: DB_HOST\n  value: db.example.com`),
          (v) => put(`id | login | password\n---+-------+---------\n 1 | ann   | ${v}\n(1 row)`)
        ),
        ...each(
          drawKey,
          (v) => put(`client_secret: >-\n  ${v}\nscope: all`),
          (v) => put(`tokens:\n  - ${v}\nport: 80`),
          (v) => put(`<key>APISecret</key>\n<string>${v}</string>`)
        )
      ]
    })
  },
  {
    kind: "in-strings-of-json",
    tier: "keyed",
    templates: [1, 2].flatMap((times) => {
      const put = (text: string): string =>
        times === 1 ? q({ stdout: text, code: 0 }) : q({ type: "text", text: q({ content: text }) })
      return [
        ...each(
          drawPassword,
          (v) => put(`- name: DB_PASSWORD\n  value: "${v}"`),
          (v) => put(`Const DbPassword As String = "${v}"`),
          (v) => put(`spawn ssh host\nexpect "assword:"\nsend "${v}\\r"`)
        ),
        ...each(
          drawPlainPassword,
          (v) => put(`DriverManager.getConnection(url, "app", "${v}");`),
          (v) => put(`id | login | password\n---+-------+---------\n 1 | ann   | ${v}`)
        ),
        ...each(
          (r) => r.of(alnum, 32),
          (v) => put(`proxy_set_header X-Internal-Secret "${v}";`),
          (v) => put(`(setq api-token "${v}")`)
        )
      ]
    })
  },
  {
    kind: "members-of-secrets",
    tier: "keyed",
    templates: each(
      (r) => r.of(alnum, 32),
      (v) => `"api_keys": {"prod": "${v}", "region": "eu"}`,
      (v) => `secrets:\n  stripe: ${v}\n  region: eu-west-1\nport: 80`,
      (v) => `locals {\n  secrets = {\n    jwt = "${v}"\n  }\n}`,
      (v) => `TOKENS = {"ci": "${v}"}`,
      (v) => ({ tokens: { discord: v, region: "eu" } })
    )
  },
  {
    kind: "logins-of-any-command",
    tier: "keyed",
    templates: each(
      (r) => `${r.of(alnum, 6)}_${r.of(digits, 2)}${r.of(alnum, 5)}`,
      (v) => `ncftpput -u app -p ${v} ftp.example.com / a`,
      (v) => `acmectl login registry.example.com --username ci -p ${v}`,
      (v) => `fly -t ci login -u ann -p ${v}`,
      (v) => `composer config http-basic.repo.example.com app ${v}`,
      (v) => `az pipelines variable create --name DB_PASSWORD --secret true --value ${v}`,
      (v) => `openconnect -u ann --passwd-on-stdin vpn.example.com <<< "${v}"`
    )
  },
  {
    kind: "told-in-other-ways",
    tier: "keyed",
    templates: [
      ...each(
        (r) => r.of(alnum, 40),
        (v) => `Generated token → ${v}`,
        (v) => `API key – ${v}`,
        (v) => `client secret (shown once): ${v}`,
        (v) => `secret = <<EOF\n${v}\nEOF`,
        (v) => `builder.Configuration["Jwt:Key"] = "${v}";`,
        (v) => `Jwts.builder().signWith(SignatureAlgorithm.HS256, "${v}")`,
        (v) => `Copy this api key now: ${v}`,
        (v) => `dotnet nuget push a.nupkg -k ${v} -s main`,
        (v) => `set password ENC ${v}`,
        (v) => `api_hash = "${v}"`,
        (v) => q({ algoliaKey: v, masterKeyBase64: "" }),
        (v) => `CSRF_SECRET=${v}`,
        (v) => `jwt.NewWithClaims(m, c).SignedString([]byte("${v}"))`,
        (v) => `defaults write com.example apiToken -string ${v}`,
        (v) => `podman secret create app <(echo ${v})`,
        (v) => `gpg --batch --passphrase-fd 0 <<< "${v}"`,
        (v) => `irb> ENV["TOKEN"]\n=> "${v}"`,
        (v) => `(gdb) p api_token\n$1 = "${v}"`,
        (v) => `name: API_TOKEN | value: ${v}`,
        (v) => `Response headers: {"set-cookie": ["session=${v}; Path=/"]}`,
        (v) => `secretStringValue: SecretValue.unsafePlainText("${v}")`
      ),
      ...each(
        (r) => `${r.of(alnum, 6)}@${r.of(alnum, 7)}4`,
        (v) => `password for the vpn: ${v}`,
        (v) => `the password (prod) is ${v}`,
        (v) => `UPDATE settings SET value='${v}' WHERE name='smtp_password';`,
        (v) => `PASSWORD_DB=${v}`,
        (v) => `contrasenaDb: "${v}"`,
        (v) => `senha do banco: ${v}`,
        (v) => `mot de passe : ${v}`,
        (v) => `la contraseña es ${v}`,
        (v) => `Admin password reset to '${v}'`,
        (v) => `A temporary password is generated for root@localhost: ${v}`,
        (v) => `services.app.adminpass = "${v}";`,
        (v) => `ds.setPassword( "${v}" );`,
        (v) => `keyStore.load(is, "${v}".toCharArray())`,
        (v) => `%any : PSK "${v}"`,
        (v) => `Set-ADAccountPassword -NewPassword (ConvertTo-SecureString -AsPlainText "${v}" -Force)`
      ),
      ...each(
        (r) => r.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 55),
        (v) => `seed: SUA${v}`
      )
    ]
  },
  {
    kind: "fields-of-a-form",
    tier: "keyed",
    templates: each(
      drawKey,
      (v) => `# \u{1f680} caf\u00e9\nrefresh_token=${v}&note=caf\u00e9 \u{1f680}\n`,
      (v) => `client_secret=${v}&scope=read&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcb\n`,
      (v) => `sent access_token=${v}&locale=日本 to the server\n`
    )
  },
  {
    kind: "elements-over-lines",
    tier: "keyed",
    templates: each(
      drawPlainPassword,
      (v) => `<server>\n  <password>\n    ${v}\n  </password>\n</server>`,
      (v) => `<db_password> ${v} </db_password>`,
      (v) => `<password value="${v}"/>`,
      (v) => `<KeystorePassword encrypted="false" value = '${v}' />`,
      (v) => `<entry>\n  <key>PASS</key>\n  <value>${v}</value>\n</entry>`
    )
  },
  {
    kind: "several-names-at-once",
    tier: "keyed",
    templates: [
      (r) => {
        const v = drawPlainPassword(r)
        return one(`user, password = "bob", "${v}"\n`, v)
      },
      (r) => {
        const [a, b] = [drawPlainPassword(r), drawPlainPassword(r)]
        return one(`\tconst rootPassword, dbPassword string = "${a}", "${b}"\n`, a, b)
      },
      (r) => {
        const v = drawPlainPassword(r)
        return one(`\thost, port, dbPassword := "db", "5432", "${v}"\n`, v)
      }
    ]
  },
  {
    kind: "compared-the-other-way",
    tier: "keyed",
    templates: each(
      drawPlainPassword,
      (v) => `if ( '${v}' === $admin_password ) {\n  return true;\n}`,
      (v) => `if "${v}" != PASSWORD:\n    raise SystemExit`,
      (v) => `if (password == f"${v}"):\n    pass`,
      (v) => `let login_password07 = "${v}";\nconst password2 = 1;`
    )
  },
  {
    kind: "brackets-in-a-password",
    tier: "keyed",
    templates: each(
      (r) =>
        `${r.of(lower, 2)}{{${r.of(lower, 1)}}${r.of(lower, 2)})q$\{${r.of(lower, 1)}]${r.of(lower, 3)}(${r.of(lower, 2)}>-_$#${r.of(lower, 4)}`,
      (v) => `admin_password = "${v}"`,
      (v) => `apikey := "${v}"`,
      (v) => `<property name="db.password" value="${v}" />`
    )
  },
  {
    kind: "user-of-a-request",
    tier: "keyed",
    templates: each(
      (r) => `${r.of(alnum, 14)}${r.of(digits, 2)}`,
      (v) => `curl -X GET \\\n  -H 'Accept: application/json' \\\n  -u build_bot:${v} \\\n  https://api.example.com`,
      (v) => `curl.exe -X GET \`\r\n  -u build_bot:${v} https://api.example.com\r\n`,
      (v) => `curl --user ann:'${v}' -X PUT https://api.example.com`,
      (v) => `curl --user "ann":"${v}" https://api.example.com`,
      (v) => ({ command: ["curl", "-sS", "-u", `build_bot:${v}`, "https://api.example.com"] }),
      (v) => ({ arguments: JSON.stringify({ command: ["mysql", "-u", "root", `-p${v}`, "orders"] }) }),
      (v) => ({ argv: ["sshpass", "-p", v, "ssh", "ops@box"] }),
      (v) => `curl -fsSLku build_bot:${v} https://api.example.com`
    )
  },
  {
    kind: "pairs-and-marks",
    tier: "keyed",
    templates: each(
      (r) => `${r.of(alnum, 18)}${r.of(digits, 2)}`,
      (v) => `AUTH=build_bot:${v}\ncurl -u "$AUTH" https://api.example.com`,
      (v) => `httpAuth: "deploy:${v}"`,
      (v) => `ACCESS_TOKEN=${v}\u202e # expires 3600\n`,
      (v) => `api_token: ${v}\u200b\n`,
      (v) => `<field value = "${v}{" name = "ldap_password" />`,
      (v) => `<param value='${v.slice(0, 9)}[${v.slice(9)}' name='db.password'/>`
    )
  },
  {
    kind: "one-time-codes",
    tier: "keyed",
    templates: each(
      (r) => r.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 23),
      (v) => `otpauth://totp/Shop:me@example.com?issuer=Shop&secret=${v}&digits=6`,
      (v) => JSON.stringify({ uri: `otpauth://hotp/Shop:me?secret=${v}&counter=1` })
    )
  },
  {
    kind: "keys-of-digits",
    tier: "keyed",
    templates: each(
      (r) => `1${r.of(digits, 22)}`,
      (v) => `NUMERIC_API_KEY: ${v}\n`,
      (v) => `{"apiKey": ${v}, "pool": 5}`,
      (v) => `<apiKey>${v}</apiKey>`
    )
  },
  {
    kind: "pairs-of-npm",
    tier: "keyed",
    templates: each(
      (r) => Buffer.from(`ci:${r.of(alnum, r.int(4, 9))}`).toString("base64"),
      (v) => `//registry.example.com/:_auth=${v}\n`,
      (v) => `_auth = "${v}"\nalways-auth = true\n`
    )
  },
  {
    kind: "names-in-what-a-call-is-given",
    tier: "keyed",
    templates: each(
      drawPlainPassword,
      (v) => `setPassword("run with DB_PASSWORD=${v} once")`,
      (v) => `const token = getToken("first, SMTP_PASSWORD=${v} then")`,
      (v) => `tokens: ["one", "DB_PASSWORD=${v} two", "three"]`
    )
  },
  {
    kind: "listed-and-printed",
    tier: "keyed",
    templates: [
      (r) => {
        const codes = Array.from({ length: 4 }, () => `${r.of(lower, 4)}${r.of(digits, 1)}-${r.of(lower + digits, 5)}`)
        return one(`Backup codes:\n${codes.join("\n")}\n\nKeep them safe.`, ...codes)
      },
      (r) => {
        const codes = Array.from({ length: 3 }, () => r.of(digits, 8))
        return one(`Recovery codes\n${codes.map((code, at) => `${at + 1}. ${code}`).join("\n")}\n`, ...codes)
      },
      ...each(
        (r) => Array.from({ length: 12 }, () => r.of(lower, r.int(3, 8))).join(" "),
        (v) => `Your recovery phrase:\n${v}\n`,
        (v) => `const wallet = Wallet.fromPhrase("${v}")`
      ),
      ...each(
        (r) => r.of(base64url, 42) + r.of(alnum, 1),
        (v) => `$ python3 -c "import secrets; print(secrets.token_urlsafe(32))"\n${v}\n`,
        (v) => `$ ruby -rsecurerandom -e 'puts SecureRandom.urlsafe_base64(32)'\n${v}\n`
      ),
      ...each(
        (r) => r.of(hex, 64),
        (v) => `$ node -e "console.log(crypto.randomBytes(32).toString('hex'))"\n${v}\n`
      ),
      ...each(
        drawPlainPassword,
        (v) => `curl_setopt($ch, CURLOPT_USERPWD, "ann:${v}");`,
        (v) => `conn.simple_bind_s("cn=admin,dc=example", "${v}")`,
        (v) => `err := l.Bind("cn=admin", "${v}")`
      )
    ]
  },
  {
    kind: "typed-by-a-tool",
    tier: "keyed",
    templates: each(
      drawPassword,
      (v) => ({ tool: "browser_type", arguments: { element: "Password textbox", ref: "e12", text: v } }),
      (v) => ({ action: "fill", selector: "#login-password", value: v }),
      (v) => ({ locator: 'input[name="password"]', value: v }),
      (v) => ({ fields: [{ id: "password", type: "password", value: v }] }),
      (v) => ({ question: "What is the password of the staging database?", answer: v }),
      (v) => ({ option: "--password", argument: v }),
      (v) => ({ entries: [{ k: "password", v }] }),
      (v) => ({ Password: { "#text": v, "@type": "plain" } }),
      (v) => ({ file_path: "/run/secrets/db_password", content: `${v}\n` }),
      (v) => ({ file: { filePath: "/home/ann/deploy.password.txt", content: v, numLines: 1 } }),
      (v) => q({ arguments: { element: "Password", text: v } }),
      (v) => `await page.getByRole('textbox', { name: 'Password' }).fill('${v}');`,
      (v) => `await page.getByRole('textbox', { name: 'Password', exact: true }).fill('${v}');`,
      (v) => `await page.$eval('#password', el => el.value = '${v}')`,
      (v) => `- textbox "Password" [active] [ref=e12]: ${v}\n- button "Sign in" [ref=e13]`
    )
  },
  {
    kind: "servers-and-dialogues",
    tier: "keyed",
    templates: [
      ...each(
        drawPassword,
        (v) => `listen stats\n  bind :8404\n  stats auth ops:${v}\n`,
        (v) => `user app on >${v} ~app:* +@all\n`,
        (v) => `user app on ~app:* +@read >${v}\n`,
        (v) => `openssl passwd -6 -salt xy '${v}'`,
        (v) => `useradd -m -p "$(openssl passwd -1 '${v}')" ann`,
        (v) => `remote vpn.example.com 1194\n<auth-user-pass>\nann\n${v}\n</auth-user-pass>\n`,
        (v) => `{password, <<"${v}">>},`,
        (v) => `    DefaultPassword    REG_SZ    ${v}\n`,
        (v) => `child.expect('Password:')\nchild.sendline('${v}')\n`,
        (v) => `docker secret create db_pw - <<< "${v}"`,
        (v) => `#cloud-config\nchpasswd:\n  list: |\n    root:RANDOM\n    ops:${v}\n  expire: false\n`,
        (v) => `lang en_US\nrootpw --plaintext ${v}\n`,
        (v) => `d-i passwd/root-password password ${v}\n`,
        (v) => `security add-generic-password -a ann -s svc -w '${v}'`,
        (v) => `User ann\nPass ${v}\n`,
        (v) => `echo '${v}' | sudo tee /etc/app/db_password > /dev/null`,
        (v) => `echo '${v}' | vncpasswd -f > ~/.vnc/passwd`,
        (v) => `bundle config gems.example.com 'ann:${v}'`,
        (v) => `skopeo copy --src-creds ann:'${v}' docker://a docker://b`,
        (v) => `beeline -u jdbc:hive2://h:10000 -n ann -p '${v}'`,
        (v) => `sops --set '["db"]["password"] "${v}"' secrets.yaml`,
        (v) => `user.update(['password' => bcrypt('${v}')])`
      ),
      ...each(
        (r) => r.of(alnum, 10) + r.of(digits, 2),
        (v) => `SQL> conn app/${v}@prod`,
        (v) => `CONNECT app/${v}@prod AS SYSDBA`,
        (v) => `Xauth username ann\nXauth password ${v}\n`
      ),
      ...each(
        (r) =>
          `${r.pick(["Sparrow", "Copper", "Lantern"])}${r.pick(["!", "#", "@", "$"])}${r.of(digits, 4)}${r.pick(["", "!", "x"])}`,
        (v) => `const val API_SECRET = "${v}"`,
        (v) => `let apiToken: String = "${v}"`
      ),
      ...each(
        (r) => r.of(alnum, 9) + r.of(digits, 3) + r.of(upper, 3),
        (v) => `password for ann@example.com: ${v}`
      )
    ]
  },
  {
    kind: "vendors-and-labels",
    tier: "keyed",
    templates: [
      ...each(
        (r) => r.of(hex, 32),
        (v) => `API Key\n${v}\n\nCreated today`,
        (v) => `Acme SECRET Token\n${v}`,
        (v) => `"sentry-key": "${v}"`,
        (v) => `mailgun_key = ${v}`,
        (v) => `novu secret_key: ${v}`,
        (v) => `graphhopper_key = ${v}`,
        (v) => `jotformKey: '${v}'`,
        (v) => `"etsy_keystring": "${v}"`,
        (v) => `RPC_URL=https://sepolia.infura.io/v3/${v}`,
        (v) => `"ipregistryKey": "${v}"`,
        (v) => `jumpcloud-key: ${v}`,
        (v) => `otlp:\n  headers:\n    "x-honeycomb-team": "${v}"`,
        (v) => `OTEL_EXPORTER_OTLP_HEADERS="x-honeycomb-team=${v},x-honeycomb-dataset=web"`,
        (v) => `curl -H 'X-Honeycomb-Team: ${v}' https://api.example.com/1/auth`
      ),
      ...each(
        (r) => r.uuid(),
        (v) => `snyk_key = ${v}`,
        (v) => `statuspage_key: "${v}"`,
        (v) => `EXA_KEY=${v}`,
        (v) => `"heliosKey": null, "herokuKey": "${v}"`
      ),
      ...each(
        (r) => r.of(hex, 40),
        (v) => `mvn verify -Dsonar.login=${v} -q`,
        (v) => `netlify deploy --auth ${v} --prod`,
        (v) => `$sonarLogin = "${v}"`
      ),
      ...each(
        (r) => r.of(upper + digits, 64),
        (v) => `builder: acme+ci:${v}`,
        (v) => `echo "acme+web.deploy:${v}" > robot.txt`
      ),
      ...each(
        (r) => `${r.of("abcdef", 3)}${r.of("ABCDEF", 3)}${r.of("0123456789abcdefABCDEF", 26)}`,
        (v) => `service_key=${v}`
      ),
      ...each(
        (r) => `${r.of(lower, 5)}${r.of(digits, 3)}`,
        (v) => `Server=h; User ID=sa; Password=${v}; Database=x`,
        (v) => `Server=h,1433;User ID=sa;Password=#${v};Encrypt=True`,
        (v) => `PASS = '${v}'`,
        (v) => `Directory password      ---   ${v}#K`,
        (v) => `PSEXEC.EXE \\\\host -u DOMAIN\\ann -p ${v} CMD`,
        (v) => `new DirectoryEntry("LDAP://dc.example.com",\n          "ann",\n          "${v}");`
      ),
      ...each(
        (r) => `Qu${r.of(lower, 7)}$`,
        (v) => `<add key="SmtpPassword" value="${v}"/>`
      ),
      ...each(
        (r) => `Pass_2${r.of(digits, 5)}`,
        (v) => `smtp_passphrase: ${v}`
      ),
      ...each(
        (r) => `${r.of(lower, 3)}!${r.of(lower, 8)}`,
        (v) => `$mail->Password = '${v}';`
      ),
      ...each(
        drawPlainPassword,
        (v) => `<input class="wide" value="${v}" type="password">`,
        (v) => `{"value": "${v}", "type": "password"}`
      )
    ]
  }
]
