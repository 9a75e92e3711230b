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
  for (const { place, name, text, regex, uses } of patternsOfFile(program)) {
    edits.push({ start: place.start, end: place.end, text })
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
 * The patterns that are made as the file is loaded, and where they are used: `const name = /pattern/`, and `name = /pattern/` of a variable that is given
 * no other value, which the bundler makes of it in a module that is loaded late.
 *
 * @param {Node} program
 */
const patternsOfFile = (program) => {
  /** @type {Map<string, { id: any, place: Node, text: string, regex: Pattern["regex"], uses: Array<Node>, isOther: boolean }>} */
  const made = new Map()
  /** @type {(id: any, init: any, place: Node, text: string) => void} */
  const add = (id, init, place, text) => {
    if (id?.type !== "Identifier" || init?.regex === undefined) return
    const known = made.get(id.name)
    if (known === undefined) made.set(id.name, { id, place, text, regex: init.regex, uses: [], isOther: false })
    else known.isOther = true
  }
  childrenOf(program).forEach((/** @type {any} */ node) => {
    const [one, ...more] = node.kind === "const" ? node.declarations : []
    if (one !== undefined && more.length === 0) add(one.id, one.init, node, `var ${one.id.name};`)
  })
  const looped = new Set()
  /** @type {(node: any) => void} */
  const addAssigned = (node) => {
    const { type, expression } = node
    if (type === "ExpressionStatement" && expression.type === "AssignmentExpression" && expression.operator === "=")
      add(expression.left, expression.right, expression, `${expression.left.name} = undefined`)
    // `for (const name of …)` declares one without a value as well.
    if (type === "ForOfStatement" || type === "ForInStatement")
      for (const one of node.left.declarations ?? []) looped.add(one.id.name)
    for (const child of childrenOf(node)) addAssigned(child)
  }
  addAssigned(program)
  /** @type {(node: any, parent: any) => void} */
  const visit = (node, parent) => {
    const known = node.type === "Identifier" ? made.get(node.name) : undefined
    const isMember = (parent.property === node || parent.key === node) && !parent.computed && !parent.shorthand
    const isDeclared = parent.type === "VariableDeclarator" && parent.id === node && parent.init === null
    if (known === undefined || isMember || isDeclared || known.id === node) {
      for (const child of childrenOf(node)) visit(child, node)
    } else if (parent.object === node || parent.arguments?.includes(node)) known.uses.push(node)
    // A parameter of that name, an export, or a place where no expression may stand.
    else known.isOther = true
  }
  visit(program, program)
  return [...made].flatMap(([name, one]) =>
    one.isOther || looped.has(name) || one.uses.length === 0 || one.uses.length > mostUses ? [] : [{ name, ...one }]
  )
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
