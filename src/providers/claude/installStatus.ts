import * as Effect from "effect/Effect"
import { isSet, settingsStatus } from "../hookStatus.ts"
import type { InstallStatus, Scope, StatusOptions } from "../ProviderInstaller.ts"
import { whyIgnored } from "./settingsRules.ts"

/** What Claude Code would run: it merges the hooks of all its settings files, and one `disableAllHooks` switches them all off. */
export const claudeStatus = Effect.fn("claude.status")(function* (
  options: StatusOptions,
  files: Record<Scope, string>,
  events: ReadonlyArray<string>
) {
  const asked: Array<{ readonly scope: Scope | undefined; readonly settingsFile: string }> = [
    { scope: "local", settingsFile: files.local },
    { scope: "project", settingsFile: files.project },
    { scope: "user", settingsFile: files.user }
  ]
  if (options.settingsFile !== undefined) asked.push({ scope: undefined, settingsFile: options.settingsFile })
  const wanted = new Set(events)
  const answers = yield* Effect.forEach(asked, (file) =>
    settingsStatus({ ...file, provider: "claude", program: options.program, wanted })
  )
  const statuses = answers.map(({ status, document }) => {
    const reason = document && whyIgnored(document)
    return reason === undefined ? status : { ...status, problem: `${status.path}: ${reason}.` }
  })
  const effective = statuses.filter((file) => file.problem === undefined).flatMap((file) => file.hooks)
  const commandsOf = (event: string) =>
    new Set(effective.filter((hook) => hook.event === event).map((hook) => hook.command))
  return {
    provider: "claude",
    files: statuses,
    missing: events.filter((event) => commandsOf(event).size === 0),
    // Claude Code runs equal command lines once, wherever they stand.
    repeated: events.filter((event) => commandsOf(event).size > 1),
    hooksOffIn: answers
      .filter((answer) => isSet(answer.document, "disableAllHooks"))
      .map((answer) => answer.status.path)
  } satisfies InstallStatus
})
