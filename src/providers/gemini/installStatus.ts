import * as Effect from "effect/Effect"
import { getNodeValue } from "jsonc-parser"
import { settingsStatus } from "../hookStatus.ts"
import { type JsoncText, nodeAt } from "../jsoncText.ts"
import type { InstallStatus, Scope, StatusOptions } from "../ProviderInstaller.ts"
import { geminiHooks, type HookRow } from "./hooks.ts"

/** What Gemini CLI would run: it joins the hooks of its settings files, and runs equal command lines once. */
export const geminiStatus = Effect.fn("gemini.status")(function* (
  options: StatusOptions,
  files: Record<"project" | "user", { readonly settings: string }>
) {
  const asked: Array<{ readonly scope: Scope | undefined; readonly settingsFile: string }> = [
    { scope: "project", settingsFile: files.project.settings },
    { scope: "user", settingsFile: files.user.settings }
  ]
  if (options.settingsFile !== undefined) asked.push({ scope: undefined, settingsFile: options.settingsFile })
  const rows: ReadonlyArray<readonly [string, HookRow]> = Object.entries(geminiHooks)
  const events = rows.filter(([, row]) => row.install).map(([event]) => event)
  const wanted = new Set(events)
  const answers = yield* Effect.forEach(asked, (file) =>
    settingsStatus({ ...file, provider: "gemini", program: options.program, wanted, timeoutUnitMs: 1 })
  )
  const statuses = answers.map((answer) => answer.status)
  const effective = statuses.filter((file) => file.problem === undefined).flatMap((file) => file.hooks)
  const commandsOf = (event: string) =>
    new Set(effective.filter((hook) => hook.event === event).map((hook) => hook.command))
  return {
    provider: "gemini",
    files: statuses,
    missing: events.filter((event) => commandsOf(event).size === 0),
    repeated: events.filter((event) => commandsOf(event).size > 1),
    hooksOffIn: answers.filter((answer) => switchesHooksOff(answer.document)).map((answer) => answer.status.path)
  } satisfies InstallStatus
})

const switchesHooksOff = (document: JsoncText | undefined): boolean => {
  const node = document && nodeAt(document, ["hooksConfig", "enabled"])
  return node !== undefined && getNodeValue(node) === false
}
