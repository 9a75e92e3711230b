// V8 skims the functions of a file as it loads it, and reads one when it is first called. An arrow function that stands outside of every other
// function it reads as a whole at once, and once more when it is called: a bundle of them takes twice as long to load. Here they become functions that
// are written out, which say the same where nothing asks for `this` or `arguments`.
import { parseSync } from "rolldown/utils"

/** @typedef {{ readonly type: string, readonly start: number, readonly end: number }} Node */
/** @typedef {Node & { readonly async: boolean, readonly params: ReadonlyArray<Node>, readonly body: Node }} Arrow */

/** @returns {import("rolldown").Plugin} */
export const lateFunctions = () => ({
  name: "late-functions",
  renderChunk: (code) => ({ code: withLateFunctions(code), map: null })
})

/** @param {string} code */
export const programOf = (code) => {
  const { program, errors } = parseSync("chunk.js", code, { sourceType: "unambiguous", preserveParens: false })
  if (errors[0] !== undefined) throw new Error(`a chunk cannot be read: ${errors[0].message}`)
  return /** @type {Node} */ (program)
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
export const childrenOf = (node) =>
  Object.values(/** @type {Record<string, unknown>} */ ({ ...node }))
    .flat()
    .filter(isNode)

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === "object" && value !== null && "type" in value && "start" in value
