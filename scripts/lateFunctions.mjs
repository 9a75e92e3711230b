// V8 skims the functions of a file as it loads it, and reads one when it is first called. An arrow function that stands outside of every other
// function it reads as a whole at once, and once more when it is called: a bundle of them takes twice as long to load. Here they become functions that
// are written out, which say the same where nothing asks for `this` or `arguments`. A pattern it checks as it loads the file, also where a function only
// gives it back that few runs call; as text it is checked there.
import { parseSync } from "rolldown/utils"

/** @typedef {{ readonly type: string, readonly start: number, readonly end: number }} Node */
/** @typedef {Node & { readonly async: boolean, readonly params: ReadonlyArray<Node>, readonly body: Node }} Arrow */
/** @typedef {Node & { readonly regex: { readonly pattern: string, readonly flags: string } }} Pattern */

/** @returns {import("rolldown").Plugin} */
export const lateFunctions = () => ({
  name: "late-functions",
  renderChunk: (code) => ({ code: withLateFunctions(withLatePatterns(code)), map: null })
})

/** @param {string} code */
const programOf = (code) => {
  const { program, errors } = parseSync("chunk.js", code, { sourceType: "unambiguous", preserveParens: false })
  if (errors[0] !== undefined) throw new Error(`a chunk cannot be read: ${errors[0].message}`)
  return /** @type {Node} */ (program)
}

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

/**
 * @param {string} code a module or a script
 * @returns what does the same, with the arrow functions outside of every function written out
 */
export const withLateFunctions = (code) => {
  let written = ""
  let done = 0
  for (const arrow of arrowsOutside(programOf(code))) {
    if (asksForItself(arrow)) continue
    written += code.slice(done, arrow.start) + writtenOut(code, arrow)
    done = arrow.end
  }
  return written + code.slice(done)
}

/**
 * @param {string} code
 * @param {Arrow} arrow
 */
const writtenOut = (code, { async, params, body, start, end }) => {
  const from = async ? start + "async".length : start
  const sign = code.indexOf("=>", params.at(-1)?.end ?? from)
  const taken = code.slice(from, sign).trim()
  const given = code.slice(sign + 2, end).trim()
  const head = `${async ? "async " : ""}function${taken.startsWith("(") ? taken : `(${taken})`}`
  return body.type === "BlockStatement" ? `${head} ${given}` : `${head} { return (${given}) }`
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ClassDeclaration", "ClassExpression"])

/**
 * In the order of the text. One that is called where it stands is needed at once.
 *
 * @param {Node} node
 * @returns {Generator<Arrow>}
 */
function* arrowsOutside(node) {
  if (functions.has(node.type)) return
  for (const child of childrenOf(node)) {
    const isCalled = node.type === "CallExpression" && /** @type {any} */ (node).callee === child
    if (child.type !== "ArrowFunctionExpression") yield* arrowsOutside(child)
    else if (!isCalled && node.type !== "ExpressionStatement") yield/** @type {Arrow} */ (child)
  }
}

/**
 * @param {Node} node
 * @returns {boolean}
 */
const asksForItself = (node) =>
  node.type === "ThisExpression" ||
  node.type === "MetaProperty" ||
  node.type === "Super" ||
  (node.type === "Identifier" && /** @type {any} */ (node).name === "arguments") ||
  childrenOf(node).some((child) => !functions.has(child.type) && asksForItself(child))

/**
 * @param {Node} node
 * @returns {ReadonlyArray<Node>}
 */
const childrenOf = (node) =>
  Object.values(/** @type {Record<string, unknown>} */ ({ ...node }))
    .flat()
    .filter(isNode)

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === "object" && value !== null && "type" in value && "start" in value
