import * as Effect from "effect/Effect"
import { getNodeValue } from "jsonc-parser"
import type { HookShape } from "../hookSettings.ts"
import { settingsStatus } from "../hookStatus.ts"
import { type JsoncText, nodeAt } from "../jsoncText.ts"
import type { InstallStatus, Scope, StatusOptions } from "../ProviderInstaller.ts"

/** What Antigravity CLI would run, as far as its files tell: what it has loaded it says itself (`agy -p "/hooks"`). */
export const antigravityStatus = Effect.fn("antigravity.status")(function* (
  options: StatusOptions,
  files: Record<"project" | "user", { readonly hooks: string }>,
  events: ReadonlyArray<string>,
  shape: HookShape
) {
  const asked: Array<{ readonly scope: Scope | undefined; readonly settingsFile: string }> = [
    { scope: "project", settingsFile: files.project.hooks },
    { scope: "user", settingsFile: files.user.hooks }
  ]
  if (options.settingsFile !== undefined) asked.push({ scope: undefined, settingsFile: options.settingsFile })
  const wanted = new Set(events)
  const answers = yield* Effect.forEach(asked, (file) =>
    settingsStatus({ ...file, provider: "antigravity", program: options.program, wanted, shape })
  )
  const statuses = answers.map(({ status, document }) => {
    const reason = document && whySilent(document)
    return reason === undefined ? status : { ...status, problem: `${status.path}: ${reason}.` }
  })
  const effective = statuses.filter((file) => file.problem === undefined).flatMap((file) => file.hooks)
  const commandsOf = (event: string) => effective.filter((hook) => hook.event === event).map((hook) => hook.command)
  return {
    provider: "antigravity",
    files: statuses,
    missing: events.filter((event) => commandsOf(event).length === 0),
    // Nothing is known of equal commands being run once.
    repeated: events.filter((event) => commandsOf(event).length > 1),
    hooksOffIn: answers.filter(({ document }) => isDisabled(document, shape)).map(({ status }) => status.path)
  } satisfies InstallStatus
})

const isDisabled = (document: JsoncText | undefined, { container }: HookShape): boolean => {
  const node = document && nodeAt(document, [container, "enabled"])
  return node !== undefined && getNodeValue(node) === false
}

/** One wrong shape makes Antigravity CLI leave the whole file aside, with no more than a line in its log. */
const whySilent = (document: JsoncText): string | undefined => {
  const hooks: unknown = document.root === undefined ? {} : getNodeValue(document.root)
  if (typeof hooks !== "object" || hooks === null || Array.isArray(hooks)) return "it is not an object of named hooks"
  const wrong = Object.entries(hooks).find(
    ([, events]) => typeof events !== "object" || events === null || Array.isArray(events)
  )
  return wrong === undefined
    ? undefined
    : `${wrong[0]} is not an object of events, and Antigravity CLI then leaves the file aside as a whole`
}
