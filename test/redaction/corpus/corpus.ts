import { carriers } from "./carriers.ts"
import { innocentKinds } from "./innocent.ts"
import { innocentNeighbours } from "./innocentNames.ts"
import { keyedKinds } from "./keyed.ts"
import { innocentPayloads, payloadKinds } from "./payloads.ts"
import { makeRandom } from "./random.ts"
import type { Row } from "./row.ts"
import { tokenKinds } from "./tokens.ts"

/** How many rows are drawn. */
export interface CorpusSize {
  readonly perToken: number
  readonly perTemplate: number
  readonly perInnocent: number
}

const carrierList = Object.entries(carriers)

/** Draws a labelled corpus. Every row is made at run time: none is kept anywhere. */
export const drawCorpus = (seed: string, size: CorpusSize): ReadonlyArray<Row> => {
  const random = makeRandom(seed)
  const rows: Array<Row> = []
  let turn = random.int(0, carrierList.length - 1)
  for (const { kind, draw } of tokenKinds) {
    for (let i = 0; i < size.perToken; i++) {
      const token = draw(random)
      const [name, carrier] = carrierList[turn++ % carrierList.length] ?? ["bare", () => token]
      rows.push({ kind: `${kind} in ${name}`, tier: "self", value: carrier(token, random), secrets: [token] })
    }
  }
  for (const { kind, tier, templates } of [...keyedKinds, ...payloadKinds]) {
    for (const [index, template] of templates.entries()) {
      for (let i = 0; i < size.perTemplate; i++) rows.push({ kind: `${kind} ${index}`, tier, ...template(random) })
    }
  }
  for (const { kind, templates } of [...innocentKinds, ...innocentNeighbours, ...innocentPayloads]) {
    for (const [index, template] of templates.entries()) {
      for (let i = 0; i < size.perInnocent; i++)
        rows.push({ kind: `${kind} ${index}`, tier: "innocent", value: template(random), secrets: [] })
    }
  }
  return rows
}
