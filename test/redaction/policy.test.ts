import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { unlimited } from "../../src/platform/Deadline.ts"
import { compileUserRules } from "../../src/redaction/extraRules.ts"
import { patternProblem } from "../../src/redaction/patternSafety.ts"
import { defaultPolicy, fingerprintOf, type RedactionPolicy } from "../../src/redaction/policy.ts"
import { checkPolicy, renderPolicyCheck } from "../../src/redaction/policyCheck.ts"
import { decodePolicy } from "../../src/redaction/policyConfig.ts"
import { redactValue } from "../../src/redaction/redactValue.ts"

const token = ["gh", "p_", "n3Kq8ZtX1vBc5LmR7wYd2PfH9sJa4GuE6iTo"].join("")
const redact = (value: unknown, policy: RedactionPolicy): unknown =>
  redactValue(value, "", { deadline: unlimited, user: compileUserRules(policy) }).value

describe("a user's policy", () => {
  it("adds literals, prefixes and patterns", () => {
    const { policy, problems } = decodePolicy(
      { extra: [{ id: "acme", literals: ["Project Heron"], prefixes: ["acme-"], patterns: ["ACME[0-9]{6}"] }] },
      "user"
    )
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(
      redact("Project Heron uses acme-a1b2c3 and ACME123456.", policy),
      "[REDACTED:acme] uses [REDACTED:acme] and [REDACTED:acme]."
    )
  })

  it("allows one value of one rule, and no other", () => {
    const sha256 = createHash("sha256").update(token).digest("hex")
    const { policy } = decodePolicy({ allow: [{ rule: "github-pat", sha256 }] }, "user")
    const other = `${token.slice(0, -1)}X`
    assert.strictEqual(redact(`${token} ${other}`, policy), `${token} [REDACTED:github-pat]`)
    assert.strictEqual(
      redact(token, decodePolicy({ allow: [{ rule: "npm-token", sha256 }] }, "user").policy),
      "[REDACTED:github-pat]"
    )
  })

  it("falls back to the built-in rules when it does not parse, and says where, not what", () => {
    const { policy, problems } = decodePolicy({ extra: [{ id: "Bad Id", literals: ["hush-hush"] }], off: true }, "user")
    assert.strictEqual(policy, defaultPolicy)
    assert.isAbove(problems.length, 0)
    assert.match(problems.join("\n"), /redaction\.extra\.0\.id/)
    assert.notInclude(problems.join("\n"), "hush-hush")
    assert.strictEqual(redact(token, policy), "[REDACTED:github-pat]")
  })

  it.each([
    [[], "redaction: expected an object in braces"],
    [{ extras: [] }, "redaction.extras: there is no such setting"],
    [{ extra: {} }, "redaction.extra: expected a list in brackets"],
    [{ extra: [{}] }, "redaction.extra.0.id: it is missing"],
    [{ extra: [{ id: "x", literals: [7] }] }, "redaction.extra.0.literals.0: expected a text in quotes"],
    [{ extra: [{ id: "x", prefixes: ["abc"] }] }, "redaction.extra.0.prefixes.0: expected at least four characters"],
    [{ extra: [{ id: "x" }] }, "redaction.extra.0: it names no literals, prefixes or patterns to find"],
    [{ allow: [{ rule: "x", sha256: "1" }] }, "redaction.allow.0.sha256: expected 64 hex digits"]
  ])("says in words what is wrong with %j", (config, problem) => {
    assert.deepStrictEqual(decodePolicy(config, "user").problems, [problem])
  })

  it("lets a project that was not adopted add rules, not allow values", () => {
    const config = {
      extra: [{ id: "acme", literals: ["heron"] }],
      allow: [{ rule: "github-pat", sha256: "0".repeat(64) }]
    }
    const { policy, problems } = decodePolicy(config, "project")
    assert.lengthOf(policy.extra, 1)
    assert.lengthOf(policy.allow, 0)
    assert.match(problems.join(), /adopt/)
    assert.lengthOf(decodePolicy(config, "adopted-project").policy.allow, 1)
  })

  it("leaves an unsafe pattern out and keeps the others", () => {
    const { policy, problems } = decodePolicy({ extra: [{ id: "a", patterns: ["(a+)+$", "B{3}"] }] }, "user")
    assert.deepStrictEqual(problems, ["redaction.extra.0.patterns.0: repeats a group that repeats or chooses inside"])
    assert.strictEqual(redact("xBBBx", policy), "x[REDACTED:a]x")
  })

  it("has a fingerprint that changes with it", () => {
    const extra = [{ id: "acme", literals: ["heron"] }]
    assert.match(fingerprintOf(defaultPolicy), /^[0-9a-f]{16}$/)
    assert.strictEqual(fingerprintOf(defaultPolicy), fingerprintOf({ ...defaultPolicy }))
    assert.notStrictEqual(fingerprintOf(defaultPolicy), fingerprintOf({ ...defaultPolicy, extra }))
  })

  it("is checked and summed up", () => {
    const check = checkPolicy([
      { name: "~/config.json", owner: "user", config: { extra: [{ id: "acme", literals: ["heron"] }] } },
      { name: ".lint-ai/config.json", owner: "project", config: { extra: 3 } }
    ])
    assert.isFalse(check.ok)
    assert.deepStrictEqual(check.rules, ["acme"])
    assert.match(renderPolicyCheck(check), /^\.lint-ai\/config\.json: redaction\.extra/)
  })
})

describe("patternProblem", () => {
  const table: ReadonlyArray<readonly [string, ReturnType<typeof patternProblem>]> = [
    ["ACME-[0-9A-F]{32}", undefined],
    ["(?:acme|heron)_[a-z]{8}", undefined],
    ["(?:[0-9]{4}-){3}[0-9]{4}", undefined],
    ["(a+)+", "repeats a group that repeats or chooses inside"],
    ["(a|aa)+b", "repeats a group that repeats or chooses inside"],
    ["((ab)*c)+d", "repeats a group that repeats or chooses inside"],
    ["(?:x{1,99}){20}", "repeats a group that repeats or chooses inside"],
    ["(unclosed", "does not compile"],
    ["a*", "matches the empty text"],
    ["(a)\\1", "refers back to a group"],
    ["x".repeat(600), "is longer than 512 characters"]
  ]
  for (const [source, expected] of table) {
    it(`${expected ?? "takes"}: ${source.slice(0, 30)}`, () => assert.strictEqual(patternProblem(source), expected))
  }
})
