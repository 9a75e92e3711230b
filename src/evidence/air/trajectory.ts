import * as crypto from "node:crypto"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { compareCodePoints } from "./json.ts"

/** One step of a trajectory, as AIR commits to it. Hashes are SHA-256 in hex, "" where there was nothing. */
export interface TrajectoryStep {
  readonly step_id: string
  readonly parent_ids: ReadonlyArray<string>
  readonly kind: "llm_call" | "tool_call" | "action" | "observation" | "sub_agent"
  readonly input_hash: string
  readonly output_hash: string
  readonly gate_verdict: "permit" | "require_approval" | "forbid" | "n/a"
  readonly timestamp: string
}

/** Steps that no root can be made of. */
export class TrajectoryInvalid extends Data.TaggedError("TrajectoryInvalid")<{
  readonly problem: "duplicate id" | "unknown parent" | "cycle" | "newline" | "no steps"
  readonly stepId: string
}> {
  override get message(): string {
    return `the trajectory has a ${this.problem}${this.stepId === "" ? "" : ` at step ${this.stepId}`}`
  }
}

/** The bytes of a leaf. Parents are joined by commas, so an id with a comma can stand for two: the format has this weakness. */
export const leafPreimage = (step: TrajectoryStep): string =>
  [
    "TRAJ-STEP-v1",
    step.step_id,
    [...step.parent_ids].sort(compareCodePoints).join(","),
    step.kind,
    step.input_hash,
    step.output_hash,
    step.gate_verdict,
    step.timestamp
  ].join("\n")

const sha256 = (...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hash = crypto.createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const leafMark = Buffer.from([0])
const nodeMark = Buffer.from([1])

/** SHA-256(0x00 || preimage), hex. */
export const leafHash = (step: TrajectoryStep): string => sha256(leafMark, leafPreimage(step)).toString("hex")

/** Steps by (longest distance from a root, id by code point). */
export const trajectoryOrder = (
  steps: ReadonlyArray<TrajectoryStep>
): Effect.Effect<ReadonlyArray<TrajectoryStep>, TrajectoryInvalid> =>
  Effect.suspend(() => {
    const fail = (problem: TrajectoryInvalid["problem"], stepId: string) =>
      Effect.fail(new TrajectoryInvalid({ problem, stepId }))
    if (steps.length === 0) return fail("no steps", "")
    const byId = new Map<string, TrajectoryStep>()
    for (const step of steps) {
      const fields = [...Object.values(step).flat()] as ReadonlyArray<string>
      if (fields.some((field) => field.includes("\n"))) return fail("newline", step.step_id)
      if (byId.has(step.step_id)) return fail("duplicate id", step.step_id)
      byId.set(step.step_id, step)
    }
    const unknown = steps.find((step) => step.parent_ids.some((parent) => !byId.has(parent)))
    if (unknown !== undefined) return fail("unknown parent", unknown.step_id)
    // From the roots outwards, so that a chain of any length needs no recursion.
    const waitsFor = new Map(steps.map((step) => [step.step_id, new Set(step.parent_ids)]))
    const children = new Map<string, Array<string>>()
    for (const step of steps) {
      for (const parent of new Set(step.parent_ids))
        children.set(parent, [...(children.get(parent) ?? []), step.step_id])
    }
    const depth = new Map<string, number>()
    const ready = steps.filter((step) => step.parent_ids.length === 0).map((step) => step.step_id)
    for (const id of ready) depth.set(id, 0)
    for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
      for (const child of children.get(id) ?? []) {
        depth.set(child, Math.max(depth.get(child) ?? 0, (depth.get(id) ?? 0) + 1))
        const open = waitsFor.get(child)
        open?.delete(id)
        if (open?.size === 0) ready.push(child)
      }
    }
    const stuck = steps.find((step) => (waitsFor.get(step.step_id)?.size ?? 0) > 0)
    if (stuck !== undefined) return fail("cycle", stuck.step_id)
    return Effect.succeed(
      [...steps].sort(
        (left, right) =>
          (depth.get(left.step_id) ?? 0) - (depth.get(right.step_id) ?? 0) ||
          compareCodePoints(left.step_id, right.step_id)
      )
    )
  })

/** The Merkle root over the steps in their order: node = SHA-256(0x01 || left || right), a lone node moves up unchanged. Hex. */
export const trajectoryRoot = (steps: ReadonlyArray<TrajectoryStep>): Effect.Effect<string, TrajectoryInvalid> =>
  Effect.map(trajectoryOrder(steps), (ordered) => {
    let level: ReadonlyArray<Buffer> = ordered.map((step) => sha256(leafMark, leafPreimage(step)))
    while (level.length > 1) {
      const above: Array<Buffer> = []
      for (let at = 0; at < level.length; at += 2) {
        const left = level[at] ?? Buffer.alloc(0)
        const right = level[at + 1]
        above.push(right === undefined ? left : sha256(nodeMark, left, right))
      }
      level = above
    }
    return level[0]?.toString("hex") ?? ""
  })
