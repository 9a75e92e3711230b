import { defineConfig } from "vitest/config"

// vitest 5 reports failures with Map.groupBy, which Node 20 lacks: without this a red run dies in the reporter and hides them.
const maps = Map as typeof Map & { groupBy?: unknown }
maps.groupBy ??= <K, V>(items: Iterable<V>, key: (item: V, index: number) => K): Map<K, Array<V>> => {
  const groups = new Map<K, Array<V>>()
  let index = 0
  for (const item of items) {
    const group = key(item, index++)
    const known = groups.get(group)
    if (known === undefined) groups.set(group, [item])
    else known.push(item)
  }
  return groups
}

/** Tests that start the program itself: it is built for them, and for no others. */
const ofTheProgram = ["hook", "program", "security", "fuzz"].map((name) => `test/${name}/**/*.test.ts`)
/** Tests that also start the program with fault points. */
const ofItsFaults = ["test/crash/**/*.test.ts"]
const elsewhere = [
  "test/e2e/**",
  "test/load/**",
  "test/deno/**",
  "test/packaging/**",
  "test/docs/**",
  "test/browser/**"
]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [...elsewhere, ...ofTheProgram, ...ofItsFaults]
        }
      },
      {
        extends: true,
        test: { name: "program", include: ofTheProgram, globalSetup: "test/support/builtProgram.ts" }
      },
      {
        extends: true,
        test: {
          name: "crash",
          include: ofItsFaults,
          globalSetup: ["test/support/builtProgram.ts", "test/support/faultyProgramSetup.ts"]
        }
      }
    ],
    pool: "forks",
    // vitest leaves one processor to itself, which on a machine of two means one file after the other; it does little while they run.
    maxWorkers: "100%",
    // Real processes on shared machines: generous, because no assertion may depend on time.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
