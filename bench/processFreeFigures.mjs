// The figures of hooks that start no process, as they stand in docs/hooks.md.

/**
 * @typedef {object} Report what scripts/bench-process-free.mjs writes
 * @property {string} date
 * @property {string} node
 * @property {{ readonly processors: number }} machine
 * @property {number} load_average
 * @property {number} rounds
 * @property {number} sessions
 * @property {number} calls
 * @property {ReadonlyArray<{ readonly name: string, readonly median_ms: number, readonly ratio: number, readonly cpu_ms: number }>} rows
 * @property {{ readonly plain: number, readonly idle: number, readonly after: number }} memory
 * @property {{ readonly [word: string]: number }} killed
 * @property {{ readonly [agent: string]: { readonly version: string, readonly ways: { readonly [way: string]: Way } } }} agents
 * @property {{ readonly [word: string]: number | boolean } | undefined} impostor
 */
/** @typedef {{ readonly call_ms: number, readonly more_ms: number, readonly events: string, readonly killed: string }} Way */

/**
 * @param {Report} report
 * @returns {string} Markdown
 */
export const processFreeFigures = ({ rows, memory, killed, agents, impostor, ...about }) =>
  [
    `${about.rounds} rounds, Node ${about.node}, ${about.date.slice(0, 10)}, load ${about.load_average.toFixed(1)} on ${about.machine.processors} processors:`,
    "",
    "| one delivery of 4 KiB | median ms | of `node -e 0` | CPU ms |",
    "| --- | ---: | ---: | ---: |",
    ...rows.map(
      ({ name, median_ms, ratio, cpu_ms }) =>
        `| ${name} | ${median_ms.toFixed(1)} | ${ratio.toFixed(2)} | ${cpu_ms.toFixed(1)} |`
    ),
    "",
    `Memory that the server alone holds: ${memory.plain.toFixed(0)} MiB as it is, ${memory.idle.toFixed(0)} with both ways in, ${memory.after.toFixed(0)} after 1,000 events.`,
    `Killed ${killed.kills} times with deliveries under way, the server had answered ${killed.answered} of ${killed.sent}: ${killed["answered and not recorded"]} of those and ${killed["sent and not recorded"]} of all were missing afterwards.`,
    ...Object.entries(agents).flatMap(([agent, { version, ways }]) => [
      "",
      `${agent === "claude" ? "Claude Code" : "Codex"} ${version}, ${about.sessions} sessions of ${about.calls} calls each:`,
      "",
      "| its hooks | ms from call to call | more than without | events | events when the server is killed |",
      "| --- | ---: | ---: | ---: | ---: |",
      ...Object.entries(ways).map(
        ([way, { call_ms, more_ms, events, killed }]) =>
          `| ${way} | ${call_ms.toFixed(0)} | ${more_ms.toFixed(0)} | ${events} | ${killed} |`
      )
    ]),
    ...(impostor === undefined
      ? []
      : [
          "",
          `Another program on the port of the Claude Code hooks, in a session of 4 calls: it got ${impostor.requests} requests, ${impostor["with the token"]} with the token and ${impostor["with content"]} with a prompt or a tool's input; its own command was ${impostor["its command was run"] === true ? "" : "not "}run; lint-ai recorded ${impostor["events that lint-ai recorded"]} events.`
        ])
  ].join("\n")
