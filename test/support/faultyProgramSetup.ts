import type { TestProject } from "vitest/node"
import { buildFaultyProgram } from "./faultyProgram.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** Directory of the program that has fault points (faultPoints.ts). */
    readonly faultyProgram: string
  }
}

export default async (project: TestProject) => {
  project.provide("faultyProgram", await buildFaultyProgram())
}
