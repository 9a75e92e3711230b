import * as fs from "node:fs"
import * as path from "node:path"
import type { ExtractorHost } from "../../../src/memory/extraction/contract.ts"
import type { TestUser } from "../../support/recording.ts"

const reads = `case " $* " in *" --help "*) echo "--json-schema --tools"; exit;; esac`

/**
 * Puts a shell script in the place of an agent. It keeps what it was sent in `sent-N.txt` of the user's directory, N counted from 1, and replies
 * with `reply-N.json`; without such a file it fails with exit code 3.
 */
export const installFakeAgent = (user: TestUser, host: ExtractorHost) => {
  const bin = path.join(user.directory, "bin")
  fs.mkdirSync(bin, { recursive: true })
  const print = {
    claude: `printf '{"type":"result","subtype":"success","is_error":false,"structured_output":%s}\\n' "$(cat "$here/reply-$n.json")"`,
    codex: `printf '{"type":"item.completed","item":{"type":"agent_message","text":%s}}\\n' "$(cat "$here/reply-$n.text.json")"`
  }[host]
  const script = `#!/bin/sh
${reads}
here='${user.directory}'
n=1; while [ -e "$here/sent-$n.txt" ]; do n=$((n+1)); done
cat > "$here/sent-$n.txt"
if [ ! -e "$here/reply-$n.json" ]; then echo "no reply, key sk-ant-api03-${"a1B2".repeat(24)}-AAAA" >&2; exit 3; fi
${print}
`
  fs.writeFileSync(path.join(bin, host), script, { mode: 0o755 })
  return {
    host: { env: { ...user.env, PATH: `${bin}:/usr/bin:/bin` }, temporary: user.directory },
    reply: (n: number, candidates: ReadonlyArray<unknown>) => {
      const text = JSON.stringify({ candidates })
      fs.writeFileSync(path.join(user.directory, `reply-${n}.json`), text)
      fs.writeFileSync(path.join(user.directory, `reply-${n}.text.json`), JSON.stringify(text))
    },
    sent: (n: number) => fs.readFileSync(path.join(user.directory, `sent-${n}.txt`), "utf8"),
    runs: () => fs.readdirSync(user.directory).filter((name) => /^sent-\d+\.txt$/.test(name)).length
  }
}
