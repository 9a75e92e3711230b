import * as Effect from "effect/Effect"
import { sessionsRoot } from "../archive/sessionDirectory.ts"
import type { Settings } from "../control/Configuration.ts"
import type { EnablementView } from "../control/enablement.ts"
import type { Mode } from "../domain/mode.ts"
import type { Provider } from "../domain/provider.ts"
import { eventBytes } from "../recorder/boundEvent.ts"
import { defaultLimits } from "../redaction/bound.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { shortPath } from "./render/sessions.ts"

/** The card that shows what a mode means for a project. */
export const enablementView = Effect.fn("enablementView")(function* (options: {
  readonly provider: Provider
  readonly mode: Mode
  readonly project: string
  readonly sessionRoot: string | undefined
  /** What holds in the project, and not the defaults: a configuration that a clone brings may make sessions as small as it likes. */
  readonly settings: Settings
}) {
  const { archive, redaction } = options.settings
  const redactor = yield* Redactor
  const root = options.sessionRoot ?? sessionsRoot(options.project, options.provider)
  return {
    provider: options.provider,
    mode: options.mode,
    project: options.project,
    sessionRoot: shortPath(root, options.project),
    retrieval: options.mode === "assist",
    nativeMemory: "unchanged",
    redactionPolicy: redactor.policy,
    redactionRules: { added: redaction.extra.length, allowed: redaction.allow.length },
    limits: {
      stringBytes: defaultLimits.stringBytes,
      eventBytes,
      sessionBytes: archive.maxBytes
    },
    command: `lint-ai record ${options.mode === "off" ? "start" : "stop"} ${options.provider}`
  } satisfies EnablementView
})
