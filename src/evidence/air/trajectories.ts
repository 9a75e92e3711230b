import * as Effect from "effect/Effect"
import { type JsonValue, toJson } from "./json.ts"
import { type RunFile, textOf } from "./runs.ts"
import { type TrajectoryStep, trajectoryRoot } from "./trajectory.ts"

/** One root over the steps of each trajectory that the records name, for a bundle's mapping. One that no root can be made of says why. */
export const trajectorySummaries = (files: ReadonlyArray<RunFile>): Effect.Effect<JsonValue> =>
  Effect.gen(function* () {
    const trajectories = new Map<string, Array<TrajectoryStep>>()
    for (const { record } of files) {
      const id = textOf(record, "trajectory_id")
      if (id === "") continue
      const parents = record.get("parent_ids")
      const step: TrajectoryStep = {
        step_id: textOf(record, "step_id"),
        parent_ids: Array.isArray(parents) ? parents.filter((parent) => typeof parent === "string") : [],
        kind: "llm_call",
        input_hash: textOf(record, "request_checksum").replace(/^sha256:/, ""),
        output_hash: textOf(record, "response_checksum").replace(/^sha256:/, ""),
        gate_verdict: "n/a",
        timestamp: textOf(record, "timestamp")
      }
      trajectories.set(id, [...(trajectories.get(id) ?? []), step])
    }
    const summaries = yield* Effect.forEach([...trajectories], ([trajectory_id, steps]) =>
      trajectoryRoot(steps).pipe(
        Effect.map((step_root) => ({ trajectory_id, step_count: steps.length, step_root })),
        Effect.catch((error) => Effect.succeed({ trajectory_id, step_count: steps.length, problem: error.problem }))
      )
    )
    return toJson({ trajectories: summaries })
  })
