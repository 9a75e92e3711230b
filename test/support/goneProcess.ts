import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Waits until nobody is there any more. */
export const noneLeft = (isSomebodyThere: () => boolean) =>
  Effect.sync(isSomebodyThere).pipe(
    Effect.repeat({ until: (still) => !still, schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("60 seconds")
  )

/** Waits until a process that was killed has gone. One that has ended and that nobody has looked at yet has gone, too. */
export const gone = (pid: number) => noneLeft(() => runs(pid))

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\tZ/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}
