import type { Provider } from "../domain/provider.ts"

/** A hook, as a program: takes the agent's name and, where the agent does not say it in the payload, the event's. */
type Hook = (args: ReadonlyArray<string>) => void

/** The hook of each agent, with its adapter and no other's: what another agent's needs would be loaded at every step for nothing. */
const hooks: Readonly<Record<Provider, () => Promise<{ readonly run: Hook }>>> = {
  claude: () => import("./claude.ts"),
  codex: () => import("./codex.ts"),
  gemini: () => import("./gemini.ts"),
  antigravity: () => import("./antigravity.ts")
}

/** Loads and runs the hook of the agent that is named first. For one that lint-ai does not know it drains stdin and says nothing. */
export const startHook = async (args: ReadonlyArray<string>): Promise<void> => {
  const load = new Map(Object.entries(hooks)).get(args[0] ?? "")
  if (load !== undefined) (await load()).run(args)
  else (await import("./main.ts")).runHook(undefined)(args)
}
