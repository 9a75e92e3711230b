import * as Effect from "effect/Effect"
import { isSet, settingsStatus } from "../hookStatus.ts"
import type { InstallStatus, Scope, StatusOptions } from "../ProviderInstaller.ts"
import { whyIgnored } from "./settingsRules.ts"

/** What Claude Code would run: it merges the hooks of all its settings files, and one `disableAllHooks` switches them all off. */
export const claudeStatus = Effect.fn("claude.status")(function* (
  options: StatusOptions,
  files: Record<Scope, string>,
  events: { readonly own: ReadonlyArray<string>; readonly shared: ReadonlyArray<string> }
) {
  const asked: Array<{ readonly scope: Scope | undefined; readonly settingsFile: string }> = [
    { scope: "local", settingsFile: files.local },
    { scope: "project", settingsFile: files.project },
    { scope: "user", settingsFile: files.user }
  ]
  if (options.settingsFile !== undefined) asked.push({ scope: undefined, settingsFile: options.settingsFile })
  const answers = yield* Effect.forEach(asked, (file) =>
    settingsStatus({
      ...file,
      provider: "claude",
      program: options.program,
      wanted: new Set(file.scope === "project" ? events.shared : events.own)
    })
  )
  const statuses = answers.map(({ status, document }) => {
    const reason = document && whyIgnored(document)
    return reason === undefined ? status : { ...status, problem: `${status.path}: ${reason}.` }
  })
  const used = statuses.filter((file) => file.problem === undefined && file.hooks.length > 0)
  const effective = used.flatMap((file) => file.hooks)
  // What only the file of all colleagues registers is what each of their versions knows.
  const expected = used.length > 0 && used.every((file) => file.scope === "project") ? events.shared : events.own
  const commandsOf = (event: string) =>
    new Set(effective.filter((hook) => hook.event === event).map((hook) => hook.command))
  return {
    provider: "claude",
    files: statuses,
    missing: expected.filter((event) => commandsOf(event).size === 0),
    // Claude Code runs equal command lines once, wherever they stand.
    repeated: events.own.filter((event) => commandsOf(event).size > 1),
    hooksOffIn: answers
      .filter((answer) => isSet(answer.document, "disableAllHooks"))
      .map((answer) => answer.status.path)
  } satisfies InstallStatus
})
