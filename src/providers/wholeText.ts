import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { planUndoing, planWriting } from "./settingsPlan.ts"

/** A file that install would write as a whole is there, and somebody else wrote it or changed it. */
export class TextDiffers extends Data.TaggedError("TextDiffers")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} is there with another text. Nothing was written. Move it away, or install without --mcp, which this file belongs to.`
  }
}

/** The change that writes a file of ours as a whole; fails where a different one stands that install did not write itself. */
export const planText = (provider: Provider, file: string, text: string, shared: boolean) =>
  planWriting(
    provider,
    file,
    shared,
    Effect.fnUntraced(function* ({ file: { bytes, path }, untouched }) {
      const after = Buffer.from(text, "utf8")
      const same = bytes?.equals(after) === true
      if (bytes !== undefined && !same && !untouched) return yield* new TextDiffers({ path })
      return {
        after,
        changes: same ? [] : [bytes === undefined ? "write the file" : "bring the file up to date"],
        installed: bytes !== undefined,
        emptyBefore: [],
        commands: []
      }
    })
  )

/** The change that removes a file of ours. One that was changed since install, or that install did not write, stays. */
export const planTextRemoval = (provider: Provider, file: string) =>
  planUndoing(provider, file, () => Effect.succeed({ after: Buffer.alloc(0), changes: [], nothingLeft: false }))
