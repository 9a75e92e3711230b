import { unlikelyPairs } from "./letterPairs.ts"
import { isAddress, isHex, isPath, isPlaceholder, isUuid } from "./literals.ts"

// What process tables and environments hold beside secrets: words, names, numbers, paths. Where all is of that kind, nothing has to go.

const brackets = /^[-+*.[({<'"]+|[\])}>'",;:+]+$/g
const numbers = /^[\d.:,%/+-]+[a-zA-Z]{0,3}$/

const wordWithNumber = /^(?:v?\d{1,4})?(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}){0,4}\d{0,8}$/

/** A word of letters that follow one another in words, with a number before or behind it. */
const isPlainPart = (part: string): boolean =>
  part.length < 4 || (wordWithNumber.test(part) && unlikelyPairs(part) < (part.length < 12 ? 0.26 : 0.15))

const isPlainWord = (word: string): boolean =>
  word.length < 4 ||
  numbers.test(word) ||
  (!isHex(word) && word.split(/[-_.]/).every(isPlainPart)) ||
  isAddress(word) ||
  isPlaceholder(word)

/** A word, a name, a number, a path, the name of a flag or one of these behind it: nothing that a person would keep to himself. */
const isPlainArgument = (argument: string): boolean => {
  if (!/^[\x21-\x7e]*$/.test(argument) || /:\/\/[^/]*@/.test(argument)) return false
  const word = argument.replace(brackets, "")
  if (isPlainWord(word) || isPath(word)) return true
  return word.split(/[=/:,@;]/).every((part) => isPlainWord(part.replace(brackets, "")))
}

const longest = 2048

/** Whether a text of one line holds nothing but plain arguments. */
export const isPlainText = (line: string): boolean =>
  line.length <= longest &&
  line
    .trim()
    .split(/[ \t]+/)
    .every(isPlainArgument)

/** Whether the value of a variable is plain. The names of some say that it is a digest or an id. */
export const isPlainVariable = (name: string, value: string): boolean =>
  isPlainText(value) ||
  (/(?:SHA|COMMIT|HASH|DIGEST|REVISION)\d{0,3}$/.test(name) && isHex(value)) ||
  (/(?:ID|UUID)$/.test(name) && isUuid(value)) ||
  (name === "GPG_KEY" && /^[0-9A-F]{40}$/.test(value))
