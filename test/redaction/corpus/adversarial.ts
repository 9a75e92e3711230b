import { makeRandom } from "./random.ts"

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

const pem = (edge: string): string => `-----${edge} RSA PRIVATE KEY-----`

/** Texts made to be slow: a beginning that never ends, repeated. Each is repeated up to the wanted length. */
const repeated: Readonly<Record<string, string>> = {
  "token=": "token=",
  "token=a ": "token=a ",
  "token: ": "token: ",
  'password: "': 'password: "',
  "password='": "password='",
  'password = \\"': 'password = \\"',
  ghp_: "ghp_",
  "sk-": "sk-",
  eyJ: "eyJ",
  "eyJ.eyJ.": "eyJhbGciOiJ.eyJhbGciOiJ.",
  AKIA: "AKIA",
  "xoxb-1-": "xoxb-1-",
  "SG.": "SG.",
  "begin pem": `${pem("BEGIN")}\n`,
  "begin pem, one line": pem("BEGIN"),
  "-----BEGIN": "-----BEGIN ",
  "end pem": `${pem("END")}\n`,
  "end pem behind base64": `MIIEvQIBADANBgkqhkiG9w0B\n${pem("END")}\n`,
  "begin pem and lines": `${pem("BEGIN")}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n`,
  "://a:": "://a:",
  "://a:b@": "://a:b@",
  "://": "://",
  base64: "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo",
  "base64 of text": "YXBpX2tleT1hYmMgYXBpX2tleT1hYmMg",
  "base64 lines": `${"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU2Nzg5QUJDREVGR0hJSktMTU5P"}\n`,
  backslashes: "\\",
  "escaped quotes": '\\\\\\"',
  "nested escapes": '{\\"a\\":\\"{\\\\\\"token\\\\\\":\\\\\\"',
  quotes: '"',
  'key":"': 'key":"',
  '{"name":"password",': '{"name":"password",',
  "name: password\n": "- name: password\n",
  "Cookie: ": "Cookie: a=b; ",
  "Set-Cookie": "Set-Cookie: sid=",
  "Authorization: Bearer ": "Authorization: Bearer ",
  "Basic ": "Basic QUJD ",
  "curl -u ": "curl -u ",
  "mysql -p": "mysql -pa ",
  "docker login -p": "docker login -p ",
  "openssl rand\n": "openssl rand\n",
  "echo a | ": "echo abcd | ",
  "A=1\n": "A=1\n",
  "PATH=a\n": "PATH=a\n",
  "env\n": "env\n",
  "PID CMD\n": "  PID TTY TIME CMD\n",
  "1 ? 00:00 a\n": "app 1 0 0 10:00 ? 00:00:00 a\n",
  "password,a\n": "password,a\n",
  "insert into": "insert into t (password) values ('a'),",
  "kind: Secret": "kind: Secret\ndata:\n  a: b\n",
  $6$: "$6$",
  "pbkdf2:": "pbkdf2:sha256:1$",
  "<password>": "<password>",
  "<password ": "<password ",
  "machine login": "machine a login b ",
  "%41": "token%3D",
  "zero width": "a\u200bb",
  colours: "\u001b[31ma\u001b[0m",
  NUL: "a\0b",
  hex: "0123456789abcdef",
  "digits colon": "1234567890:AA",
  "secret for the a a": "secret for the a a a ",
  "login as a / ": "login as a / ",
  spaces: " ",
  tabs: "\t",
  "line ends": "\n",
  "the words": "your-your-your-",
  separators: "a-",
  emoji: "🙂",
  "cjk names": "密码：",
  "var token string": "var token string = ",
  markers: "[REDACTED:",
  "whole markers": "[REDACTED:secret] ",
  AA: "AAAAAAAAAA"
}

/** Named texts of `length` characters, each made to cost more than ordinary text. */
export const adversarialTexts = (length: number): ReadonlyArray<readonly [name: string, text: string]> => {
  const random = makeRandom("adversarial")
  const noise = random.of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=:/\"' \n", 65_536)
  return [
    ...Object.entries(repeated).map(([name, piece]) => [name, fill(piece, length)] as const),
    ["noise", fill(noise, length)] as const
  ]
}
