// A bundle in CommonJS copies each module of Node that is imported as a whole, name by name, to give it the `default` that an ECMAScript module has: some
// two hundred accessors, one to three milliseconds at every start, and a call more at each use. Who asks for no `default` gets the module as it is.

/** @returns {import("rolldown").Plugin} */
export const plainModules = () => ({
  name: "plain-modules",
  renderChunk: (code, _chunk, { format }) => (format === "cjs" ? { code: withPlainModules(code), map: null } : null)
})

/**
 * @param {string} code a CommonJS chunk as rolldown writes it
 * @returns the same, without the copies that are not needed
 */
export const withPlainModules = (code) =>
  code.replace(/^(\w+) = __toESM\(\1, 1\);\n/gm, (copy, name) =>
    new RegExp(`\\b${name}\\.default\\b`).test(code) ? copy : ""
  )
