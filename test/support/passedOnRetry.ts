import type { Reporter } from "vitest/node"

/** Prints why a test failed that passed on its retry: else the cause of what happens once in many runs is lost. */
export const passedOnRetry: Reporter = {
  onTestCaseResult: (test) => {
    const { state, errors = [] } = test.result()
    if (state !== "passed" || errors.length === 0) return
    const why = errors.map(({ stack, message, diff = "" }) => `${stack ?? message}\n${diff}`).join("\n")
    console.error(`\n*** ${test.fullName} passed on its retry. It had failed with:\n${why}\n`)
  }
}
