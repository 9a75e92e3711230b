import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { contentPolicy, htmlPage, inertJson } from "../../src/viewer/htmlPage.ts"

const assets = { script: "run()", style: "body{}" }
const digest = (text: string) => `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`

describe("a page", () => {
  it("may run its own script and use its own style, by their digests, and nothing else", () => {
    const policy = contentPolicy(assets)
    assert.include(policy, "default-src 'none'")
    assert.include(policy, `script-src ${digest(assets.script)};`)
    assert.include(policy, `style-src ${digest(assets.style)};`)
    assert.notMatch(policy, /unsafe|\*|https?:|data:/)
  })

  it("has its title escaped, without characters that are not seen", () => {
    const html = htmlPage({ title: `</title><script>"'&\u202e\u0000`, assets, blocks: [] })
    assert.include(html, "<title>&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;\ufffd\ufffd</title>")
  })

  it.prop(
    "holds any value as data that is read back as it was, and cannot end its element",
    [Schema.Json],
    ([value]) => {
      const text = inertJson(value)
      assert.notMatch(text, /[<\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    },
    { arbitrary: { runs: 300 } }
  )

  it("holds what closes scripts and comments as data", () => {
    const evil = ["</script>", "<!--", "<script", "]]>", "\u2028", "\ud800"]
    assert.deepStrictEqual(JSON.parse(inertJson(evil)), evil)
    assert.notInclude(inertJson(evil), "<")
  })
})
