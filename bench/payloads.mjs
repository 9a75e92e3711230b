// Hook payloads as agents send them: text of logs and of source code, the same for the same seed.

/**
 * Numbers in [0, 1) that follow from a seed (mulberry32).
 *
 * @param {number} seed
 * @returns {() => number}
 */
export const seededRandom = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const words =
  "user session request handler config path value index result error retry cache token count stream buffer event worker queue module test build file line parse render update".split(
    " "
  )
const levels = ["INFO", "DEBUG", "WARN", "ERROR"]

/** @param {() => number} random */
const writer = (random) => {
  /** @param {number} below */
  const number = (below) => Math.floor(random() * below)
  /**
   * @template T
   * @param {ReadonlyArray<T>} all
   * @returns {T}
   */
  const one = (all) => /** @type {T} */ (all[number(all.length)])
  const word = () => one(words)
  /** @param {number} count */
  const sentence = (count) => Array.from({ length: count }, word).join(" ")
  const name = () => `${word()}${word().replace(/^./, (letter) => letter.toUpperCase())}`
  /** @param {number} value */
  const two = (value) => String(value).padStart(2, "0")
  const hex = () => number(2 ** 28).toString(16)
  /** The kinds of lines that fill what tools answer. */
  const lines = [
    () =>
      `2026-03-14T09:${two(number(60))}:${two(number(60))}.${String(number(1000)).padStart(3, "0")}Z ${one(levels)} [${word()}-${number(16)}] ${sentence(6)} id=${hex()} took=${number(900)}ms`,
    () => `  const ${name()} = await ${name()}(${word()}, { ${word()}: ${number(100)}, ${word()}: "${sentence(2)}" })`,
    () => `  if (${name()}.${word()} === undefined) return ${name()}(${word()}[${number(9)}])`,
    () => `    // ${sentence(9)}.`,
    () => `src/${word()}/${name()}.ts:${number(400)}:${number(80)}: ${one(levels).toLowerCase()}: ${sentence(5)}`,
    () => ` ${two(number(99))}%  ${word()}/${word()}.js  ${number(4000)} KiB  {${number(9)}} [built]`,
    () => `{"level":"${one(levels).toLowerCase()}","msg":"${sentence(4)}","${word()}":${number(5000)},"ok":true}`,
    () => ""
  ]
  return { sentence, name, line: () => one(lines)() }
}

/** Stands in a payload for the id of its call, which every delivery has anew; as long as a real one. */
const callPlace = "toolu_01CallCallCallCallCallCa"

/**
 * A PostToolUse payload of about `bytes` bytes: a shell command and what it printed.
 *
 * @param {{ readonly bytes: number, readonly seed: number, readonly session: string, readonly cwd: string }} options
 * @returns {(call: number) => Buffer} the payload of one call
 */
export const toolResult = ({ bytes, seed, session, cwd }) => {
  const text = writer(seededRandom(seed))
  const payload = {
    session_id: session,
    transcript_path: `${cwd}/transcript/${session}.jsonl`,
    cwd,
    prompt_id: "cfa7c120-4449-4847-866c-566cc2a098a2",
    permission_mode: "default",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: `npm run ${text.name()} -- --filter ${text.name()}`, description: text.sentence(4) },
    tool_response: { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    tool_use_id: callPlace,
    duration_ms: 48
  }
  const lines = []
  for (let left = bytes - JSON.stringify(payload).length; left > 0; ) {
    const line = text.line()
    lines.push(line)
    left -= JSON.stringify(line).length
  }
  payload.tool_response.stdout = lines.join("\n")
  const json = JSON.stringify(payload)
  return (call) => Buffer.from(json.replace(callPlace, `toolu_01${String(call).padStart(callPlace.length - 8, "0")}`))
}
