// V8 checks a pattern as it loads the file, also in a function that few runs call, and every engine makes an object of one that is a constant of the file.
// As a text it is checked and made where it is first used: a hook uses a third of its patterns.
import { childrenOf, programOf } from "./lateFunctions.mjs"

/** @typedef {import("./lateFunctions.mjs").Node} Node */
/** @typedef {import("./lateFunctions.mjs").Arrow} Arrow */
/** @typedef {Node & { readonly regex: { readonly pattern: string, readonly flags: string } }} Pattern */

/** @returns {import("rolldown").Plugin} */
export const latePatterns = () => ({
  name: "late-patterns",
  renderChunk: (code) => ({ code: withLatePatterns(code), map: null })
})

/**
 * @param {string} code a module or a script
 * @returns what does the same, with patterns made of texts: those that arrow functions give back each time, those of the file where they are first used
 */
export const withLatePatterns = (code) => {
  const program = programOf(code)
  /** @type {Array<{ readonly start: number, readonly end: number, readonly text: string }>} */
  const edits = [...patternsGiven(program)].map(({ start, end, regex }) => ({ start, end, text: made(regex) }))
  for (const { declaration, name, regex, uses } of patternsOfFile(program)) {
    edits.push({ start: declaration.start, end: declaration.end, text: `var ${name};` })
    for (const { start, end } of uses) edits.push({ start, end, text: `(${name} ??= ${made(regex)})` })
  }
  let written = ""
  let done = 0
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    written += code.slice(done, start) + text
    done = end
  }
  return written + code.slice(done)
}

/** @param {Pattern["regex"]} regex */
const made = ({ pattern, flags }) => `new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)})`

/** A pattern that is used at more places stays: its text would stand at each of them. */
const mostUses = 2

/**
 * The patterns that are constants of the file, `const name = /pattern/`, and where they are used.
 *
 * @param {Node} program
 */
const patternsOfFile = (program) => {
  const declared = childrenOf(program).flatMap((/** @type {any} */ declaration) => {
    const [one, ...more] = declaration.kind === "const" ? declaration.declarations : []
    return one?.init?.regex === undefined || more.length > 0
      ? []
      : [
          {
            declaration,
            id: one.id,
            name: one.id.name,
            regex: one.init.regex,
            uses: /** @type {Array<Node>} */ ([]),
            isOther: false
          }
        ]
  })
  const byName = new Map(declared.map((one) => [one.name, one]))
  /** @type {(node: any, parent: any) => void} */
  const visit = (node, parent) => {
    const known = node.type === "Identifier" ? byName.get(node.name) : undefined
    const isMember = (parent.property === node || parent.key === node) && !parent.computed && !parent.shorthand
    if (known === undefined || isMember || known.id === node) {
      for (const child of childrenOf(node)) visit(child, node)
    } else if (parent.object === node || parent.arguments?.includes(node)) known.uses.push(node)
    // A parameter of that name, an export, or a place where no expression may stand.
    else known.isOther = true
  }
  visit(program, program)
  return declared.filter(({ uses, isOther }) => !isOther && uses.length > 0 && uses.length <= mostUses)
}

/**
 * In the order of the text.
 *
 * @param {Node} node
 * @returns {Generator<Pattern>}
 */
function* patternsGiven(node) {
  if (node.type === "ArrowFunctionExpression") yield* patternsIn(/** @type {Arrow} */ (node).body)
  else for (const child of childrenOf(node)) yield* patternsGiven(child)
}

/**
 * What a function gives back: itself, in a list or in an object.
 *
 * @param {Node} result
 * @returns {Generator<Pattern>}
 */
function* patternsIn(result) {
  if (result.type === "Literal" && "regex" in result) yield/** @type {Pattern} */ (result)
  else if (["ArrayExpression", "ObjectExpression", "Property"].includes(result.type))
    for (const part of childrenOf(result)) yield* patternsIn(part)
  else yield* patternsGiven(result)
}
