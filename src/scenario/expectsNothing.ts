import type { Scenario } from "../domain/scenario.ts"

/** Whether a scenario asks for nothing but that its limits are kept, as one that was just made of a session does. */
export const expectsNothing = (scenario: Scenario): boolean =>
  scenario.expected_facts.length + (scenario.forbidden_facts ?? []).length + scenario.validators.length === 0

/** What a person should know of such a scenario. */
export const nothingExpected =
  "It has no facts and no validators: whatever is answered passes when its limits are kept."
