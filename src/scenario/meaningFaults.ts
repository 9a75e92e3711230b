import type { Fact, Scenario } from "../domain/scenario.ts"
import { patternOf, plainText } from "./facts.ts"
import type { Fault } from "./fault.ts"
import { remedies } from "./schemaFaults.ts"

/** What a scenario says that cannot be meant, although each field is well formed. */
export const meaningFaults = (scenario: Scenario): ReadonlyArray<Fault> => [
  ...factFaults(scenario),
  ...scenario.validators.flatMap((validator, index) => validatorFaults(scenario, validator, index)),
  ...scenario.setup_messages.flatMap(({ establishes_fact_ids: ids = [] }, index) =>
    ids
      .filter((id) => !allFacts(scenario).some(({ fact }) => fact.id === id))
      .map((id) => ({
        path: `setup_messages[${index}].establishes_fact_ids`,
        problem: `It names "${id}", and no fact has that id.`,
        remedy: "Give the id of one of expected_facts or forbidden_facts, or take it out."
      }))
  ),
  ...revisionFaults(scenario)
]

const allFacts = ({ expected_facts: expected, forbidden_facts: forbidden = [] }: Scenario) => [
  ...expected.map((fact, index) => ({ fact, path: `expected_facts[${index}]`, expected: true })),
  ...forbidden.map((fact, index) => ({ fact, path: `forbidden_facts[${index}]`, expected: false }))
]

const factFaults = (scenario: Scenario): ReadonlyArray<Fault> => {
  const facts = allFacts(scenario)
  return facts.flatMap(({ fact, path, expected }, at) => {
    const earlier = facts.slice(0, at)
    const namesake = earlier.find((other) => other.fact.id === fact.id)
    const opposed = earlier.find(
      (other) => other.expected !== expected && other.fact.id !== fact.id && shareText(other.fact, fact)
    )
    return [
      ...(namesake === undefined ? [] : [namesakeFault(fact.id, path, namesake, expected)]),
      ...(opposed === undefined
        ? []
        : [
            {
              path,
              problem: `${opposed.path} expects a text that this forbids, so no answer passes both.`,
              remedy: "Remove one of the two."
            }
          ]),
      ...fact.match_any.flatMap((text, index) => textFaults(fact, text, `${path}.match_any[${index}]`))
    ]
  })
}

const namesakeFault = (
  id: string,
  path: string,
  namesake: { readonly path: string; readonly expected: boolean },
  expected: boolean
): Fault =>
  namesake.expected === expected
    ? { path: `${path}.id`, problem: `${namesake.path} has the id "${id}" too.`, remedy: "Give each its own." }
    : {
        path: `${path}.id`,
        problem: `"${id}" is both expected (${namesake.path}) and forbidden.`,
        remedy: "Remove one of the two, or give one another id."
      }

/** Whether an answer that has one fact must have the other: one of their texts is the same. */
const shareText = (left: Fact, right: Fact): boolean => {
  if (left.regex !== right.regex) return false
  const form = (text: string) => (left.regex === true ? text : plainText(text))
  return left.match_any.some((text) => right.match_any.some((other) => form(text) === form(other)))
}

const textFaults = (fact: Fact, text: string, path: string): ReadonlyArray<Fault> => {
  if (fact.regex !== true) {
    return plainText(text) === ""
      ? [{ path, problem: "Nothing is left of it without marks and spaces.", remedy: "Write a text to look for." }]
      : []
  }
  const read = patternOf(text)
  return read._tag === "Pattern"
    ? []
    : [
        {
          path,
          problem: `The pattern ${read.problem}.`,
          remedy: "Use the syntax of RE2, or leave `regex` out and give texts."
        }
      ]
}

const validatorFaults = (
  scenario: Scenario,
  validator: Scenario["validators"][number],
  index: number
): ReadonlyArray<Fault> => {
  const path = `validators[${index}]`
  const twin = scenario.validators.findIndex(({ name }) => name === validator.name)
  const [program] = validator.command
  return [
    ...(twin === index
      ? []
      : [{ path: `${path}.name`, problem: `validators[${twin}] has this name too.`, remedy: "Give each its own." }]),
    ...(program.trim() === ""
      ? [{ path: `${path}.command[0]`, problem: "It names no program.", remedy: remedies.command ?? "" }]
      : []),
    ...(validator.command.some((part) => part.includes("\0"))
      ? [{ path: `${path}.command`, problem: "It holds a NUL character.", remedy: "Take it out." }]
      : []),
    ...((validator.timeout_seconds ?? 0) > mostSeconds
      ? [{ path: `${path}.timeout_seconds`, problem: "It is more than a day.", remedy: "Give at most 86400." }]
      : [])
  ]
}
const mostSeconds = 86_400

/** A revision is given to Git, where one that begins with a dash would be an option. */
const revisionFaults = (scenario: Scenario): ReadonlyArray<Fault> =>
  [
    ["repository.revision", scenario.repository?.revision] as const,
    ["source_session.repository_revision", scenario.source_session?.repository_revision] as const
  ].flatMap(([path, revision]) =>
    revision === undefined || revision === null || /^[0-9A-Za-z][\w./~^@{}-]{0,199}$/.test(revision)
      ? []
      : [{ path, problem: "It is no revision of Git.", remedy: "Write a commit, a tag or a branch." }]
  )
