import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { hmacSha256, sameDigest, sha256 } from "../../src/platform/digest.ts"

describe("a digest", () => {
  it("is the SHA-256 of its parts one after the other, a text as UTF-8", () => {
    const expected = crypto
      .createHash("sha256")
      .update("añ\u{1f600}")
      .update(Buffer.from([0, 255]))
      .digest("hex")
    assert.strictEqual(sha256("añ", "\u{1f600}", Buffer.from([0, 255])), expected)
  })

  it("takes half of a surrogate pair for U+FFFD, as UTF-8 has none", () => {
    assert.strictEqual(sha256("\ud800x"), sha256("\ufffdx"))
  })

  it("may be keyed, with an empty key too", () => {
    for (const key of [Buffer.from("secret"), Buffer.alloc(0)]) {
      assert.strictEqual(hmacSha256(key, "a", "b"), crypto.createHmac("sha256", key).update("ab").digest("hex"))
    }
    assert.notStrictEqual(hmacSha256(Buffer.alloc(0), "a"), sha256("a"))
  })

  it("equals another only as a whole", () => {
    assert.isTrue(sameDigest(sha256("a"), sha256("a")))
    assert.isFalse(sameDigest(sha256("a"), sha256("b")))
    assert.isFalse(sameDigest(sha256("a"), sha256("a").slice(0, 63)))
    assert.isFalse(sameDigest(sha256("a").slice(0, 63), sha256("a")))
    assert.isFalse(sameDigest("", sha256("a")))
  })
})
