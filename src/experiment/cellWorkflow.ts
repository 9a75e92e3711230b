import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { CellScore } from "./cell.ts"
import { CellFailed, type CellRequest, runCell } from "./cellRun.ts"

/**
 * One attempt at one cell, as a workflow: whoever executes the same attempt twice gets the first one's result. The engine is a service, so that one that
 * outlives this process can take its place; the ledger says what has happened, whichever engine runs.
 */
export const CellWorkflow = Workflow.make("lint-ai/experiment/cell", {
  payload: {
    root: Schema.String,
    /** Digest of the experiment. */
    experiment: Schema.String,
    cell: Schema.String,
    attempt: Schema.Natural
  },
  idempotencyKey: ({ root, experiment, cell, attempt }) => `${root}\n${experiment}\n${cell}\n${attempt}`,
  success: CellScore,
  error: CellFailed
})

/**
 * Runs cells for an engine. What a cell needs beside its name is looked up, since a payload must outlive a process.
 *
 * @param requestOf the request of a cell's attempt
 */
export const cellWorkflowLayer = (requestOf: (cell: string, attempt: number) => CellRequest | undefined) =>
  CellWorkflow.toLayer(({ attempt, cell }) =>
    Activity.make({
      name: "converse and score",
      success: CellScore,
      error: CellFailed,
      execute: Effect.suspend(() => {
        const request = requestOf(cell, attempt)
        return request === undefined
          ? Effect.fail(new CellFailed({ reason: `there is no cell ${cell}` }))
          : runCell(request)
      })
    })
  )
